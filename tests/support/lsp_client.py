"""An editor as far as the server can tell: starts it as a process, talks to it, and waits for what it says."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from .processes import environment

PATIENCE = 600.0  # seconds after which a server hangs: no machine is that busy
PUBLISH = "textDocument/publishDiagnostics"


class Editor:
    """A client of `nkilint lsp`; `capabilities` are what it says it can do."""

    def __init__(self, folder: Path, capabilities: dict[str, Any] | None = None, options: Any = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nkilint", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment(),
        )
        self.folder = folder
        self.heard: list[dict[str, Any]] = []  # notifications and requests of the server that nobody waited for yet
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        self.capabilities = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder.as_uri(),
                "capabilities": capabilities or {},
                "workspaceFolders": [{"uri": folder.as_uri(), "name": "w"}],
                "initializationOptions": options,
            },
        )["capabilities"]
        self.notify("initialized", {})

    def __enter__(self) -> Editor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.request("shutdown", None)
            self.notify("exit", None)
        self.process.wait(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    # --- messages ---

    def _listen(self) -> None:
        assert self.process.stdout is not None
        stream = self.process.stdout
        while line := stream.readline():
            length = 0
            while line.strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                line = stream.readline()
            self._messages.put(json.loads(stream.read(length)))
        self._messages.put(None)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        message = self._messages.get(timeout=PATIENCE)
        if message is None:
            assert self.process.stderr is not None
            raise AssertionError("the server is gone: " + self.process.stderr.read().decode())
        if "method" in message and "id" in message:
            self._send({"id": message["id"], "result": None})
        return message

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        """Send a request; `answer` gives what comes back."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int) -> Any:
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]
            self.heard.append(message)

    def request(self, method: str, params: Any) -> Any:
        return self.answer(self.ask(method, params))

    def wait(self, method: str, fits: Callable[[Any], bool] = lambda params: True) -> Any:
        """The next message of the server with this method whose parameters fit."""
        pending = self.heard
        self.heard = []
        while True:
            message = pending.pop(0) if pending else self._receive()
            if message.get("method") == method and fits(message.get("params")):
                self.heard = pending
                return message.get("params")

    # --- documents ---

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, *, save: bool = True) -> str:
        if save:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        document = {"uri": self.uri(name), "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return self.uri(name)

    def change(self, uri: str, version: int, text: str) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def save(self, uri: str) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri: str, fits: Callable[[list[Any]], bool], version: int | None = None) -> list[Any]:
        """The next diagnostics published for a file that fit, for one version of it if one is given."""

        def right(params: Any) -> bool:
            return params["uri"] == uri and version in (None, params.get("version")) and fits(params["diagnostics"])

        found: list[Any] = self.wait(PUBLISH, right)["diagnostics"]
        return found

    def codes(self, uri: str, *codes: str, version: int | None = None) -> list[Any]:
        """The next diagnostics published for a file that have exactly these codes."""
        return self.diagnostics(uri, lambda items: sorted(d["code"] for d in items) == sorted(codes), version)
