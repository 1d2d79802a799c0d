"""Edits five documents in the editor at random, and compares what is published at the end with the command line.

python benchmarks/soak.py [--edits 2000] [--kills 5] [--seed 0]

Requests are in flight meanwhile, some for places that are not there; among the edits are messages that make no sense
and frames that hold no JSON; and processes of the server are killed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.lsp_client import Editor  # noqa: E402
from tests.support.processes import below, environment  # noqa: E402

DOCUMENTS = (
    "limits_nki.py",
    "limits_neuronxcc.py",
    "indexing_neuronxcc.py",
    "operands_nki.py",
    "dataflow_neuronxcc.py",
)
REQUESTS = ("textDocument/hover", "textDocument/codeLens", "textDocument/inlayHint", "textDocument/codeAction")
NONSENSE: tuple[tuple[str, Any], ...] = (
    ("textDocument/didChange", {"textDocument": 5}),
    ("textDocument/didChange", None),
    ("textDocument/didSave", {"textDocument": {"uri": "file:///not/there.py"}}),
    ("nkilint/nothing", {"a": [1]}),
    ("$/cancelRequest", {"id": 999_999}),
)
PIECES = ("128", "129", "512", "(", ")", "\n", "    ", "x", "nl.", "# noqa", "'", "\N{GRINNING FACE}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name, Editor(Path(name), options={"confirm": False}) as editor:
        texts = {n: (ROOT / "examples" / "findings" / n).read_text(encoding="utf-8") for n in DOCUMENTS}
        uris = {n: editor.open(n, text) for n, text in texts.items()}
        began = time.monotonic()
        soak(editor, dict(texts), uris, arguments.edits, arguments.kills, chance)
        wrong = 0
        for n, text in texts.items():
            version = arguments.edits + 2
            editor.change(uris[n], version, text + "\n")
            (Path(name) / n).write_text(text + "\n", encoding="utf-8")
            editor.save(uris[n])
            expected = of_command_line(Path(name), n)
            try:
                editor.diagnostics(uris[n], lambda items, e=expected: placed(items) == e, version=version)
            except Exception as missing:
                print(f"{n}: {type(missing).__name__}: the diagnostics are not those of the command line")
                wrong += 1
        print(f"{arguments.edits} edits in {time.monotonic() - began:.0f} s; {wrong} of {len(texts)} documents differ")
    return int(wrong > 0)


def soak(
    editor: Editor, texts: dict[str, str], uris: dict[str, str], edits: int, kills: int, chance: random.Random
) -> None:
    """Edit, ask, send nonsense, and kill processes of the server."""
    for number in range(edits):
        name = chance.choice(DOCUMENTS)
        text = texts[name]
        at = chance.randrange(len(text) + 1)
        texts[name] = text[:at] + chance.choice(PIECES) + text[at + chance.choice((0, 0, 1, 3)) :]
        editor.change(uris[name], number + 2, texts[name])
        if chance.random() < 0.2:
            place = {"line": chance.randrange(200), "character": chance.randrange(200)}
            extent = {"start": place, "end": place}
            document = {"uri": uris[name]}
            asked = {"textDocument": document, "position": place, "range": extent, "context": {"diagnostics": []}}
            editor.ask(chance.choice(REQUESTS), asked)
        if chance.random() < 0.05:
            editor.notify(*chance.choice(NONSENSE))
            broken = chance.choice((b"{broken}", b"\xff\xfe", b"[[[[", b"null"))
            assert editor.process.stdin is not None
            editor.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(broken) + broken)
            editor.process.stdin.flush()
        if kills and number % max(1, edits // kills) == edits // kills // 2:
            for process in chance.sample(sorted(below(editor.process.pid)), k=min(1, len(below(editor.process.pid)))):
                os.kill(process, signal.SIGKILL)
        time.sleep(chance.uniform(0, 0.02))
        if chance.random() < 0.02:
            texts[name] = (ROOT / "examples" / "findings" / name).read_text(encoding="utf-8")


def of_command_line(folder: Path, name: str) -> list[tuple[int, int, str]]:
    """Row, column and code of what `nkilint` finds."""
    command = [sys.executable, "-m", "nkilint", "--no-cache", "--no-confirm", "--output-format", "json", name]
    ran = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    found = json.loads(ran.stdout)["diagnostics"]
    return sorted((d["location"]["row"], d["location"]["column"], d["code"]) for d in found)


def placed(items: list[Any]) -> list[tuple[int, int, str]]:
    starts = ((d["range"]["start"], d["code"]) for d in items)
    return sorted((start["line"] + 1, start["character"] + 1, code) for start, code in starts)


if __name__ == "__main__":
    sys.exit(main())
