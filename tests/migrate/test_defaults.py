"""Numbers that are defaults: what is written holds with others, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate
from nkilint.migrate.verification import verify

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


def grid(count):
    return nl.arange(count)[None, :]


@nki.jit
"""
KERNEL = """\
def kernel(x, {}):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    i = nl.arange(128)[:, None]
{}
    nl.store(out, tile)
    return out


kernel(np.ones((128, 64), np.float32))
"""


def written(path: Path, parameter: str, *lines: str) -> str:
    file = path / "k.py"
    file.write_text(HEAD + KERNEL.format(parameter, "\n".join(f"    {line}" for line in lines)))
    return migrate([file], Options(), "B1", "0.6", verified=False).files[0].after.decode()


@pytest.mark.parametrize(
    ("parameter", "lines", "text"),
    [
        (
            "step=1",
            ["j = nl.arange(64 // step)[None, :]", "tile[i, j] = nl.load(x[i, j * step])"],
            "x.ap(pattern=[[x.shape[1], 128], [step, 64 // step]], offset=0)",
        ),
        (
            "parts=1",
            ["n, m = 64, 64 // parts", "j = grid(m)", "tile[i, j] = nl.load(x[i, j])"],
            "tile[0:128, 0:m] = nl.load(x[0:128, 0:m])",
        ),
        (
            "parts=(1, 1)",
            ["n, m = 64, 64 // parts[1]", "j = grid(m)", "tile[i, j] = nl.load(x[i, j])"],
            "tile[0:128, 0:m] = nl.load(x[0:128, 0:m])",
        ),
        (
            "parts=[1, 1]",
            ["n, m = 64, 64 // parts[1]", "j = grid(m)", "tile[i, j] = nl.load(x[i, j])"],
            "tile[0:128, 0:m] = nl.load(x[0:128, 0:m])",
        ),
        (
            "first=0",
            ["j = grid(8) + first", "tile[i, j] = nl.load(x[i, j])"],
            "tile[0:128, first:first + 8] = nl.load(x[0:128, first:first + 8])",
        ),
        (
            "size=64",
            ["a = nl.zeros((128, size), dtype=x.dtype)", "b = nl.zeros((128, 1), dtype=x.dtype)", "c = nl.add(a, b)"],
            "c = nl.ndarray(a.shape, dtype=x.dtype, buffer=nl.sbuf)",
        ),
        (
            "size=64",
            ["j = grid(size)", "a = nl.load(x[i, j])", "tile[i, j] = nisa.tensor_tensor(a, a, np.add)"],
            "nisa.tensor_tensor(dst=tile[0:128, 0:size], data1=a, data2=a, op=nl.add)",
        ),
    ],
)
def test_numbers_that_are_defaults_stay_open(parameter: str, lines: list[str], text: str, tmp_path: Path) -> None:
    assert text in written(tmp_path, parameter, *lines)


def test_a_text_with_a_number_in_it_is_not_doubled(tmp_path: Path) -> None:
    lines = ['block = nl.zeros((2, nl.par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf, name=f"block_{size}")']
    lines += ["tile[...] = nl.load(x)", "for t in nl.affine_range(2):", "    block[t] = nl.copy(tile)"]
    new = written(tmp_path, "size=64", *lines)
    assert new.count('f"block_{size}"') == 1


SWITCHED = ["j = grid(32 if half else 64)", "tile[i, j] = nl.load(x[i, j])"]


def test_what_changes_with_a_default_is_left(tmp_path: Path) -> None:
    assert "# nkilint: migrate: `j` changes with the arguments" in written(tmp_path, "half=False", *SWITCHED)


def test_what_nothing_but_a_default_tells_is_left(tmp_path: Path) -> None:
    lines = ["j = grid({0: 64, 1: 32}[mode])", "tile[i, j] = nl.load(x[i, j])"]
    assert "`j` is known with the defaults of the kernel alone" in written(tmp_path, "mode=0", *lines)


@pytest.mark.parametrize(
    ("parameter", "step"),
    [
        ("**options", 'options.get("step", 1)'),
        ('options={"step": 1}', 'options["step"]'),
        ("options=((1, 2), (0, 0))", "options[0][0]"),
        ("step=None", "(1 if step is None else step)"),
    ],
)
def test_numbers_inside_of_defaults_stay_open(parameter: str, step: str, tmp_path: Path) -> None:
    lines = [f"s = {step}", "j = grid(32) * s", "tile[i, j] = nl.load(x[i, j])"]
    assert "dst=tile.ap(pattern=[[tile.shape[1], 128], [s, 32]], offset=0)" in written(tmp_path, parameter, *lines)


def test_a_grid_that_another_kernel_keeps_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    lines = "\n".join(f"    {line}" for line in SWITCHED)
    plain = "    j = nl.arange(64)[None, :]\n    tile[i, j] = nl.load(x[i, j])"
    second = KERNEL.format("a=1", plain).replace("kernel(", "other(")
    file.write_text(HEAD + KERNEL.format("half=False", lines) + "\n\n@nki.jit\n" + second)
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    assert [n.text for n in result.files[0].notes if n.letter == "P"] == [
        "`j` changes with the arguments of the kernel"
    ]


FLAGGED = ["if flag:", "    n = 64 // step", "    j = grid(64 // step)", "    tile[i, j] = nl.load(x[i, j * step])"]


def test_numbers_stay_open_where_only_another_flag_leads(tmp_path: Path) -> None:
    new = written(tmp_path, "flag=False, step=1", *FLAGGED)
    assert "x.ap(pattern=[[x.shape[1], 128], [step, 64 // step]], offset=0)" in new


def test_what_a_name_is_in_one_branch_alone_is_not_written_for_both(tmp_path: Path) -> None:
    lines = ["if width is None:", "    width = 64 - rest", "j = grid(width)", "tile[i, j] = nl.load(x[i, j])"]
    assert "nl.load(x[0:128, 0:max(width, 0)])" in written(tmp_path, "width=None, rest=16", *lines)


def test_products_of_numbers_and_iterations_are_proved_over(tmp_path: Path) -> None:
    lines = ["block = nl.zeros((parts, nl.par_dim(128), 64 // parts), dtype=x.dtype, buffer=nl.sbuf)"]
    lines += ["j = grid(64 // parts)", "for b in nl.affine_range(parts):"]
    lines += ["    block[b, i, j] = nl.load(x[i, j + b * (64 // parts)])"]
    assert "block[b][0:128, 0:64 // parts] = nl.load(" in written(tmp_path, "parts=2", *lines)


COPIED = ["j = nl.arange(64 // step)[None, :]", "tile[i, j] = nl.load(x[i, j * step])"]


def verified(path: Path, parameter: str, old: str, new: str, *lines: str) -> tuple[int, list[str], list[str]]:
    after = written(path, parameter, *lines)
    assert old in after
    file = path / "k.py"
    texts = {str(file): file.read_bytes()}, {str(file): after.replace(old, new).encode()}
    (found,) = verify([file], Options(), *texts)
    return found.runs, found.problems, found.skipped


def test_runs_with_other_numbers_find_what_holds_for_the_default_alone(tmp_path: Path) -> None:
    pattern = "[step, 64 // step]"
    runs, problems, _ = verified(tmp_path, "step=1", pattern, "[1, 64 // step]", *COPIED)
    assert runs > 0
    assert problems
    assert all("step=" in problem for problem in problems)
    runs, problems, skipped = verified(tmp_path, "step=1", pattern, pattern, *COPIED)
    assert (runs > 2, problems, skipped) == (True, [], [])


def test_the_old_kernel_need_not_run_with_other_numbers(tmp_path: Path) -> None:
    lines = ["assert step == 1", "j = nl.arange(64)[None, :]", "tile[i, j] = nl.load(x[i, j])"]
    runs, problems, skipped = verified(tmp_path, "step=1", "0:64", "0:64", *lines)
    assert (runs > 0, problems, skipped) == (True, [], [])


def test_a_parameter_is_what_it_was_where_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        HEAD
        + """\
def rows(x, extra=None):
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    more = None
    if extra is not None:
        more = nl.load(extra[0, 3], dtype=nl.float32)
    core(nl.load(x[0:128, 0:64]), out, more)
    return out


def core(tile, out, more):
    total = nl.sum(tile, axis=1, dtype=nl.float32)
    if more is not None:
        total = nl.add(total, more)
    nl.store(out, total)
"""
    )
    result = migrate([file], Options(), "B1", "0.6")
    assert "total = nl.add(total, nl.broadcast_to(more, (128, 1)))" in result.files[0].after.decode()
    assert b" is not " not in result.files[0].after
    assert [(k.kernel, k.state) for k in result.kernels] == [("rows", "migrated")]


def test_what_a_launch_gives_for_none_has_any_dtype(tmp_path: Path) -> None:
    """Launches know the dtypes of their inputs alone: what all inputs may be says more, wherever something tells."""
    text = """\
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, scale=None):
    assert x.shape[0] <= 128
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.load(x)
    if scale is not None:
        t = t * scale
    nl.store(out, nl.exp(t))
    return out


nki.simulate_kernel(kernel, np.zeros((128, 64), np.float32), scale=2.0)
"""
    (tmp_path / "k.py").write_text(text)
    found = migrate([tmp_path], Options(), "B1", "0.6")
    assert "t = nl.multiply(t, scale, dtype=nl.float32)" in found.files[0].after.decode()
    assert [(k.state, k.problems) for k in found.kernels] == [("migrated", ())]
    assert {"bfloat16", "float32"} <= set(found.kernels[0].dtypes)
