"""Whole migrations: what is written and what is not, what stays as it was, and what is said."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from nkilint.base.options import Options
from nkilint.cli import main
from nkilint.migrate.outcomes import Migration, migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
"""
MASKED = (
    HEAD
    + """\
def scaled(x):  # scales rows
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(columns)[None, :]
    for t in nl.affine_range((rows + 127) // 128):
        # a tile of rows
        tile = nl.load(x[t * 128 + i, j], mask=t * 128 + i < rows)
        mean = nl.mean(tile, axis=1)
        nl.store(out[t * 128 + i, j], value=tile * mean, mask=t * 128 + i < rows)
    return out
"""
)
SCALED = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def scaled(x):  # scales rows
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range((rows + 127) // 128):
        # a tile of rows
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(
            dst=tile[0:min(128, rows - t * 128)],
            src=x[{rows}, 0:columns],
        )
        mean = nl.mean(tile, axis=1)
        multiply_tile = nl.ndarray(tile.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=multiply_tile, data=tile, op0=nl.multiply, operand0=nl.copy(mean, dtype=nl.float32))
        nl.store(
            out[{rows}, 0:columns],
            value=multiply_tile[0:min(128, rows - t * 128)],
        )
    return out
""".format(rows="t * 128:t * 128 + min(128, rows - t * 128)")
CHOSEN = (
    HEAD
    + """\
def chosen(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    j = nl.arange(64)[None, :]
    i = nl.arange(128)[:, None]
    t = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    t[i, j] = nl.load(x[i, j], mask=i == 3)
    nl.store(out, value=t)
    return out
"""
)


def migrated(file: Path, text: str, to: str = "0.6") -> Migration:
    file.write_text(text)
    return migrate([file], Options(), "B1", to)


def test_a_kernel_is_rewritten_and_does_the_same(tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", MASKED)
    assert result.files[0].after.decode() == SCALED
    (kernel,) = result.kernels
    assert (kernel.kernel, kernel.state, kernel.problems) == ("scaled", "migrated", ())
    assert kernel.runs >= 4
    assert result.complete


def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    again = migrated(tmp_path / "k.py", SCALED)
    assert again.files[0].after.decode() == SCALED
    assert not again.kernels
    assert again.complete


def test_what_a_person_has_to_do_stands_above_it(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    result = migrated(file, CHOSEN)
    after = result.files[0].after.decode()
    comments = [line.strip() for line in after.splitlines() if "nkilint: migrate" in line]
    assert comments == ["# nkilint: migrate: the mask `i == 3` is no bound of an index"]
    assert [k.state for k in result.kernels] == ["left"]
    assert not result.complete
    assert result.refused == {}
    strict = migrate([file], Options(), "B1", "0.6", strict=True)
    assert strict.refused == {str(file): "something in it is left to a person"}
    assert strict.mended().files == {}


@pytest.fixture(params=["elsewhere", "below"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to migrate, and the same where it is named from the folder above."""
    if request.param == "elsewhere":
        return tmp_path
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    return Path("below")


def test_what_would_not_do_the_same_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nkilint.migrate import rewriting

    plain = rewriting.Rewriter.render

    def wrong(self: rewriting.Rewriter, node: object) -> str:
        return plain(self, node).replace("axis=1", "axis=[1], dtype=nl.bfloat16")  # type: ignore[arg-type]

    monkeypatch.setattr(rewriting.Rewriter, "render", wrong)
    file = folder / "k.py"
    result = migrated(file, MASKED)
    (kernel,) = result.kernels
    assert kernel.state == "failed"
    assert "of `result` is" in kernel.problems[0]
    assert result.refused == {str(file): "`scaled` would not do the same"}
    assert result.mended().files == {}


def test_files_keep_their_mode_encoding_and_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    text = "# -*- coding: latin-1 -*-\n" + MASKED.replace("scales rows", "skaliert für jede Zeile")
    file.write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    file.chmod(0o640)
    assert main(["migrate", str(file), "--to", "0.6", "--in-place", "--no-verify", "--no-config"]) == 0
    data = file.read_bytes()
    assert data == ("# -*- coding: latin-1 -*-\n" + SCALED).replace("scales rows", "skaliert für jede Zeile").replace(
        "\n", "\r\n"
    ).encode("latin-1")
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o640


def test_files_that_do_not_parse_are_named_and_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.py").write_text("import neuronxcc.nki as nki\ndef (:\n")
    (tmp_path / "good.py").write_text(MASKED)
    assert main(["migrate", str(tmp_path), "--to", "0.6", "--in-place", "--no-verify", "--no-config"]) == 2
    told = [line for line in capsys.readouterr().out.splitlines() if "not migrated" in line]
    assert [line.rpartition("/")[2] for line in told] == ["bad.py: not migrated: line 2: invalid syntax"]
    assert (tmp_path / "bad.py").read_text() == "import neuronxcc.nki as nki\ndef (:\n"
    assert (tmp_path / "good.py").read_text() == SCALED


def test_a_file_of_both_namespaces_keeps_what_is_new_in_it(tmp_path: Path) -> None:
    new = "import nki.language as nl6\n\n\n@nki6.jit\ndef other(x):\n    return x\n"
    result = migrated(tmp_path / "k.py", "import nki as nki6\n" + MASKED + "\n\n" + new)
    assert result.files[0].after.decode() == "import nki as nki6\n" + SCALED + "\n\n" + new


def test_nothing_is_written_without_being_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.py"
    file.write_text(MASKED)
    assert main(["migrate", str(file), "--to", "0.6", "--no-verify", "--diff", "--no-config"]) == 0
    assert file.read_text() == MASKED
    assert "+import nki\n" in capsys.readouterr().out


def test_versions_that_are_not_there_are_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "k.py", "--to", "0.61", "--no-config"]) == 2
    assert "there is no version `0.61` of NKI; did you mean `0.6`?" in capsys.readouterr().err
    assert main(["migrate", "k.py", "--from", "0.4", "--to", "0.3", "--no-config"]) == 2
    assert "0.3 is not later than 0.4" in capsys.readouterr().err


def test_the_report_for_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.py"
    file.write_text(CHOSEN)
    main(["migrate", str(file), "--to", "0.6", "--output-format", "json", "--no-config"])
    told = json.loads(capsys.readouterr().out)
    assert told["version"] == 1
    assert [(k["kernel"], k["state"]) for k in told["kernels"]] == [("chosen", "left")]
    assert told["files"][0]["notes"][0]["text"] == "the mask `i == 3` is no bound of an index"
    assert {s["step"] for s in told["files"][0]["steps"]} >= {"imports"}


GAPS = (
    HEAD
    + """\
def gaps(x, flag=False):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(columns)[None, :]
    for t in nl.affine_range(4):
        nl.store(out[t * 128 + i, j], nl.load(x[t * 128 + i, j], mask=t * 128 + i < rows), mask=t * 128 + i < rows)
    return out
"""
)


def test_a_bound_that_may_leave_nothing_is_a_condition_too(tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", GAPS)
    after = result.files[0].after.decode()
    assert "        if rows - t * 128 > 0:\n" in after
    assert [k.state for k in result.kernels] == ["migrated"]


FLAGGED = (
    HEAD
    + """\
def flagged(x, wide=True):
    kind = nl.float32 if wide else x.dtype
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.load(x[0:128, 0:256], dtype=kind)
    b = nisa.activation(nl.exp, a, dtype=kind)
    c = nisa.tensor_copy(b)
    nl.store(out, c)
    return out
"""
)


def test_a_dtype_that_hangs_on_an_argument_is_taken_from_what_has_it(tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", FLAGGED)
    after = result.files[0].after.decode()
    assert "    c = nl.ndarray(b.shape, dtype=b.dtype, buffer=nl.sbuf)\n" in after
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


def test_what_is_left_is_left_by_all_later_steps(tmp_path: Path) -> None:
    text = CHOSEN.replace(
        "t[i, j] = nl.load(x[i, j], mask=i == 3)", "t[i, j] = nl.load(x[i, j], mask=(i == 3) is None)"
    )
    after = migrated(tmp_path / "k.py", text).files[0].after.decode()
    assert "t[i, j] = nl.load(x[i, j], mask=(i == 3) is None)\n" in after
    again = migrated(tmp_path / "k.py", after)
    assert again.files[0].after.decode() == after
    assert [n.letter for n in again.files[0].notes] == ["P"]
    assert not again.complete


def test_a_kernel_that_others_call_is_compared_with_them(folder: Path) -> None:
    text = (
        HEAD.replace("@nki.jit\n", "@nki.jit(mode='trace')\n")
        + "def doubled(tile):\n    return nisa.tensor_scalar(tile, nl.multiply, 2.0)\n\n\n@nki.jit\ndef outer(x):\n"
        "    assert x.shape == (128, 64)\n    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    nl.store(out, doubled(nl.load(x)))\n    return out\n"
    )
    result = migrated(folder / "k.py", text)
    assert [(k.kernel, k.state, k.caller) for k in result.kernels] == [
        ("doubled", "migrated", "outer"),
        ("outer", "migrated", ""),
    ]


def test_programs_become_loops_wherever_the_kernel_is_launched(folder: Path) -> None:
    (folder / "k.py").write_text(
        HEAD + "def shifted(x):\n    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    i, n = nl.program_id(0), nl.num_programs(0)  # which one\n"
        "    nl.store(out[nl.ds(i * 128, 128), :], nl.load(x[nl.ds((n - 1 - i) * 128, 128), :]))\n    return out\n"
    )
    (folder / "host.py").write_text(
        "import neuronxcc.nki as nki\nimport numpy as np\nfrom k import shifted\n\n"
        "x = np.ones((512, 64), np.float32)\nnki.simulate_kernel(shifted[4], x)\nnki.baremetal(shifted)[4](x)\n"
    )
    result = migrate([folder], Options(), "B1", "0.6")
    texts = {Path(f.path).name: f.after.decode() for f in result.files}
    assert "nki.simulate(shifted)(x, grid=(4,))\nshifted(x, grid=(4,))\n" in texts["host.py"]
    assert "def shifted(x, grid=(1,)):" in texts["k.py"]
    assert (
        "    for program_0 in nl.affine_range(grid[0]):\n        i, n = program_0, grid[0]  # which one\n"
        in texts["k.py"]
    )
    assert [(k.kernel, k.state, k.problems) for k in result.kernels] == [("shifted", "migrated", ())]


@pytest.mark.parametrize(
    "launch",
    ["for k in [shifted]:\n    k[4](x)", "run(shifted, 4, x)"],
    ids=["by another name", "in a function"],
)
def test_launches_that_are_not_understood_leave_the_programs_to_a_person(tmp_path: Path, launch: str) -> None:
    text = (
        HEAD + "def shifted(x):\n    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    i = nl.program_id(0)\n    nl.store(out[nl.ds(i * 128, 128), :], nl.load(x[nl.ds(i * 128, 128), :]))\n"
        "    return out\n\n\ndef run(kernel, n, x):\n    return kernel[n](x)\n\n\n"
        "import numpy as np\nx = np.ones((512, 64), np.float32)\n" + launch + "\n"
    )
    result = migrated(tmp_path / "k.py", text)
    assert [k.state for k in result.kernels] == ["left"]
    assert "grid=" not in result.files[0].after.decode()


LATE = (
    HEAD
    + """\
def late(x, far=True):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    if far:
        j = nl.arange(64)[None, :] + 64
    else:
        j = nl.arange(64)[None, :]
    nl.store(out, nl.load(x[i, j]))
    return out
"""
)


def test_a_grid_that_hangs_on_a_flag_is_left(tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", LATE)
    assert [(k.state, k.notes[0].text) for k in result.kernels] == [
        ("left", "`j` changes with the arguments of the kernel")
    ]


def test_kernels_are_run_with_other_values_than_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nkilint.migrate import grids

    written = grids._written

    def as_by_default(r: Any, node: Any) -> Any:
        return grids._evaluated(r, node) if r.is_grid(node) else written(r, node)

    monkeypatch.setattr(grids, "_written", as_by_default)
    monkeypatch.setattr(grids, "_agrees", lambda *_: True)
    (kernel,) = migrated(tmp_path / "k.py", LATE).kernels
    assert kernel.state == "failed"
    assert "far=" in kernel.problems[0]


def test_sizes_that_hang_on_arguments_have_their_names(tmp_path: Path) -> None:
    text = (
        HEAD
        + """\
def copied(x, step=None):
    width = 64 if step is None else step
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:width]
    for k in nl.affine_range((256 + width - 1) // width):
        tile = nl.load(x[i, k * width + j], mask=k * width + j < 256)
        nl.store(out[i, k * width + j], tile, mask=k * width + j < 256)
    return out
"""
    )
    result = migrated(tmp_path / "k.py", text)
    assert "tile = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.sbuf)" in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


def test_a_transpose_under_a_mask_fills_what_stands_across(tmp_path: Path) -> None:
    text = (
        HEAD
        + """\
def turned(x):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 128
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:128]
    tile = nl.load(x[i, j], mask=(i < rows) & (j < columns))
    across = nisa.nc_transpose(tile, mask=(i < rows) & (j < columns))
    nl.store(out[i, j], across, mask=(i < columns) & (j < rows))
    return out
"""
    )
    result = migrated(tmp_path / "k.py", text)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], result.files[0].after.decode()


def test_what_is_left_in_host_code_speaks_against_no_kernel(folder: Path) -> None:
    text = HEAD.replace(
        "import neuronxcc.nki as nki\n", "from neuronxcc import nki\nfrom neuronxcc.nki import benchmark\n"
    )
    text += MASKED.removeprefix(HEAD)
    text += "\n\ndef timed(x):\n    run = benchmark(warmup=10)(scaled)\n    run(x)\n    return run.benchmark_result\n"
    result = migrated(folder / "k.py", text)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
    assert [n.text for n in result.files[0].notes] == [
        "`nki.benchmark` is gone: the kernel runs without being measured",
        "`nki.benchmark` is gone: measure the kernel with the Neuron Profiler",
    ]
