"""The language server, driven by the client of pytest-lsp, which knows nothing of it: each feature once, end to end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
from lsprotocol import types

from ..support.processes import environment

pytest_lsp = pytest.importorskip("pytest_lsp")

ROOT = Path(__file__).parents[2]
PUBLISH = types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS
COMMAND = [sys.executable, "-m", "nkilint", "lsp"]
SERVER = pytest_lsp.ClientServerConfig(server_command=COMMAND, server_env=environment())
MODULE = pytest.mark.asyncio(loop_scope="module")
Client = pytest_lsp.LanguageClient
Fits = Callable[[Sequence[types.Diagnostic]], bool]

PATIENCE = 600.0  # seconds after which a server hangs: no machine is that busy
KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def k(x):
    rows, columns = x.shape
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    for n in nl.affine_range(4):
        '🙂'; tile = nl.load(x[i, j], mask=i < rows and j < columns)
    last = nl.load(x[i, n + j])
    nl.store(output[i, j], value=last)
    return output
"""
TALL = """\
import nki
import nki.language as nl


@nki.jit
def tall(x):
    rows, columns = x.shape
    return nl.ndarray((rows, 512), dtype=nl.float32, buffer=nl.sbuf)
"""
FIXED = TALL.replace("rows, columns = x.shape", "rows = 128")


@pytest_lsp.fixture(config=SERVER, scope="module")
async def client(lsp_client: Client, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[None]:
    """One that is told; with two folders, each with a configuration of its own."""
    folder = tmp_path_factory.mktemp("roots")
    for name, target in (("one", "trn1"), ("two", "trn3")):
        (folder / name).mkdir()
        (folder / name / "pyproject.toml").write_text(f'[tool.nkilint]\ntarget = "{target}"\n', encoding="utf-8")
    folders = [types.WorkspaceFolder((folder / name).as_uri(), name) for name in ("one", "two")]
    options = {"inlayHints": True}
    capabilities = pytest_lsp.client_capabilities("neovim@v0.9.1")
    lsp_client.folder = folder
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities, workspace_folders=folders, initialization_options=options)
    )
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=SERVER)
async def asking(lsp_client: Client) -> AsyncIterator[None]:
    """One that asks."""
    capabilities = pytest_lsp.client_capabilities("neovim@v0.11.0")
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities()
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    await lsp_client.initialize_session(types.InitializeParams(capabilities))
    yield
    await lsp_client.shutdown_session()


def opened(client: Client, name: str, text: str, *, on_disk: bool = True) -> str:
    file: Path = client.folder / name
    if on_disk:
        file.write_text(text, encoding="utf-8")
    item = types.TextDocumentItem(file.as_uri(), "python", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return file.as_uri()


def changed(client: Client, uri: str, version: int, text: str) -> None:
    document = types.VersionedTextDocumentIdentifier(version, uri)
    whole = [types.TextDocumentContentChangeWholeDocument(text)]
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, whole))


def saved(client: Client, uri: str) -> None:
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))


async def shown(client: Client, uri: str, fits: Fits) -> Sequence[types.Diagnostic]:
    """The diagnostics of a file once they fit."""
    while uri not in client.diagnostics or not fits(client.diagnostics[uri]):
        try:
            await asyncio.wait_for(client.wait_for_notification(PUBLISH), PATIENCE)
        except asyncio.TimeoutError:
            pytest.fail(f"no more comes than {[d.message for d in client.diagnostics.get(uri, ())]}")
    found: Sequence[types.Diagnostic] = client.diagnostics[uri]
    return found


def with_code(code: str) -> Fits:
    return lambda found: any(d.code == code for d in found)


async def hover(client: Client, uri: str, line: int, character: int) -> str:
    place = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
    found = await client.text_document_hover_async(place)
    return found.contents.value if found is not None else ""


async def actions(client: Client, uri: str, diagnostic: types.Diagnostic) -> list[str]:
    context = types.CodeActionContext([diagnostic])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), diagnostic.range, context)
    return [action.title for action in await client.text_document_code_action_async(params) or ()]


@MODULE
async def test_diagnostics_behind_an_emoji_and_their_repair(client: Client) -> None:
    uri = opened(client, "one/k.py", KERNEL)
    found = await shown(client, uri, with_code("NKI304"))
    joined = next(d for d in found if d.code == "NKI304")
    line = KERNEL.splitlines()[10]
    start = line.index("i < rows") + 1  # the emoji takes two units
    assert joined.range.start == types.Position(10, start)
    assert await actions(client, uri, joined) == [
        "Join the masks with `&`",
        "Suppress NKI304 on this line",
        "Open the page of NKI304",
    ]
    assert joined.code_description is not None
    assert Path(joined.code_description.href.removeprefix("file://")).is_file()


@MODULE
async def test_hover_in_and_on_a_kernel(client: Client) -> None:
    uri = opened(client, "one/hover.py", TALL)
    await shown(client, uri, lambda found: any("unless `rows <= 128`" in d.message for d in found))
    tile = await hover(client, uri, 7, TALL.splitlines()[7].index("ndarray"))
    assert tile == "`float32[rows, 512]` in SBUF\n\n`rows` partitions, `2048` bytes in each"
    assert await hover(client, uri, 6, 5) == "`rows`, at least 1"
    kernel = await hover(client, uri, 5, 5)
    assert kernel.startswith("**tall** is *")
    assert "- `rows <= 128`" in kernel


@MODULE
async def test_lenses_hints_and_the_assertion_of_the_contract(client: Client) -> None:
    uri = opened(client, "one/lens.py", TALL)
    found = await shown(client, uri, lambda found: any("unless `rows <= 128`" in d.message for d in found))
    document = types.TextDocumentIdentifier(uri)
    (lens,) = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert " · needs rows <= 128 · " in lens.command.title
    assert "Assert `rows <= 128`" in await actions(client, uri, next(d for d in found if "rows <= 128" in d.message))
    uri = opened(client, "one/hints.py", FIXED.replace("return", "tile ="))
    whole = types.Range(types.Position(0, 0), types.Position(9, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(types.TextDocumentIdentifier(uri), whole))
    assert [hint.label for hint in hints] == [": float32[128, 512] @ sbuf"]


@MODULE
async def test_related_places_of_a_clobbered_read(client: Client) -> None:
    example = (ROOT / "examples" / "findings" / "lifetime_neuronxcc.py").read_text(encoding="utf-8")
    uri = opened(client, "one/lifetime.py", example)
    found = await shown(client, uri, with_code("NKI501"))
    places = next(d for d in found if d.code == "NKI501").related_information
    assert places
    assert all(place.location.uri == uri and place.message for place in places)


@MODULE
async def test_each_folder_has_its_configuration_and_helpers_count_unsaved(client: Client) -> None:
    text = TALL.replace("rows, columns = x.shape", "rows = ROWS").replace(
        "import nki\n", "import nki\nfrom sizes import ROWS\n"
    )
    for name, target in (("one", "trn1"), ("two", "trn3")):
        helper = opened(client, f"{name}/sizes.py", "ROWS = 128\n")
        uri = opened(client, f"{name}/helped.py", text)
        changed(client, helper, 2, "ROWS = 130\n")
        found = await shown(client, uri, with_code("NKI101"))
        assert "spans 130 partitions; " + target in next(d for d in found if d.code == "NKI101").message


@MODULE
async def test_saving_confirms_and_typing_drops_what_is_stale(client: Client) -> None:
    uri = opened(client, "one/save.py", TALL.replace("rows, 512", "129, 512"))
    await shown(client, uri, with_code("NKI101"))
    for version in range(2, 12):
        changed(client, uri, version, TALL.replace("rows, 512", f"{200 + version}, 512"))
    changed(client, uri, 12, TALL.replace("rows, 512", "300, 512"))
    saved(client, uri)
    found = await shown(client, uri, lambda found: any("confirmed by the reference" in d.message for d in found))
    assert "spans 300 partitions" in next(d for d in found if d.code == "NKI101").message


@MODULE
async def test_a_file_of_two_thousand_lines(client: Client) -> None:
    head, body = FIXED[: FIXED.index("@nki")], FIXED[FIXED.index("@nki") :]
    text = head + "\n\n".join(body.replace("tall", f"tall{n}") for n in range(400))
    assert text.count("\n") > 2_000
    uri = opened(client, "one/long.py", text)
    await shown(client, uri, with_code("NKI707"))
    changed(client, uri, 2, text.replace("rows = 128", "rows = 131", 1))
    found = await shown(client, uri, with_code("NKI101"))
    assert [d.range.start.line for d in found if d.code == "NKI101"] == [7]


@MODULE
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs a list of a process's children")
async def test_an_analysis_that_dies_is_replaced(client: Client) -> None:
    uri = opened(client, "one/dead.py", TALL.replace("rows, 512", "129, 512"))
    await shown(client, uri, with_code("NKI101"))
    task = Path(f"/proc/{client._server.pid}/task/{client._server.pid}/children")
    for pid in task.read_text(encoding="utf-8").split():
        os.kill(int(pid), signal.SIGKILL)
    for version in range(2, 9):
        changed(client, uri, version, TALL.replace("rows, 512", f"{128 + version}, 512"))
        saved(client, uri)
    await shown(client, uri, lambda found: any("136 partitions" in d.message for d in found))


@pytest.mark.asyncio
async def test_a_client_that_asks_gets_what_there_is(asking: Client, tmp_path: Path) -> None:
    asking.folder = tmp_path
    uri = opened(asking, "pull.py", TALL.replace("rows, 512", "129, 512"))
    params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    first = await asking.text_document_diagnostic_async(params)
    assert "NKI101" in [d.code for d in first.items]
    changed(asking, uri, 2, FIXED)
    second = await asking.text_document_diagnostic_async(params)
    assert "NKI101" not in [d.code for d in second.items]
    assert uri not in asking.diagnostics
