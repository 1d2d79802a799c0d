"""Forms that a migration decides, or tells of where nothing in `nki` takes their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

from .test_small_forms import GRIDS, HEAD, body, kernel, migrated


def told(result: Migration, letter: str = "P") -> list[str]:
    return [n.text for n in result.files[0].notes if n.letter == letter]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = t ** 2", "nisa.tensor_scalar(dst=a, data=t, op0=nl.power, operand0=2)"),
        ("a = nl.power(t, 0.5)", "nisa.tensor_scalar(dst=a, data=t, op0=nl.power, operand0=0.5)"),
        ("a = nl.power(t, t)", "a = nl.power(t, t)"),
    ],
)
def test_powers_of_numbers_are_instructions(before: str, after: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, kernel(f"t = nl.load(x)\n{before}\nnl.store(out, a)\n"))
    assert after in body(result)
    assert result.complete


def test_a_seed_is_a_tile(tmp_path: Path) -> None:
    result = migrated(tmp_path, kernel("nl.random_seed(42)\nnl.store(out, nl.load(x))\n"))
    assert body(result).startswith("nl.random_seed(nl.full((1, 1), 42, dtype=nl.int32, buffer=nl.sbuf))\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("t % 2", "no operation does what `t % 2` does to tiles"),
        ("t // 2", "no operation does what `t // 2` does to tiles"),
        ("nl.mod(t, 2)", "`mod` is no instruction: it works in simulation only"),
        ("nl.fmod(t, 2)", "`fmod` is no instruction: it works in simulation only"),
        ("nl.static_cast(t, nl.bfloat16)", "`static_cast` is not there any more"),
        ("nl.all_reduce(t, op=nl.add, program_axes=[0])", "`all_reduce` is not there any more"),
    ],
)
def test_what_is_gone_is_told_of_and_stays(line: str, why: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, kernel(f"t = nl.load(x)\na = {line}\nnl.store(out, t)\n"))
    assert f"# nkilint: migrate: {why}\na = {line}\n" in body(result)
    assert told(result) == [why]


@pytest.mark.parametrize(
    "form", ["partial(nisa.activation, op=nl.exp)", "[nisa.activation][0]", 'dict(f=nisa.activation)["f"]']
)
def test_instructions_that_are_handed_on_are_told_of(form: str, tmp_path: Path) -> None:
    helpers = f"from functools import partial\n\nACT = {form}\n\n\n"
    result = migrated(tmp_path, kernel("nl.store(out, nl.load(x))\n", helpers=helpers))
    assert told(result) == [
        "`nisa.activation` is handed on as a function, which writes to `dst` now instead of giving a tile"
    ]


def test_another_name_for_an_instruction_is_called_as_it_is(tmp_path: Path) -> None:
    text = kernel("nl.store(out, act(nl.exp, nl.load(x)))\n", helpers="act = nisa.activation\n\n\n")
    result = migrated(tmp_path, text)
    assert "act(dst=activation_tile, op=nl.exp, data=nl.load(x))" in result.files[0].after.decode()
    assert result.complete


MADE = "def grid(n):\n    if n > 1:\n        return nl.arange(n)[:, None]\n    return 0\n\n\n"


def test_grids_that_other_functions_make_are_told_of(tmp_path: Path) -> None:
    text = kernel("j = nl.arange(64)[None, :]\nnl.store(out[grid(x.shape[0]), j], nl.load(x))\n", helpers=MADE)
    result = migrated(tmp_path, text)
    assert not result.complete
    assert "what becomes of `nl.arange` is not known" in told(result)


@pytest.mark.parametrize(
    ("index", "offset", "scalar"),
    [
        ("ids[0, 0]", "0", "ids[0:1, 0:1]"),
        ("ids[0, 0] + 1", "x.shape[1] * x.shape[2]", "ids[0:1, 0:1]"),
        ("2 + ids[0, 1]", "2 * x.shape[1] * x.shape[2]", "ids[0:1, 1:2]"),
    ],
)
def test_blocks_that_an_element_of_a_tile_chooses(index: str, offset: str, scalar: str, tmp_path: Path) -> None:
    result = migrated(
        tmp_path, kernel(f"ids = nl.load(y)\n{GRIDS}nl.store(out[i, j], nl.load(x[{index}, i, j]))\n", "x, y")
    )
    new = " ".join(result.files[0].after.decode().split())
    assert f"offset={offset}, scalar_offset={scalar}, indirect_dim=0" in new
    assert result.complete


def test_rows_that_a_tile_of_unknown_width_names(tmp_path: Path) -> None:
    text = kernel("ids = nl.load(y)\nj = nl.arange(64)[None, :]\nnl.store(out, nl.load(x[ids, j]))\n", "x, y")
    assert "offset=0, vector_offset=ids, indirect_dim=0" in migrated(tmp_path, text).files[0].after.decode()


def test_inputs_that_are_taken_to_have_one_dtype_are_told_of_once(tmp_path: Path) -> None:
    lines = "a = nl.load(x)\nb = nl.load(y)\nc = a + b\nd = c * a\nnl.store(out, d)\n"
    result = migrated(tmp_path, kernel(lines, "x, y"))
    assert told(result, "E") == [
        "`x.dtype` and `y.dtype` are taken to be the same; with others the result is of another dtype"
    ]
    assert result.complete


def test_inputs_of_one_dtype_are_told_of_together(tmp_path: Path) -> None:
    lines = "a = nl.load(x) * nl.load(y)\nb = nl.load(x) * nl.load(z)\nnl.store(out, a + b)\n"
    (note,) = told(migrated(tmp_path, kernel(lines, "x, y, z")), "E")
    assert note.startswith("`x.dtype`, `y.dtype` and `z.dtype` are taken to be the same")


LOOP = HEAD.replace("neuronxcc.nki as", "nki as").replace("neuronxcc.", "") + (
    "@nki.jit\ndef k(x, n):\n    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)\n"
    "    reg = nisa.register_alloc(0)\n\n    def body(i):\n        nisa.dma_copy(dst=out, src=x[0:1, 0:64])\n\n"
    "    nl.fori_loop(0, reg, body)\n    return out\n"
)


def test_the_body_of_a_loop_that_the_device_counts_stays_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(LOOP)
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    assert "migrate:" not in result.files[0].after.decode()
    assert result.complete


SUM = "nl.sum(t, axis=1, keepdims=True)"
ROWS, COLUMNS = "nl.arange(128)[:, None]", "nl.arange(64)[None, :]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = nl.where(t > 0, t, 0.0)", "a = nl.where(nl.greater(t, 0), t, 0.0"),
        (
            "a = nl.where(t > 0, t, t * 0.5)",
            "nl.where(nl.greater(t, 0), t, nl.multiply(t, 0.5, dtype=nl.float32), dtype=nl.float32)",
        ),
        ("a = nl.where(t > 0, t, t + t)", "a = nl.where(nl.greater(t, 0), t, nl.add(t, t))"),
        (f"t /= {SUM}\na = t", f"operand0=nl.reciprocal({SUM}, dtype=nl.float32),"),
        (f"a = t / {SUM}", f"operand0=nl.reciprocal({SUM}, dtype=nl.float32),"),
        (f"a = nl.add(t, t)\na[{ROWS}, 63 - {COLUMNS}] = nl.copy(t)", "offset=63), src=t)"),
        (f"ix = dict(p={ROWS}, f={COLUMNS})\na = nl.copy(t[ix['p'], ix['f']])", "a = nl.copy(t[0:128, 0:64])"),
        (f"ix = [{ROWS}, {COLUMNS}]\na = nl.copy(t[ix[0], ix[1]])", "a = nl.copy(t[0:128, 0:64])"),
    ],
    ids=["number", "two dtypes", "one dtype", "in place", "column", "copied once", "grids by name", "grids in a list"],
)  # fmt: skip
def test_forms_that_keep_their_numbers(before: str, after: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, kernel(f"t = nl.load(x[0:128, 0:64])\n{before}\nnl.store(out, a)\n"), verified=True)
    assert after in body(result)
    assert "ix" not in body(result)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


def test_a_module_that_the_file_never_names_in_full_is_imported(tmp_path: Path) -> None:
    masked = GRIDS + "t = nl.load(x[i, j], mask=i < x.shape[0])\nnl.store(out, t)\n"
    text = kernel(masked).replace("import neuronxcc.nki.isa as nisa\n", "")
    assert "\nimport nki.isa as nisa\n" in migrated(tmp_path, text).files[0].after.decode()
    called = text.replace("return out", "nki.isa.core_barrier(out, (0, 1))\n    return out")
    assert "nki.isa.dma_copy(" in migrated(tmp_path, called).files[0].after.decode()
