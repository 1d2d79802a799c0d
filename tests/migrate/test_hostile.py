"""What a migration does with files that are not as they should be: one message, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.base import whole
from nkilint.base.options import Options
from nkilint.cli import main
from nkilint.fixes.mending import write
from nkilint.migrate.outcomes import Migration, migrate

from ..support.processes import environment

IMPORTS = "import neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\n"
BODY = """\
out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
i = nl.arange(128)[:, None]
j = nl.arange(256)[None, :]
nl.store(out[i, j], nl.load(x[i, j]))
return out
"""
NEW_BODY = """\
out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
nl.store(out[0:128, 0:256], nl.load(x[0:128, 0:256]))
return out
"""


def indented(text: str, by: int) -> str:
    return "".join(" " * by + line for line in text.splitlines(keepends=True))


COPY = f"{IMPORTS}\n\n@nki.jit\ndef copy(x):\n{indented(BODY, 4)}"
NEW_IMPORTS = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n"
NEW = f"{NEW_IMPORTS}\n\n@nki.jit\ndef copy(x):\n{indented(NEW_BODY, 4)}"


def migrated(file: Path, text: str | bytes) -> Migration:
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return migrate([file], Options(), "B1", "0.6", verified=False)


def test_a_kernel_that_a_function_makes(tmp_path: Path) -> None:
    head = "\n\ndef make():\n    @nki.jit\n    def kernel(x):\n"
    tail = "\n    return kernel\n\n\nKERNEL = make()\n"
    result = migrated(tmp_path / "k.py", f"{IMPORTS}{head}{indented(BODY, 8)}{tail}")
    assert result.files[0].after.decode() == f"{NEW_IMPORTS}{head}{indented(NEW_BODY, 8)}{tail}"
    assert [k.kernel for k in result.kernels] == ["make.kernel"]
    assert not [n for f in result.files for n in f.notes]


def test_a_half_migrated_file_is_migrated_to_its_end(tmp_path: Path) -> None:
    half = COPY.replace("import neuronxcc.nki as nki", "import nki").replace("neuronxcc.nki.isa", "nki.isa")
    assert migrated(tmp_path / "k.py", half).files[0].after.decode() == NEW


def in_class(text: str) -> str:
    head, _, kernel = text.partition("@nki.jit\n")
    return f"{head}class Kernels:\n    @staticmethod\n{indented('@nki.jit' + chr(10) + kernel, 4)}"


TRIED = "try:\n{}except ImportError:\n{}"
BARE = ("nl.", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (COPY.replace("    ", "\t"), NEW.replace("    ", "\t")),
        (COPY.rstrip("\n"), NEW.rstrip("\n")),
        (
            COPY.replace(IMPORTS, TRIED.format(indented(IMPORTS, 4), indented(NEW_IMPORTS, 4))),
            NEW.replace(NEW_IMPORTS, TRIED.format(*[indented(NEW_IMPORTS, 4)] * 2)),
        ),
        (
            COPY.replace(*BARE).replace("import neuronxcc.nki.language as nl", "from neuronxcc.nki.language import *"),
            NEW.replace(*BARE).replace("import nki.language as nl", "from nki.language import *"),
        ),
        (in_class(COPY), in_class(NEW)),
    ],
    ids=["tabs", "no end of line", "tried imports", "all names", "class"],
)
def test_files_of_other_forms(old: str, new: str, tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", old)
    assert result.files[0].after.decode() == new
    assert result.complete
    assert migrated(tmp_path / "k.py", new).files[0].after.decode() == new


def test_code_in_texts_is_told_of_and_stays(tmp_path: Path) -> None:
    text = f'{IMPORTS}\nTEXT = """\nimport neuronxcc.nki as nki\n"""\nexec(TEXT)\n'
    result = migrated(tmp_path / "k.py", text)
    after = result.files[0].after.decode()
    assert 'TEXT = """\nimport neuronxcc.nki as nki\n"""\nexec(TEXT)\n' in after
    assert [(n.row, n.text) for n in result.files[0].notes] == [
        (5, "a text with code for `neuronxcc` in it: migrate that by hand")
    ]
    assert not result.complete


@pytest.mark.parametrize("runs", ["exec(TEXT)", "eval(compile(TEXT, 'made', 'exec'))", ""])
def test_texts_that_call_the_old_namespace_by_names_of_the_file(runs: str, tmp_path: Path) -> None:
    code = "out = nl.zeros((128, 1), nl.float32)\n"
    result = migrated(tmp_path / "k.py", f'{COPY}\n\nTEXT = """\\\n{code}"""\nOTHER = "print(1)"\n{runs}\n')
    assert code in result.files[0].after.decode()
    why = ["a text with code for `neuronxcc` in it: migrate that by hand"] if runs else []
    assert [n.text for n in result.files[0].notes] == why


AROUND = "{}\n\n@nki.jit\ndef copy(x):\n" + indented(BODY.replace("i = nl.arange(128)[:, None]\n", ""), 4)
NEW_AROUND = "\n\n@nki.jit\ndef copy(x):\n" + indented(NEW_BODY, 4)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"{IMPORTS}\ni = nl.arange(128)[:, None]\nN = 3\n{AROUND.format('')}", f"{NEW_IMPORTS}\nN = 3\n{NEW_AROUND}"),
        (
            f"{IMPORTS}\n\ndef make():\n    i = 0 + nl.arange(128)[:, None]\n"
            f"{indented(AROUND.format(''), 4)}    return copy\n\n\nKERNEL = make()\n",
            f"{NEW_IMPORTS}\n\ndef make():\n{indented(NEW_AROUND, 4)}    return copy\n\n\nKERNEL = make()\n",
        ),
    ],
    ids=["module", "factory"],
)
def test_index_grids_around_kernels_go(old: str, new: str, tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", old)
    assert result.files[0].after.decode().replace(" ", "") == new.replace(" ", "")
    assert result.complete


@pytest.mark.parametrize(
    ("more", "other"),
    [
        ("\n\ndef rows():\n    return i.shape[0]\n", ""),
        ("\n__all__ = ['copy', 'i']\n", ""),
        ("", "from k import i\n"),
        ("\n\ndef again():\n    global i\n    i = None\n", ""),
    ],
    ids=["read", "named", "another file", "made anew"],
)
def test_index_grids_around_kernels_that_something_may_read_are_told_of(more: str, other: str, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(other)
    (tmp_path / "k.py").write_text(f"{IMPORTS}\ni = nl.arange(128)[:, None]\n{AROUND.format('')}{more}")
    result = migrate([tmp_path], Options(), "B1", "0.6", verified=False)
    notes = [n.text for f in result.files for n in f.notes]
    assert notes == ["what reads `i = nl.arange(128)[:, None]` is not known"]


@pytest.mark.parametrize(
    "line", ['OPS = {"sum": nl.loop_reduce, "exp": nl.exp}', "CAST = nl.static_cast", "class C:\n    f = nl.all_reduce"]
)
def test_what_hands_on_an_operation_that_is_gone_is_told_of(line: str, tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", f"{COPY}\n\n{line}\n")
    assert line in result.files[0].after.decode()
    (note,) = result.files[0].notes
    assert note.text.endswith("` is not there any more")
    assert not result.complete


def test_a_notebook_is_named_and_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.ipynb"
    file.write_text('{"cells": [{"cell_type": "code", "source": ["import neuronxcc.nki"]}], "nbformat": 4}')
    before = file.read_bytes()
    assert main(["migrate", str(tmp_path), "--to", "0.6", "--in-place", "--no-verify", "--no-config"]) == 2
    told = capsys.readouterr().out
    assert "k.ipynb: not migrated: a notebook: export its cells as a Python file, and migrate that\n" in told
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"import neuronxcc.nki as nki\n\xff\xfe\n", "byte 0xff is not valid utf-8"),
        (b"# coding: klingon\nimport neuronxcc.nki as nki\n", "klingon"),
        (b"import neuronxcc.nki as nki\n\tdef (", "unexpected indent"),
        (b"import neuronxcc.nki as nki\nx = " + b"(" * 300, "line 2: "),
        (b"import neuronxcc.nki as nki\nx = '\x00'\n", "null byte"),
    ],
    ids=["bytes", "encoding", "indent", "depth", "null"],
)
def test_files_that_cannot_be_read_have_one_message(
    data: bytes, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.py"
    file.write_bytes(data)
    assert main(["migrate", str(file), "--to", "0.6", "--in-place", "--no-verify", "--no-config"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert why in lines[0]
    assert file.read_bytes() == data


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "marked"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_line_ends_and_marks_stay(mark: bytes, end: str, tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", mark + COPY.replace("\n", end).encode())
    assert result.files[0].after == mark + NEW.replace("\n", end).encode()


def test_a_run_that_is_interrupted_leaves_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(COPY)
    plain, done = whole.write, []

    def stopped(place: str, data: bytes, **more: int) -> None:
        if done:
            raise KeyboardInterrupt
        done.append(place)
        plain(place, data, **more)

    monkeypatch.setattr(whole, "write", stopped)
    assert main(["migrate", str(tmp_path), "--to", "0.6", "--in-place", "--no-verify", "--no-config"]) != 0
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py"]
    assert sorted((tmp_path / name).read_text() for name in ("a.py", "b.py")) == sorted([COPY, NEW])


def test_statements_that_share_a_line_leave_nothing_behind(tmp_path: Path) -> None:
    text = COPY.replace("    i = nl", "    k = nl.arange(128)[:, None]; m = nl.arange(256)[None, :]\n    i = nl")
    text = text.replace("    nl.store(out[i, j]", "    n = nl.arange(128)[:, None]; nl.store(out[n, j]")
    assert migrated(tmp_path / "k.py", text).files[0].after.decode() == NEW


def test_a_file_with_two_names_is_written_once(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(COPY)
    (tmp_path / "link.py").symlink_to("k.py")
    assert write(migrate([tmp_path], Options(), "B1", "0.6", verified=False).mended()) == {}
    assert file.read_text() == NEW
    assert (tmp_path / "link.py").is_symlink()


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf" + COPY.encode(), f"# coding: latin-1\n# caf\xe9\n{COPY}".encode("latin-1")]
)
def test_marked_files_are_compared_in_their_own_encoding(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_bytes(data)
    (kernel,) = migrate([tmp_path], Options(), "B1", "0.6").kernels
    assert (kernel.state, kernel.problems) == ("migrated", ())


def test_a_kernel_of_both_namespaces_says_what_does_not_fit(tmp_path: Path) -> None:
    half = COPY.replace("neuronxcc.nki.isa", "nki.isa").replace("nl.load(x[i, j])", "nisa.reciprocal(nl.load(x[i, j]))")
    (tmp_path / "k.py").write_text(half)
    (kernel,) = migrate([tmp_path], Options(), "B1", "0.6").kernels
    assert kernel.state == "unverified"
    assert all(text.startswith("NKI809 `reciprocal`") for text in kernel.skipped)


def test_modules_of_the_compiler_that_no_page_names_are_left(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(
        "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\nimport neuronxcc.nki.nccl as nccl\n"
        "\n\n@nki.jit\ndef reduced(x):\n"
        "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    nccl.all_reduce(x, out)\n    return out\n"
    )
    done = migrate([file], Options(), "B1", "0.6")
    assert [n.text.partition(" is private")[0] for n in done.files[0].notes] == ["`neuronxcc.nki.nccl`", "`all_reduce`"]
    assert "nki.nccl" not in done.files[0].after.decode().replace("neuronxcc.nki.nccl", "")
    assert [k.state for k in done.kernels] == ["left"]


def test_line_ends_of_two_kinds_stay_where_they_are(tmp_path: Path) -> None:
    head, last = COPY.split("    return out\n")[0], "    return out\r\n"
    after = migrated(tmp_path / "k.py", (head + last).encode()).files[0].after
    assert after == (NEW.split("    return out\n")[0] + last).encode()


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes among files")
def test_what_is_no_file_is_named_and_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.py").write_text(COPY)
    (tmp_path / "dangling.py").symlink_to("nowhere.py")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    assert main(["migrate", str(tmp_path), "--to", "0.6", "--in-place", "--no-verify", "--no-config"]) == 2
    told = [line for line in capsys.readouterr().out.splitlines() if "not migrated" in line]
    assert [line.rpartition("/")[2].partition(":")[0] for line in told] == ["dangling.py", "pipe.py"]
    assert (tmp_path / "k.py").read_text() == NEW


def test_a_script_stays_one(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(f"#!/usr/bin/env python\n{COPY}")
    file.chmod(0o751)
    assert write(migrate([file], Options(), "B1", "0.6", verified=False).mended()) == {}
    assert file.read_text() == f"#!/usr/bin/env python\n{NEW}"
    assert file.stat().st_mode & 0o777 == 0o751


def test_a_read_only_file_is_named_and_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("k.py", "other.py"):
        (tmp_path / name).write_text(COPY)
    (tmp_path / "k.py").chmod(0o444)
    assert main(["migrate", str(tmp_path), "--to", "0.6", "--in-place", "--no-verify", "--no-config"]) == 2
    why, summary = capsys.readouterr().err.splitlines()
    assert why.rpartition("/")[2] == "k.py: cannot be written: it is read-only"
    assert summary == "2 kernels: 2 unverified; 1 file changed"
    assert (tmp_path / "k.py").read_text() == COPY
    assert (tmp_path / "other.py").read_text() == NEW


STOPPED = """\
import os, signal, sys
from nkilint.cli import main
from nkilint.base import whole

plain, folder, number = whole.write, sys.argv[1], int(sys.argv[2])


def stopped(*args, **kwargs):
    plain(*args, **kwargs)
    if args[0].endswith("a.py"):
        os.kill(os.getpid(), number)


whole.write = stopped
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(["migrate", folder, "--to", "0.6", "--in-place", "--no-verify", "--no-config"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_files_are_written_together_though_it_is_told_to_stop(tmp_path: Path, number: signal.Signals) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(COPY)
    command = [sys.executable, "-c", STOPPED, str(tmp_path), str(int(number))]
    done = subprocess.run(command, env=environment(), check=False, capture_output=True)
    assert done.returncode == 128 + number, done.stderr
    assert [f.read_text() for f in sorted(tmp_path.glob("*.py"))] == [NEW] * 3


def test_a_module_that_a_text_names_is_told_of(tmp_path: Path) -> None:
    text = COPY.replace(IMPORTS, 'import importlib\n\nnki = importlib.import_module("neuronxcc.nki")\n')
    result = migrated(tmp_path / "k.py", text)
    assert [(n.row, n.text) for n in result.files[0].notes] == [
        (3, "`neuronxcc.nki` is named in a text: import it by a statement, and migrate again")
    ]
    assert not result.complete


def test_what_a_kernel_of_nki_does_to_tiles_is_left_alone(tmp_path: Path) -> None:
    text = NEW.replace("nl.load(x[0:128, 0:256])", "nl.load(x[0:128, 0:256]) + 1.0")
    assert text != NEW
    result = migrated(tmp_path / "k.py", text)
    assert result.files[0].after.decode() == text
    assert not result.kernels


def test_a_lambda_leaves_the_kernel_that_calls_it(tmp_path: Path) -> None:
    head = f"{IMPORTS}\ntwice = lambda t: nisa.tensor_scalar(t, nl.multiply, 2.0)\n"
    text = COPY.replace(IMPORTS, head).replace("nl.load(x[i, j])", "twice(nl.load(x[i, j]))")
    result = migrated(tmp_path / "k.py", text)
    why = "`tensor_scalar` stands in a lambda, where no tile can be made for it: write a function"
    assert [n.text for n in result.files[0].notes] == [why]
    assert [k.state for k in result.kernels] == ["left"]
