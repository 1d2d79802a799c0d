"""Files are found in a fixed order, and what cannot be read is one clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.source import (
    SIZE_LIMIT,
    Overlay,
    SourceError,
    decode,
    may_define_kernels,
    mentions_nki,
    python_files,
    read_bytes,
)

from ..support.folders import empty_files


def found(paths: list[str], overlay: Overlay | None = None) -> list[str]:
    files, failures = python_files(paths, overlay or Overlay())
    assert not failures
    return files


def test_folders_are_walked_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    empty_files(
        tmp_path, "b.py", "a/z.py", "a/b.py", "a.py", "a/notes.txt", ".hidden/c.py", "build/d.py", "node_modules/e.py"
    )
    empty_files(tmp_path, "env/pyvenv.cfg", "env/lib/f.py", "a/__pycache__/g.py")
    assert found(["."]) == [str(Path(p)) for p in ("a/b.py", "a/z.py", "a.py", "b.py")]
    assert found(["a", "a/b.py", "b.py"]) == [str(Path(p)) for p in ("a/b.py", "a/z.py", "b.py")]
    assert found(["build", ".hidden/c.py"]) == [str(Path(p)) for p in ("build/d.py", ".hidden/c.py")]


def test_a_file_named_needs_no_extension(tmp_path: Path) -> None:
    empty_files(tmp_path, "script")
    assert found([str(tmp_path / "script")]) == [str(tmp_path / "script")]


def test_unsaved_files_are_found_too(tmp_path: Path) -> None:
    empty_files(tmp_path, "a.py")
    unsaved = str(tmp_path / "new.py")
    overlay = Overlay({unsaved: b"x = 1", str(tmp_path / ".git" / "b.py"): b"", "-": b"y"})
    assert found([str(tmp_path)], overlay) == [str(tmp_path / "a.py"), unsaved]
    assert read_bytes(unsaved, overlay) == b"x = 1"
    assert found(["-"], overlay) == ["-"]
    assert read_bytes("-", overlay) == b"y"


def test_missing_paths_are_failures(tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere.py")
    files, failures = python_files([missing], Overlay())
    assert not files
    assert str(failures[0]) == f"{missing}:1:1: NKI001 no such file or folder"
    assert failures[0].help == ""
    (failure,) = python_files([f"{missing}::k"], Overlay())[1]
    assert failure.help == f"check `{missing}`; a single kernel is for `nkilint explain`"
    with pytest.raises(SourceError, match="cannot read the file: no such file"):
        read_bytes(missing, Overlay())
    with pytest.raises(SourceError, match="cannot read the file: is a directory"):
        read_bytes(str(tmp_path), Overlay())


def test_large_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.py"
    path.write_bytes(b"#" * (SIZE_LIMIT + 1))
    with pytest.raises(SourceError, match="larger than 5 MB"):
        read_bytes(str(path), Overlay())
    with pytest.raises(SourceError, match="larger than 5 MB"):
        read_bytes("x.py", Overlay({"x.py": b"#" * (SIZE_LIMIT + 1)}))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("é = '🙂'\n".encode(), "é = '🙂'\n"),
        (b"\xef\xbb\xbfx\r\n", "x\r\n"),
        ("# -*- coding: latin-1 -*-\né".encode("latin-1"), "# -*- coding: latin-1 -*-\né"),
        (b"\xef\xbb\xbf# coding: utf-8\nx", "# coding: utf-8\nx"),
        (b"", ""),
    ],
)
def test_encodings(data: bytes, text: str) -> None:
    assert decode(data, "f.py") == text


@pytest.mark.parametrize(
    ("data", "row", "column", "message"),
    [
        (b"x = 1\ny = '\xe9'\n", 2, 6, "byte 0xe9 is not valid utf-8"),
        (b"# coding: klingon\n", 1, 1, "unknown encoding: klingon"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, 1, "encoding problem: utf-8"),
        (b"x = 1\ny\x00 = 2\n", 2, 2, "the file holds a null byte"),
        (b"\xff\xfex\x00", 1, 1, "byte 0xff is not valid utf-8"),
    ],
)
def test_what_is_no_text(data: bytes, row: int, column: int, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        decode(data, "f.py")
    error = caught.value
    assert (error.path, error.row, error.column, error.message) == ("f.py", row, column, message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import neuronxcc.nki as nki", True),
        ("    from neuronxcc import nki", True),
        ("from neuronxcc import (\n    nki,\n)", True),
        ("from torch_neuronx import nki_jit", True),
        ("from common import *\n@nki.jit\ndef k(): pass", True),
        ("# uses nki\nimport numpy", False),
        ("x = 'nki'", False),
        ("import numpy", False),
    ],
)
def test_only_imports_and_decorators_make_a_target(text: str, expected: bool) -> None:
    data = text.encode()
    assert may_define_kernels(data) is expected
    assert mentions_nki(data) is (b"nki" in data)
