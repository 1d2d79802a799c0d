"""What a person at a terminal sees and types: colours, links, widths, options, completion, comments that silence."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.cli import main
from nkilint.cli.arguments import COMMANDS
from nkilint.report.style import style_for
from tests.support.processes import environment

WIDE = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def wide(a):
    assert a.shape == (200, 64)
    out = nl.ndarray((200, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    tile_with_a_name_that_is_long = nl.ndarray((200, 64), dtype=a.dtype, buffer=nl.sbuf, name="a name that is long")
    nisa.dma_copy(dst=tile_with_a_name_that_is_long, src=a)
    nisa.dma_copy(dst=out, src=tile_with_a_name_that_is_long)
    return out
"""
ESCAPES = re.compile(r"\x1b\[[\d;]*m|\x1b\]8;;[^\x1b]*\x1b\\")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    Path("k.py").write_text(WIDE, encoding="utf-8")


def on_a_terminal(columns: int, *arguments: str) -> str:
    """What a terminal of that width is sent."""
    pty, fcntl, termios = (pytest.importorskip(name) for name in ("pty", "fcntl", "termios"))
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-m", "nkilint", "--no-confirm", *arguments, "k.py"]
    more = {**environment(), "TERM": "xterm"}
    process = subprocess.Popen(command, stdout=inner, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=more)
    os.close(inner)
    told = b""
    try:
        while data := os.read(outer, 65536):
            told += data
    except OSError:  # the other end is closed
        pass
    os.close(outer)
    process.wait()
    return told.decode()


def test_excerpts_keep_to_the_width_of_a_terminal(tmp_path: Path) -> None:
    told = on_a_terminal(60)
    plain = [ESCAPES.sub("", line) for line in told.splitlines()]
    excerpts = [line for line in plain if re.match(r" *\d* \|", line)]
    assert any("…" in line for line in excerpts)
    assert max(map(len, excerpts)) <= 60
    source = next(line for line in excerpts if line.startswith("10 |"))
    carets = excerpts[excerpts.index(source) + 1]
    assert source[carets.index("^") :].startswith("nl.ndarray((200, 64)")
    assert all("…" not in line for line in on_a_terminal(200).splitlines())


def test_places_are_links_on_a_terminal(tmp_path: Path) -> None:
    told = on_a_terminal(120)
    assert f"\x1b]8;;{(tmp_path / 'k.py').as_uri()}\x1b\\" in told
    assert "\x1b]8" not in on_a_terminal(120, "--color", "never")


@pytest.mark.parametrize(
    ("variables", "option", "coloured"),
    [
        ({}, "auto", False),
        ({"FORCE_COLOR": "1"}, "auto", True),
        ({"FORCE_COLOR": "0"}, "auto", False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", False),
        ({"NO_COLOR": "1"}, "always", True),
        ({"FORCE_COLOR": "1"}, "never", False),
    ],
)
def test_colours(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    option: str,
    coloured: bool,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    main(["k.py", "--no-confirm", "-f", "concise", "--color", option])
    assert ("\x1b[" in capsys.readouterr().out) is coloured
    assert not style_for(sys.stdout, option).links


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["k.py", "--outputformat", "json"], "did you mean `--output-format`?"),
        (["k.py", "--unsafe-fix-it"], "did you mean `--unsafe-fixes`?"),
        (["explain", "k.py", "--memry"], "did you mean `--memory`?"),
        (["k.py", "--quite-another"], "unrecognized arguments: --quite-another\n"),
    ],
)
def test_misspelt_options_are_guessed(capsys: pytest.CaptureFixture[str], arguments: list[str], told: str) -> None:
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


def test_short_options(capsys: pytest.CaptureFixture[str]) -> None:
    main(["k.py", "--no-confirm", "-f", "json", "-o", "out.json", "-s", "NKI1", "-i", "NKI2", "-t", "trn1", "-j", "1"])
    assert '"target": "trn1"' in Path("out.json").read_text(encoding="utf-8")


def test_bash_completes_commands_options_and_values(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    printed = subprocess.run(
        [sys.executable, "-m", "nkilint", "completion", "bash"], capture_output=True, text=True, env=environment()
    ).stdout
    (tmp_path / "done.bash").write_text(printed, encoding="utf-8")

    def completed(*words: str) -> set[str]:
        script = (
            f'. ./done.bash; COMP_WORDS=("$@"); COMP_CWORD={len(words)}; _nkilint; printf "%s\\n" "${{COMPREPLY[@]}}"'
        )
        run = subprocess.run([bash or "", "-c", script, "x", "nkilint", *words], capture_output=True, text=True)
        assert run.stderr == ""
        return set(run.stdout.split())

    assert completed("ex") == {"explain"}
    assert completed("--diff-o") == {"--diff-only"}
    assert completed("explain", "--mem") == {"--memory"}
    assert {"full", "json", "sarif"} <= completed("check", "--output-format", "")
    assert "k.py" in completed("check", "")
    assert set(COMMANDS) <= completed("")


@pytest.mark.parametrize(("shell", "said"), [("zsh", "#compdef nkilint\n"), ("fish", "complete -c nkilint")])
def test_other_shells(capsys: pytest.CaptureFixture[str], shell: str, said: str) -> None:
    assert main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(said)
    assert "output-format" in printed
    interpreter = shutil.which(shell)
    if interpreter is not None:
        assert subprocess.run([interpreter, "-n"], input=printed, text=True, capture_output=True).returncode == 0


def test_comments_silence_what_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["k.py", "--no-confirm", "--add-noqa"]) == 0
    assert "1 finding silenced in 1 file" in capsys.readouterr().err
    text = Path("k.py").read_text(encoding="utf-8")
    assert text.splitlines()[9].endswith("  # nkilint: ignore[NKI101]")
    assert main(["k.py", "--no-confirm", "--strict"]) == 0
    assert main(["-", "--add-noqa"]) == 2


def test_kernels_of_one_name_are_explained_apart(capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.py").write_text(WIDE.replace("200", "128"), encoding="utf-8")
    assert main(["explain", "."]) == 0
    good, wide = capsys.readouterr().out.split("\nk.py::wide")
    assert good.startswith("good.py::wide (line 7, nki): verified")
    assert "NKI101 tile [200, 64]" not in good
    assert "NKI101 tile [200, 64]" in wide


def test_an_explanation_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "k.py::wide", "-f", "json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert (kernel["verdict"], [d["code"] for d in kernel["diagnostics"]]) == ("violated", ["NKI101"])
    assert {"code": "NKI101", "row": 10, "verdict": "violated"}.items() <= max(
        kernel["proofs"], key=lambda p: p["verdict"] == "violated"
    ).items()


def test_what_git_ignores_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    for place in ("generated/a.py", "kept/generated.py", "kept/deep/b.py", "kept/deep/c.py"):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_text(WIDE, encoding="utf-8")
    Path(".gitignore").write_text("/generated/\n*.py\n!k.py\n!kept/**\n", encoding="utf-8")
    Path("kept/deep/.gitignore").write_text("c.py\n", encoding="utf-8")

    def checked(*paths: str) -> set[str]:
        main([*paths, "--no-confirm", "-f", "concise", "-s", "NKI101"])
        return {line.partition(":")[0] for line in capsys.readouterr().out.splitlines()}

    everything = {"k.py", "generated/a.py", "kept/generated.py", "kept/deep/b.py", "kept/deep/c.py"}
    assert checked(".") == everything  # it is no repository
    Path(".git").mkdir()
    assert checked(".") == {"k.py", "kept/generated.py", "kept/deep/b.py"}
    assert checked("kept/deep") == {"kept/deep/b.py"}
    assert checked("generated/a.py") == {"generated/a.py"}  # it was asked for
