"""Repairs: what they change, what stays as it is, and which are not made because they would not do."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.ir import Span
from nkilint.base.options import Options
from nkilint.cli import main
from nkilint.fixes.edits import Edit
from nkilint.fixes.mending import Mended, _rows, mend, write
from nkilint.run.fresh import repeated
from nkilint_rules.rule import Severity

HEAD = """\
import math
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl


@nki.jit
"""
TODAY = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n@nki.jit\n"
MASKS = """\
def masks(x):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nl.load(x[i, j], mask=i < rows and 0 <= j < columns)
    nl.store(output[i, j], value=tile, mask=(i < rows) & (j < columns))
    return output
"""
GRID = """\
def grid(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i = nl.arange(128)
    tile = nl.load(x[i, nl.arange(512)[None, :]])  # 🙂
    nl.store(output[0:128, 0:512], value=tile)
    return output
"""
RUNNING = """\
def running(x):
    assert x.shape == (128, 4)
    output = nl.ndarray((128, 5), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 5), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.load(x)
    for i in nl.affine_range(4):
        sums[0:128, i + 1 : i + 2] = nl.add(sums[0:128, i : i + 1], tile[0:128, i : i + 1])
    nl.store(output, value=sums)
    return output
"""
FLOOR = """\
def floor(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:columns]
    for m in nl.affine_range(rows // 128):
        row = m * 128 + i
        tile = nl.load(x[row, j], mask=j < columns)
        nl.store(output[m * 128 + i, j], value=tile)
    return output
"""
FEW = """\
def few(x):
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    for i in nl.affine_range(8):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(8):
        nl.store(output[i], value=tiles[i])
    return output
"""
REBOUND = """\
def rebound(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        total = total + nl.load(x[nl.ds(i * 128, 128), 0:512])
    nl.store(output, value=total)
    return output
"""
LATE = """\
def late(x, fast=True):
    assert x.shape == (512, 512)
    for i in nl.affine_range(4):
        # four tiles
        output = nl.ndarray(
            x.shape, dtype=x.dtype,  # as the input
            buffer=nl.shared_hbm)
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
    return output
"""
HOISTED = """\
def late(x, fast=True):
    assert x.shape == (512, 512)
    output = nl.ndarray(
        x.shape, dtype=x.dtype,  # as the input
        buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        # four tiles
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
    return output
"""
BETWEEN = """\
def between(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        copied = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(copied, value=nl.load(x[nl.ds(i * 128, 128), 0:512]))
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.load(copied))
    return output
"""
REFUSED = HEAD + FLOOR + "\n\nif __name__ == '__main__':\n    import numpy\n    floor(numpy.zeros((300, 512)))\n"
NEAR = """\
def near(x):
    START = 1024
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    b = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024))
    a[...] = nl.load(x)
    b[...] = nl.load(x)
    nl.store(output, value=a)
    return output
"""
CLOSE = """\
def close(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))
    b = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 1024))
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=x)
    nisa.dma_copy(dst=output, src=a)
    return output
"""
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nkilint.cli.progress.PAUSE_ELSEWHERE", 3600.0)
    return tmp_path


def fixed(source: str, *options: str) -> str:
    """`source` after `--fix`."""
    Path("k.py").write_text(source, encoding="utf-8")
    main(["--fix", "--jobs", "1", *options, "k.py"])
    return Path("k.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kernel", "options", "old", "new"),
    [
        (MASKS, [], "i < rows and 0 <= j < columns", "(i < rows) & (0 <= j) & (j < columns)"),
        (GRID, [], "x[i, nl.arange(512)[None, :]]", "x[i[:, None], nl.arange(512)[None, :]]"),
        (RUNNING, [], "affine_range", "sequential_range"),
        (FLOOR, [], "rows, columns = x.shape\n", "rows, columns = x.shape\n    assert rows % 128 == 0\n"),
        (NEAR, [], "base_addr=1024", "base_addr=2048"),
        (NEAR.replace("addr=1024", "addr=START"), [], "", ""),
        (CLOSE, [], "address=(0, 1024)", "address=(0, 2048)"),
        (REBOUND, [], "total = total", "total[...] = total"),
        (FEW, [], "base_addr=0)", "base_addr=0, num_free_tiles=(8,))"),
        (FEW.replace("addr=0", "addr=0, num_free_tiles=(2,)"), [], "(2,)", "(8,)"),
        (GRID.replace("[i, nl", "[i[:, None], nl") + "# noqa: NKI101\n", [], "# noqa: NKI101\n", ""),
    ],
)
def test_repairs(kernel: str, options: list[str], old: str, new: str) -> None:
    source = (HEAD if "nisa" not in kernel else TODAY) + kernel
    assert fixed(source, *options) == source.replace(old, new)
    assert fixed(source.replace(old, new)) == source.replace(old, new)


def test_the_last_tile_is_covered_under_a_mask() -> None:
    covered = (
        FLOOR.replace("rows // 128", "(rows + 127) // 128")
        .replace("mask=j < columns", "mask=(j < columns) & (row < rows)")
        .replace("value=tile", "value=tile, mask=m * 128 + i < rows")
    )
    assert fixed(HEAD + FLOOR, "--unsafe-fixes") == HEAD + covered


def test_a_tensor_in_shared_hbm_is_made_before_the_loop() -> None:
    assert fixed(HEAD + LATE) == HEAD + HOISTED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x.shape, dtype", "(512, 512 + 0 * i), dtype"),  # needs what the loop makes
        ("    for i", "    output = x\n    for i"),  # had another value before
        ("buffer=nl.shared_hbm)\n", "buffer=nl.shared_hbm); tile = None\n"),  # shares its line
        ("x, fast=True", "x, output=None"),
    ],
)
def test_a_tensor_that_cannot_be_made_earlier(old: str, new: str) -> None:
    source = LATE.replace(old, new)
    assert source != LATE
    assert fixed(HEAD + source) == HEAD + source


def test_a_tensor_of_each_iteration_is_made_in_private_hbm() -> None:
    assert fixed(HEAD + BETWEEN) == HEAD + BETWEEN
    private = BETWEEN.replace(
        "nl.float32, buffer=nl.shared_hbm)\n        nl", "nl.float32, buffer=nl.private_hbm)\n        nl"
    )
    assert fixed(HEAD + BETWEEN, "--unsafe-fixes") == HEAD + private


def test_slices_cannot_be_masked() -> None:
    source = FLOOR.replace("row, j]", "m * 128 : (m + 1) * 128, j]")
    assert fixed(HEAD + source, "--unsafe-fixes").count("mask=") == 1


def test_a_repair_that_brings_another_finding_is_not_made() -> None:
    assert "assert" not in fixed(REFUSED)


def test_everything_at_once_keeps_what_it_need_not_touch(folder: Path, capsys: Streams) -> None:
    source = HEAD + "\n\n@nki.jit\n".join([MASKS, GRID, RUNNING, FLOOR, FEW])
    data = b"\xef\xbb\xbf" + source.replace("\n", "\r\n").encode()
    (folder / "k.py").write_bytes(data)
    (folder / "k.py").chmod(0o640)
    (folder / "link.py").symlink_to("k.py")
    assert main(["--fix", "--jobs", "1", "--output-format", "concise", "link.py"]) == 0
    assert capsys.readouterr().err.endswith("5 findings repaired in 1 file\n")
    mended = (folder / "k.py").read_bytes()
    assert mended.startswith(b"\xef\xbb\xbfimport math\r\n")
    assert mended.count(b"\n") == mended.count(b"\r\n") == data.count(b"\n") + 1
    assert (folder / "link.py").is_symlink()
    assert (folder / "k.py").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in folder.iterdir()) == ["k.py", "link.py"]


def test_a_difference_changes_nothing(capsys: Streams) -> None:
    Path("k.py").write_text(HEAD + RUNNING.rstrip("\n"), encoding="utf-8")
    assert main(["--diff-only", "--jobs", "1", "k.py"]) == 1
    streams = capsys.readouterr()
    assert streams.out.startswith("--- k.py\n+++ k.py\n@@ -")
    assert "\n-    for i in nl.affine_range(4):\n+    for i in nl.sequential_range(4):\n" in streams.out
    assert streams.err == "1 finding would be repaired in 1 file\n"
    assert Path("k.py").read_text(encoding="utf-8") == HEAD + RUNNING.rstrip("\n")
    assert main(["--diff-only", "--exit-zero", "--jobs", "1", "k.py"]) == 0


EXACT = """\
def exact(x):
    assert x.shape[0] == 64
    output = nl.ndarray((64, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output[0:64, 0:64], value=nl.load(x[0:64, 0:64]))
    return output
"""


def test_bounds_of_two_rules_are_two_findings_and_one_assertion(capsys: Streams) -> None:
    source = HEAD + EXACT
    Path("k.py").write_text(source, encoding="utf-8")
    assert main(["--output-format", "json", "k.py"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(d["code"], d["precondition"]) for d in document["diagnostics"]] == [
        ("NKI301", "x.shape[1] >= 64"),
        ("NKI703", "x.shape[1] <= 64"),
    ]
    assert [d["witness"]["inputs"]["x"][-5:] for d in document["diagnostics"]] == ["4, 1]", ", 65]"]
    assert document["kernels"][0]["contract"] == ["x.shape[1] == 64"]
    row = "def exact(x):\n"
    assert fixed(source) == source, "that there is a second axis is assumed"
    assert fixed(source, "--unsafe-fixes") == source.replace(row, row + "    assert x.shape[1] == 64\n")
    assert "k.py: assert `x.shape[1] == 64`, assuming that x has 2 dimensions\n" in capsys.readouterr().err


def test_only_files_given_are_changed(folder: Path) -> None:
    (folder / "helper.py").write_text("import neuronxcc.nki.language as nl\n\n\ndef f(x, i, j, n, m):\n    "
                                      "return nl.load(x[i, j], mask=i < n and j < m)\n", encoding="utf-8")  # fmt: skip
    before = (folder / "helper.py").read_text(encoding="utf-8")
    source = HEAD.replace("import math", "from helper import f") + MASKS.replace(
        "nl.load(x[i, j], mask=i < rows and 0 <= j < columns)", "f(x, i, j, rows, columns)"
    )
    assert fixed(source) == source
    assert (folder / "helper.py").read_text(encoding="utf-8") == before
    main(["--fix", "--jobs", "1", "."])
    assert "mask=(i < n) & (j < m))" in (folder / "helper.py").read_text(encoding="utf-8")


def test_json_says_what_would_repair_a_finding(capsys: Streams) -> None:
    Path("k.py").write_text(HEAD + RUNNING, encoding="utf-8")
    assert main(["--output-format", "json", "k.py"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["diagnostics"]
    row, column = 13, 17
    assert finding["fix"] == {
        "title": "run the iterations in sequence",
        "safe": True,
        "edits": [
            {
                "location": {"row": row, "column": column},
                "end_location": {"row": row, "column": column + len("affine_range")},
                "content": "sequential_range",
            }
        ],
    }


def test_known_findings_are_left_alone() -> None:
    Path("k.py").write_text(HEAD + RUNNING, encoding="utf-8")
    assert main(["--baseline", "b.json", "--write-baseline", "k.py"]) == 0
    assert fixed(HEAD + RUNNING, "--baseline", "b.json") == HEAD + RUNNING


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unsafe-fixes", "."], "--unsafe-fixes needs --fix or --diff-only"),
        (
            ["--fix", "--baseline", "b", "--write-baseline", "."],
            "--fix repairs what --write-baseline puts off; leave out one of them",
        ),
    ],
)
def test_what_does_not_go_together(arguments: list[str], message: str, capsys: Streams) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"command line: NKI004 {message}")


def test_standard_input_is_repaired_to_standard_output(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (HEAD + RUNNING + "# ä\n").replace("\n", "\r\n").encode("utf-8")
    for more, name in (([], "-"), (["--stdin-filename", "kernels/new.py"], "kernels/new.py")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(source)))
        assert main(["--fix", "--jobs", "1", *more, "-"]) == 0
        streams = capfdbinary.readouterr()
        assert streams.out == source.replace(b"affine", b"sequential")
        assert streams.err.endswith(b"\n1 finding repaired in 1 file\n")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(source)))
        assert main(["--diff-only", "--jobs", "1", *more, "-"]) == 1
        assert capfdbinary.readouterr().out.startswith(f"--- {name}\n+++ {name}\n@@ -".encode())
    assert list(folder.iterdir()) == []


def test_what_is_left_of_standard_input_is_told_on_standard_error(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = REFUSED.encode("utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(source)))
    assert main(["--fix", "--jobs", "1", "-"]) == 1
    streams = capfdbinary.readouterr()
    assert streams.out == source
    assert streams.err.startswith(b"-:")
    assert b"--fix has a repair" not in streams.err


def git(*arguments: str) -> None:
    own = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *own, *arguments], check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_only_kernels_that_a_change_touches_are_repaired() -> None:
    other = RUNNING.replace("def running", "\n\n@nki.jit\ndef other")
    Path("k.py").write_text(HEAD + RUNNING + other, encoding="utf-8")
    git("init", "-q")
    git("add", "k.py")
    git("commit", "-qm", "old")
    changed = HEAD + RUNNING.replace("sums = nl", "sums  = nl") + other
    assert fixed(changed, "--diff", "HEAD") == changed.replace("affine", "sequential", 1)
    assert fixed(changed) == changed.replace("affine", "sequential")


def test_a_file_that_changed_meanwhile_is_not_overwritten(folder: Path) -> None:
    (folder / "k.py").write_text("new", encoding="utf-8")
    result = Mended(Report("trn2"), {"k.py": b"mended"}, {"k.py": b"old"}, {"k.py": 1})
    problems = write(result)
    assert problems == {"k.py": "changed while it was analysed; run again"}
    assert (result.count, result.without(problems).count) == (1, 0)
    assert (folder / "k.py").read_text(encoding="utf-8") == "new"


def test_repairs_come_to_an_end(folder: Path) -> None:
    """An analysis that always finds one more."""
    (folder / "k.py").write_text("# noqa: NKI101\n" * 3, encoding="utf-8")

    def check(texts: Mapping[str, bytes]) -> Report:
        lines = texts.get("k.py", (folder / "k.py").read_bytes()).decode().splitlines()
        found = [
            Diagnostic("NKI002", "unused-suppression", Severity.INFO, "`noqa: NKI101`", Span("k.py", n, 1, n, 15))
            for n in range(1, len(lines) + 1)
        ]
        return Report("trn2", tuple(found))

    result = mend(check, lambda file: True)
    assert result.files["k.py"] == b""
    assert result.count == 3


@pytest.mark.parametrize(
    ("edits", "rows"),
    [
        ([Edit(2, 1, 2, 1, "new\n")], [1, 2, 2]),
        ([Edit(2, 1, 3, 1, "")], [1, 3]),
        ([Edit(2, 3, 3, 4, "")], [1, 2]),
        ([Edit(1, 3, 3, 4, "a\nb")], [1, 3]),
        ([Edit(1, 3, 1, 4, "a"), Edit(1, 7, 1, 8, "b")], [1]),
        ([Edit(1, 1, 1, 1, "new\n"), Edit(3, 1, 3, 1, "new\n")], [1, 1, 2, 3, 3]),
    ],
)
def test_rows_before_and_after(edits: list[Edit], rows: list[int]) -> None:
    assert _rows(edits) == rows


GUESSED = """\
def rows(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128])
    nl.store(output[0:128], value=tile)
    return output
"""
NAMED = """\
def rows(x, scale=2.0):
    n, m = x.shape
    output = nl.ndarray((n, m), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:m])
    nl.store(output[0:128, 0:m], value=nl.multiply(tile, scale))
    return output
"""


@pytest.mark.parametrize(("kernel", "assumed"), [(GUESSED, "x has "), (NAMED, "scale = 2.0, its default")])
def test_what_rests_on_an_assumption_is_not_certain(kernel: str, assumed: str, capsys: Streams) -> None:
    source = HEAD + kernel
    assert fixed(source) == source
    capsys.readouterr()
    assert "    assert " in fixed(source, "--unsafe-fixes")
    assert f", assuming that {assumed}" in capsys.readouterr().err


def test_a_kernel_that_runs_otherwise_is_left_alone() -> None:
    """Whatever the analysis says of a repair, runs have the last word."""
    source = HEAD + FLOOR
    asked: list[set[str | None]] = []

    def differ(before: Mapping[str, bytes], after: Mapping[str, bytes], gone: Sequence[Diagnostic]) -> set[str]:
        asked.append({finding.kernel for finding in gone})
        return {"floor"}

    Path("k.py").write_text(source, encoding="utf-8")
    check = repeated([Path("k.py")], Options(confirm=False), overlay={})
    result = mend(check, lambda file: True, differ=differ)
    assert any("floor" in kernels for kernels in asked)
    assert not result.files
    assert result.count == 0


def test_links_out_of_a_folder_are_not_written_through(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "masks.py"
    outside.write_text(HEAD + MASKS, encoding="utf-8")
    (folder / "linked.py").symlink_to(outside)
    main(["--fix", "--jobs", "1", "--no-confirm", "."])
    assert outside.read_text(encoding="utf-8") == HEAD + MASKS
    main(["--fix", "--jobs", "1", "--no-confirm", "linked.py"])
    assert outside.read_text(encoding="utf-8") != HEAD + MASKS
