"""`nkilint serve`, spoken to over its standard input and output."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_api import GOOD, OPEN, WIDE
from tests.support.processes import PATIENCE, environment

Server = subprocess.Popen[str]


def started(folder: Path, *options: str) -> Server:
    command = [sys.executable, "-m", "nkilint", "serve", "--jobs", "2", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=folder, env=environment())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    process = started(tmp_path_factory.mktemp("served"))
    yield process
    process.kill()
    process.wait()


def asked(server: Server, *lines: str) -> list[dict[str, Any]]:
    """The answers to as many lines, by their ids."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("".join(f"{line}\n" for line in lines))
    server.stdin.flush()
    return sorted((json.loads(server.stdout.readline()) for _ in lines), key=lambda told: str(told["id"]))


def request(number: object, source: str, **more: object) -> str:
    return json.dumps({"id": number, "source": source, "dialect": "nki", **more})


def test_texts_are_checked(server: Server) -> None:
    wide, good, open_ = asked(server, request(1, WIDE), request(2, GOOD), request("c", OPEN))
    assert [wide["id"], good["id"], open_["id"]] == [1, 2, "c"]
    assert [wide["verdict"], good["verdict"], open_["verdict"]] == ["violated", "verified", "conditional"]
    (finding,) = wide["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("NKI101", 5, 12)
    assert finding["vendor"] == ["err_num_partition_exceed_arch_limit"]
    assert open_["kernels"][0]["contract"] == ["a.shape[0] == 128"]
    assert open_["findings"][0]["repair"]["edits"]


def test_what_comes_first_is_told_first(server: Server) -> None:
    asked(server, request("first", GOOD), request("second", WIDE))  # both processes have begun
    rows = [f"{n}:{n + 1}" for n in range(100)] * 4
    body = "".join(f"    nisa.dma_copy(dst=out[{row}, 0:64], src=tile[{row}, 0:64])\n" for row in rows)
    long = GOOD.replace("    nisa.dma_copy(dst=out, src=tile)\n", body)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(request("long", long) + "\n" + request("short", GOOD + "# again\n") + "\n")
    server.stdin.flush()
    told = [json.loads(server.stdout.readline())["id"] for _ in range(2)]
    assert told == ["short", "long"]


def test_the_other_tasks(server: Server) -> None:
    lines = [
        request(1, OPEN, task="fix", unsafe=True),
        request(2, GOOD, task="explain", kernel="kernel"),
        request(3, GOOD, task="simulate", inputs={"a": "float32[128, 64]"}),
        request(4, WIDE, confirm=True),
    ]
    fixed, explained, simulated, confirmed = asked(server, *lines)
    assert fixed["checked"]["verdict"] == "verified"
    assert explained["text"].startswith("text.py::kernel (line 2, nki): verified\n")
    assert simulated["outputs"][0]["shape"] == [128, 64]
    assert confirmed["findings"][0]["confirmation"] == "confirmed"


@pytest.mark.parametrize(
    ("line", "number", "problem"),
    [
        ("{nonsense", None, "the line is not JSON"),
        ("[" * 100_000, None, "the line is not JSON"),
        ("[]", None, "the line holds no JSON object"),
        ('{"id": 7}', 7, "`check` needs `source`"),
        ('{"id": 7, "source": 5}', 7, "`source` is no text"),
        ('{"id": [7], "source": "", "taget": "trn2"}', None, "did you mean `target`"),
        ('{"id": 8, "source": "", "task": "run"}', 8, "there is no task 'run'"),
        ('{"id": 8, "source": "", "target": "trn9"}', 8, "unknown target"),
        ('{"id": 8, "source": "", "confirm": 1}', 8, "`confirm` is 1 and no bool"),
        ('{"id": 8, "source": "", "task": "simulate"}', 8, "needs `inputs`"),
        ('{"id": 8, "source": "", "task": "explain", "kernel": "k"}', 8, "there is no kernel `k`"),
    ],
)
def test_what_makes_no_sense_is_told_and_ends_nothing(server: Server, line: str, number: object, problem: str) -> None:
    (told,) = asked(server, line)
    assert told["id"] == number
    assert told["error"]["kind"] == "bad-request"
    assert problem in told["error"]["message"]
    assert asked(server, request(0, GOOD))[0]["verdict"] == "verified"


def test_nothing_is_executed(server: Server, tmp_path: Path) -> None:
    trace = tmp_path / "executed"
    source = f"open({str(trace)!r}, 'w')\n{WIDE}\nkernel(open({str(trace)!r}, 'w'))\n"
    assert asked(server, request(1, source))[0]["verdict"] == "violated"
    assert asked(server, request(1, source, confirm=True))[0]["verdict"] == "violated"
    assert not trace.exists()


def test_defaults_come_from_the_command_line(tmp_path: Path) -> None:
    process = started(tmp_path, "--assume-imports", "nki", "--target", "trn1")
    told, _ = process.communicate(json.dumps({"id": 1, "source": WIDE}) + "\n", timeout=PATIENCE)
    answer = json.loads(told)
    assert answer["target"] == "trn1"
    assert "trn1 has 128" in answer["findings"][0]["message"]
    assert process.returncode == 0


def test_the_end_of_the_input_ends_it_after_the_last_answer(tmp_path: Path) -> None:
    process = started(tmp_path)
    told, errors = process.communicate(
        "\n".join(request(n, GOOD + f"# {n}\n") for n in range(6)) + "\n\n", timeout=PATIENCE
    )
    assert sorted(json.loads(line)["id"] for line in told.splitlines()) == list(range(6))
    assert (process.returncode, errors) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM to be caught")
def test_a_signal_ends_it_at_once(tmp_path: Path) -> None:
    process = started(tmp_path)
    (told,) = asked(process, request(1, GOOD))
    assert told["verdict"] == "verified"
    before = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE)
    assert time.monotonic() - before < 5
    assert (process.returncode, errors) == (128 + signal.SIGTERM, "")


@pytest.mark.parametrize("options", [["--target", "trn9"], ["--prelude", "missing.py"], ["--budget", "0"]])
def test_defaults_that_make_no_sense_are_refused(tmp_path: Path, options: list[str]) -> None:
    process = started(tmp_path, *options)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "NKI004" in errors
