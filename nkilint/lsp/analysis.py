"""Decides when which document is analysed, by whom, and what becomes of the result.

An edit is answered twice: at once by a process that leaves proofs out, and, when no other edit follows, by one that
does everything. What is found in a text that was saved is run in the reference simulator by a third, which says of
large files before all others what their text alone shows. A result for a text that is not the newest any more is
dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from nkilint.base.config import ConfigError
from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.base.serial import plain, restored
from nkilint.warm.workers import Fault, Worker, WorkerDied

from .documents import Document, Result, absolute
from .places import split_lines
from .settings import Settings

TYPING = 0.005  # seconds without an edit before the hasty analysis
RESTING = 0.3  # and before the complete one
WORKER = "nkilint.lsp.worker"
LARGE = 1_000  # lines of a file of which the text alone is judged first
PATIENCE = 2.0  # that an outdated analysis is left to come to its end


class Analysis:
    """The open documents and their results. `overlay` gives the text of all open files by path; `changed` is called
    with a document that has a new result, `said` with what a person has to know."""

    def __init__(
        self,
        settings: Settings,
        overlay: Callable[[], dict[str, str]],
        changed: Callable[[Document], None],
        said: Callable[[str], None],
        misconfigured: Callable[[str, ConfigError | None], None],
    ) -> None:
        self.settings, self._overlay, self._changed, self._said = settings, overlay, changed, said
        self._misconfigured = misconfigured
        self.documents: dict[str, Document] = {}
        self.hasty, self.thorough, self.trying = (Worker(WORKER) for _ in range(3))
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    def start(self) -> None:
        """Have the processes import what they need before somebody waits for it."""
        for worker in (self.hasty, self.thorough):
            self._run(self._warm(worker))

    async def _warm(self, worker: Worker) -> None:
        try:
            await worker.ask("warm", {})
        except (Fault, WorkerDied) as error:
            self._said(f"nkilint cannot start its analysis: {error}")

    def close(self) -> None:
        for worker in (self.hasty, self.thorough, self.trying):
            worker.close()

    # --- events ---

    def opened(self, uri: str, path: str, version: int) -> None:
        self.documents[uri] = document = Document(uri, path, version)
        self._again(document, 0.0, 0.0)
        self._others(document)

    def edited(self, uri: str, version: int) -> None:
        document = self.documents[uri]
        document.version = version
        self._again(document, TYPING, RESTING if self.settings.proofs_on_type else None)
        self._others(document)

    def saved(self, uri: str) -> None:
        document = self.documents[uri]
        document.saved = document.version
        if self._is_complete(document):
            self._run(self._confirm(document, document.turn))
        else:
            self._again(document, 0.0, 0.0)

    def closed(self, uri: str) -> Document:
        document = self.documents.pop(uri)
        self._others(document)
        self._tell()
        return document

    def everything(self) -> None:
        """Analyse all documents again: the configuration or files on disk have changed."""
        for document in self.documents.values():
            self._again(document, 0.0, 0.0)

    def _others(self, changed: Document) -> None:
        """Analyse the documents again that use a changed one."""
        for document in self.documents.values():
            if document is not changed and document.result is not None and changed.path in document.result.read:
                self._again(document, 10 * TYPING, RESTING if self.settings.proofs_on_type else None)

    # --- analyses ---

    def _is_complete(self, document: Document) -> bool:
        result = document.result
        return document.done == document.turn and result is not None and result.complete

    def _again(self, document: Document, soon: float, later: float | None) -> None:
        document.turn += 1
        for worker in (self.hasty, self.thorough, self.trying):
            worker.give_up(document.uri, PATIENCE)
        self._run(self._analyse(document, document.turn, soon, later))

    async def _analyse(self, document: Document, turn: int, soon: float, later: float | None) -> None:
        await asyncio.sleep(soon)
        if document.turn != turn:
            return
        if self._overlay().get(document.path, "").count("\n") >= LARGE:
            self._run(self._ask(self.trying, document, turn, complete=False, text_alone=True))
        await self._ask(self.hasty, document, turn, complete=False)
        if later is None:
            return
        await asyncio.sleep(later)
        if document.turn == turn:
            await self._ask(self.thorough, document, turn, complete=True)
            if document.saved == document.version:
                await self._confirm(document, turn)

    def _is_wanted(self, document: Document, turn: int) -> bool:
        """Whether the text that a result is for is still the newest one."""
        return document.turn == turn and self.documents.get(document.uri) is document

    async def _confirm(self, document: Document, turn: int) -> None:
        """Have what the last complete analysis found run in the reference simulator."""
        wanted = partial(self._is_wanted, document, turn)
        result, options = document.result, self.options(document.path)
        if not wanted() or result is None or not result.complete or result.tried or not options.confirm:
            return
        if not any(d.trial is not None for d in result.report.diagnostics):
            return
        request = {
            "paths": [document.path],
            "options": plain(options),
            "overlay": self._overlay(),
            "report": plain(result.report),
        }
        answer: Any = None
        try:
            answer = await self.trying.ask("confirm", request, wanted, document.uri)
        except WorkerDied:
            if wanted():
                self._said(f"nkilint: the confirmation of {document.name} died; it is tried again with the next change")
        except Fault as fault:
            self._said(f"nkilint failed to confirm {document.name}: {fault}; please report it with the file")
        if answer is not None and wanted():
            report = absolute(restored(Report, answer["report"]), self.trying.folder)
            document.take(replace(result, report=report, tried=True))
            self._changed(document)
            self._tell()

    async def _ask(
        self, worker: Worker, document: Document, turn: int, *, complete: bool, text_alone: bool = False
    ) -> None:
        def wanted() -> bool:
            return self._is_wanted(document, turn) and not (text_alone and document.done == turn)

        if not wanted():
            return
        options = self.options(document.path)
        if complete:
            options = replace(options, proofs=True)
        else:
            options = replace(options, solver_budget=0, whole_traces=False, confirm=False)
        overlay, version = self._overlay(), document.version
        request = {"paths": [document.path], "options": plain(options), "overlay": overlay, "text_alone": text_alone}
        answer: Any = None
        try:
            answer = await worker.ask("check", request, wanted, document.uri)
        except WorkerDied:
            if wanted():
                self._said(f"nkilint: the analysis of {document.name} died; it is tried again with the next change")
        except Fault as fault:
            self._said(f"nkilint failed on {document.name}: {fault}; please report it with the file")
        if not wanted():
            return
        if answer is None:
            document.done = document.done if text_alone else document.turn
        else:
            report = absolute(restored(Report, answer["report"]), worker.folder)
            lines = split_lines(overlay.get(document.path, ""))
            document.take(Result(version, report, lines, frozenset(answer["read"]), complete), settled=not text_alone)
            self._changed(document)
        self._tell()

    def _tell(self) -> None:
        """Wake those who wait for a result."""
        self._news.set()
        self._news = asyncio.Event()

    def options(self, path: str) -> Options:
        options, problem = self.settings.options(path)
        self._misconfigured(path, problem)
        return options

    async def settled(self, uri: str) -> Document | None:
        """The document once there is a result for its newest text; None if it is closed before."""
        while True:
            document = self.documents.get(uri)
            if document is None or document.done == document.turn:
                return document
            await self._news.wait()

    async def reveal(self, uri: str, row: int, column: int) -> Any:
        """What the analysis knows of the expression at a place."""
        return await self._question(self.hasty, "reveal", uri, {"row": row, "column": column})

    async def fixed(self, uri: str) -> Any:
        """The text after its certain repairs; None if there are none."""
        return await self._question(self.thorough, "fix", uri, {})

    async def migrated(self, uri: str, before: str, kernel: str = "", target: str = "") -> Any:
        """The text for the newest version of NKI, or why there is none; `before` is the version that it is for. With
        the name of a kernel, that of a new file `target` which has this kernel alone."""
        more = {"before": before, "kernel": kernel, "target": target}
        return await self._question(self.thorough, "migrate", uri, more)

    async def shapes(self, uri: str, first: int, last: int) -> Any:
        """The tiles that are bound to names in these rows."""
        return await self._question(self.thorough, "shapes", uri, {"first": first, "last": last})

    async def _question(self, worker: Worker, task: str, uri: str, more: Mapping[str, Any]) -> Any:
        document = self.documents[uri]
        options = plain(self.options(document.path))
        request = {"path": document.path, "options": options, "overlay": self._overlay(), **more}
        try:
            return await worker.ask(task, request)
        except (Fault, WorkerDied):
            return None

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
