"""Notebooks in the editor, driven by the client of pytest-lsp: cells are one text, and each shows what is its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from ..support.processes import environment

pytest_lsp = pytest.importorskip("pytest_lsp")

Client = pytest_lsp.LanguageClient
COMMAND = [sys.executable, "-m", "nkilint", "lsp"]
SERVER = pytest_lsp.ClientServerConfig(server_command=COMMAND, server_env=environment())
IMPORTS = "%matplotlib inline\nimport neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
HELPER = "'🙂'; ROWS = 129\n"
KERNEL = """\
@nki.jit
def tall(x):
    rows, columns = x.shape
    tile = nl.zeros((ROWS, 4), dtype=nl.float32)
    other = nl.zeros((rows, 4), dtype=nl.float32)
    out = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, tile[0:1, :] + other[0:1, :])
    return out"""
PATIENCE = 600.0  # seconds after which a server hangs: no machine is that busy
ADDRESS = "vscode-notebook-cell:/book.ipynb#{}"


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: Client, tmp_path: Path) -> AsyncIterator[None]:
    capabilities = pytest_lsp.client_capabilities("neovim@v0.9.1")
    synchronization = types.NotebookDocumentSyncClientCapabilities()
    capabilities.notebook_document = types.NotebookDocumentClientCapabilities(synchronization)
    lsp_client.book = (tmp_path / "book.ipynb").as_uri()
    done = await lsp_client.initialize_session(types.InitializeParams(capabilities, root_uri=tmp_path.as_uri()))
    assert done.capabilities.notebook_document_sync is not None
    yield
    await lsp_client.shutdown_session()


def opened(client: Any, *sources: str) -> None:
    kinds = types.NotebookCellKind.Code
    cells = [types.NotebookCell(kinds, ADDRESS.format(n)) for n, _ in enumerate(sources)]
    documents = [types.TextDocumentItem(ADDRESS.format(n), "python", 1, text) for n, text in enumerate(sources)]
    notebook = types.NotebookDocument(client.book, "jupyter-notebook", 1, cells)
    client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, documents))


async def found(client: Any, cell: int, *codes: str) -> list[types.Diagnostic]:
    """The diagnostics of a cell, once they are these."""
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while True:
        items = list(client.diagnostics.get(ADDRESS.format(cell), []))
        known = ADDRESS.format(cell) in client.diagnostics
        if known and sorted(str(d.code) for d in items) == sorted(codes):
            return sorted(items, key=lambda d: d.range.start.line)
        assert asyncio.get_running_loop().time() < deadline, items
        await asyncio.sleep(0.05)


def place(of: types.Range) -> tuple[int, int, int, int]:
    return of.start.line, of.start.character, of.end.line, of.end.character


def written(text: str, edits: list[types.TextEdit]) -> str:
    """A text without surrogates with changes made."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        start, end = edit.range.start, edit.range.end
        joined = lines[start.line][: start.character] + edit.new_text + lines[end.line][end.character :]
        lines[start.line : end.line + 1] = joined.split("\n")
    return "\n".join(lines)


@pytest.mark.asyncio
async def test_each_cell_shows_what_is_found_in_it(client: Any) -> None:
    opened(client, IMPORTS, HELPER, KERNEL)
    certain, conditional = await found(client, 2, "NKI101", "NKI101")
    assert (place(certain.range), place(conditional.range)) == ((3, 11, 3, 48), (4, 12, 4, 49))
    assert certain.message.startswith("tile [129, 4] spans 129 partitions; trn2 has 128\n")
    assert [list(client.diagnostics.get(ADDRESS.format(n), [])) for n in (0, 1)] == [[], []]
    assert client.book not in client.diagnostics


@pytest.mark.asyncio
async def test_an_edit_of_one_cell_changes_what_is_found_in_another(client: Any) -> None:
    opened(client, IMPORTS, HELPER, KERNEL)
    await found(client, 2, "NKI101", "NKI101")
    whole = types.TextDocumentContentChangeWholeDocument("'🙂'; ROWS = 128\n")
    one = types.VersionedTextDocumentIdentifier(2, ADDRESS.format(1))
    content = types.NotebookDocumentCellContentChanges(one, [whole])
    changed(client, types.NotebookDocumentCellChanges(text_content=[content]), 2)
    (left,) = await found(client, 2, "NKI101")
    assert left.range.start.line == 4
    new = types.TextDocumentItem(ADDRESS.format(3), "python", 1, "first = 1\nsecond = 2")
    array = types.NotebookCellArrayChange(0, 0, [types.NotebookCell(types.NotebookCellKind.Code, new.uri)])
    structure = types.NotebookDocumentCellChangeStructure(array, did_open=[new])
    changed(client, types.NotebookDocumentCellChanges(structure=structure), 3)
    await found(client, 3)
    (left,) = await found(client, 2, "NKI101")
    assert left.range.start.line == 4  # of its cell, wherever that stands
    array = types.NotebookCellArrayChange(3, 1, [])
    gone = [types.TextDocumentIdentifier(ADDRESS.format(2))]
    structure = types.NotebookDocumentCellChangeStructure(array, did_close=gone)
    changed(client, types.NotebookDocumentCellChanges(structure=structure), 4)
    await found(client, 2)


def changed(client: Any, cells: types.NotebookDocumentCellChanges, version: int) -> None:
    notebook = types.VersionedNotebookDocumentIdentifier(version, client.book)
    change = types.NotebookDocumentChangeEvent(cells=cells)
    client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(notebook, change))


@pytest.mark.asyncio
async def test_hover_lenses_and_repairs_are_about_the_cell(client: Any) -> None:
    opened(client, IMPORTS, HELPER, KERNEL)
    _, conditional = await found(client, 2, "NKI101", "NKI101")
    cell = types.TextDocumentIdentifier(ADDRESS.format(2))
    hover = await client.text_document_hover_async(types.HoverParams(cell, types.Position(3, 5)))
    assert "[129, 4]" in hover.contents.value
    assert place(hover.range) == (3, 4, 3, 8)
    (lens,) = await client.text_document_code_lens_async(types.CodeLensParams(cell))
    assert (lens.range.start.line, lens.command.title[:8]) == (1, "violated")
    assert not await client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(ADDRESS.format(0)))
    )
    asked = types.CodeActionParams(cell, conditional.range, types.CodeActionContext([conditional]))
    actions = await client.text_document_code_action_async(asked)
    repair = next(a for a in actions if a.edit is not None and "assert" in str(a.edit))
    assert list(repair.diagnostics) == [conditional]
    ((uri, edits),) = edits_of(repair.edit).items()
    assert uri == cell.uri
    assert written(KERNEL, edits) == KERNEL.replace(
        "    rows, columns = x.shape\n", "    rows, columns = x.shape\n    assert rows <= 128\n"
    )


def edits_of(edit: types.WorkspaceEdit) -> dict[str, list[Any]]:
    if edit.document_changes is None:
        return dict(edit.changes or {})
    return {each.text_document.uri: list(each.edits) for each in edit.document_changes}


@pytest.mark.asyncio
async def test_all_repairs_at_once_stay_within_their_cells(client: Any) -> None:
    last = KERNEL.replace("ROWS", "128").replace("(rows", "(128") + "  # noqa: NKI101"
    opened(client, IMPORTS, last, "second = 2")
    await found(client, 1, "NKI002")
    whole = types.Range(types.Position(0, 0), types.Position(8, 0))
    context = types.CodeActionContext([], only=["source.fixAll"])
    cell = types.TextDocumentIdentifier(ADDRESS.format(1))
    (action,) = await client.text_document_code_action_async(types.CodeActionParams(cell, whole, context))
    ((uri, edits),) = edits_of(action.edit).items()
    lines = last.split("\n")
    for edit in edits:
        edit.range.end.character = min(edit.range.end.character, len(lines[edit.range.end.line]))
    assert (uri, written(last, edits)) == (cell.uri, last.replace("  # noqa: NKI101", ""))


@pytest.mark.asyncio
async def test_a_saved_notebook_is_confirmed_and_a_closed_one_forgotten(client: Any, tmp_path: Path) -> None:
    opened(client, IMPORTS, HELPER, KERNEL)
    await found(client, 2, "NKI101", "NKI101")
    client.notebook_document_did_save(
        types.DidSaveNotebookDocumentParams(types.NotebookDocumentIdentifier(client.book))
    )
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not all("confirmed" in d.message for d in client.diagnostics[ADDRESS.format(2)]):
        assert asyncio.get_running_loop().time() < deadline, client.diagnostics
        await asyncio.sleep(0.05)
    cells = [types.TextDocumentIdentifier(ADDRESS.format(n)) for n in range(3)]
    book = types.NotebookDocumentIdentifier(client.book)
    client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(book, cells))
    await found(client, 2)
