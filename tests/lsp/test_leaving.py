"""The server ends when it is told to, and answers what makes no sense."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.lsp_client import Editor
from tests.support.processes import alive, below, wait

BUSY = "import nki\nimport nki.language as nl\n\n\n@nki.jit\ndef k(x):\n" + "\n".join(
    f"    for a{n} in range({n + 30}):\n        y = nl.ndarray((a{n} + 1, 4), dtype=x.dtype, buffer=nl.sbuf)"
    for n in range(60)
)


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    """One with work pending."""
    made = Editor(tmp_path)
    made.open("k.py", BUSY + "\n")
    yield made
    made.process.kill()
    made.process.wait()
    for stream in (made.process.stdin, made.process.stdout, made.process.stderr):
        assert stream is not None
        stream.close()


def ended(editor: Editor, *codes: int) -> None:
    """It ends at once, with all that it started, and says nothing."""
    started = below(editor.process.pid)
    assert editor.process.wait(10) in codes
    assert editor.process.stderr is not None
    assert editor.process.stderr.read() == b""
    if sys.platform == "linux":
        assert wait(lambda: not any(map(alive, started)), 5)


def test_shutdown_and_exit_with_work_pending(editor: Editor) -> None:
    editor.request("shutdown", None)
    editor.notify("exit", None)
    ended(editor, 0)


def test_exit_without_shutdown(editor: Editor) -> None:
    editor.notify("exit", None)
    ended(editor, 1)


def test_end_of_input(editor: Editor) -> None:
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    ended(editor, 0)


@pytest.mark.skipif(os.name == "nt", reason="sends signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_signals(editor: Editor, name: str) -> None:
    number = getattr(signal, name)
    started = below(editor.process.pid) if sys.platform == "linux" else set()
    editor.process.send_signal(number)
    assert editor.process.wait(10) in (128 + number, -number)
    assert not started or wait(lambda: not any(map(alive, started)), 5)


@pytest.mark.skipif(os.name == "nt", reason="looks for a process by its number")
def test_end_of_the_client(tmp_path: Path) -> None:
    """A client that is gone and left the connection open."""
    client = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    server = subprocess.Popen(
        [sys.executable, "-m", "nkilint", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path
    )
    params = {"processId": client.pid, "rootUri": None, "capabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"Content-Length")
    client.kill()
    client.wait()
    assert server.wait(10) == 1
    server.stdin.close()
    server.stdout.close()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {"textDocument": 3, "position": "x"}),
        ("textDocument/codeAction", {}),
        ("textDocument/codeLens", {"textDocument": {}}),
        ("workspace/executeCommand", {"command": {"a": 1}}),
        ("textDocument/hover", []),
    ],
)
def test_invalid_parameters_are_answered(tmp_path: Path, method: str, params: object) -> None:
    with Editor(tmp_path) as editor:
        number = editor.ask(method, params)
        with pytest.raises(AssertionError, match="code"):
            editor.answer(number)


def test_messages_are_lines_that_nobody_waits_for(tmp_path: Path) -> None:
    """What makes no sense is told on a line; a client that reads none of them is served all the same."""
    with Editor(tmp_path) as editor:
        assert editor.process.stdin is not None
        for _ in range(2500):  # more than fit into a pipe
            editor.process.stdin.write(b"Content-Length: 8\r\n\r\n{broken}")
        editor.process.stdin.flush()
        editor.open("k.py", "import nki\nimport nki.language as nl\n\n\n@nki.jit\ndef k(x):\n    return undefined\n")
        editor.wait("textDocument/publishDiagnostics", lambda params: params["diagnostics"])
        assert editor.process.stderr is not None
        line = editor.process.stderr.readline().decode()
        assert line.startswith("nkilint lsp: Unable to handle message: JSONDecodeError in ")
