"""Small kernels in many forms: comments, operands whose shapes nothing tells, helpers, imports and ranks."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.grids import summed
from nkilint.migrate.outcomes import Migration, migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


"""
SAME = "{0} if {0}.shape == {1}.shape else nl.broadcast_to({0}, {1}.shape)"


def migrated(folder: Path, text: str, verified: bool = False) -> Migration:
    file = folder / "k.py"
    file.write_text(text)
    result = migrate([file], Options(), "B1", "0.6", verified=verified)
    after = result.files[0].after
    file.write_bytes(after)
    again = migrate([file], Options(), "B1", "0.6", verified=False)
    assert again.files[0].after == after  # once more changes nothing
    return result


def kernel(body: str, arguments: str = "x", helpers: str = "") -> str:
    made = "out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)\n"
    inside = textwrap.indent(made + textwrap.dedent(body) + "return out\n", "    ")
    return f"{HEAD}{helpers}@nki.jit\ndef k({arguments}):\n{inside}"


def body(result: Migration) -> str:
    """The new kernel, without its indentation."""
    text = result.files[0].after.decode()
    lines = text[text.index("@nki.jit") :].splitlines()[3:-1]
    return "\n".join(line.removeprefix("    ") for line in lines)


# --- comments ---

COMMENTED = """\
t = nl.load(x)
r = nisa.activation(
    op=nl.exp,  # "a # b" = the operation
    data=t,
    # of all
    scale=0.5,  # half
    mask=None)  # behind
nl.store(out, r)
"""


def test_comments_inside_of_a_call_stand_above_it(tmp_path: Path) -> None:
    result = migrated(tmp_path, kernel(COMMENTED))
    new = body(result)
    head = '# "a # b" = the operation\n# of all\n# half\nr = nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.sbuf)\n'
    assert new.startswith("t = nl.load(x)\n" + head + "nisa.activation(")
    assert new.endswith(")  # behind\nnl.store(out, r)")


@pytest.mark.parametrize(
    "body",
    [
        "i = nl.arange(128)[:, None]  # rows\nj = nl.arange(64)[None, :]  # columns\n"
        "nl.store(out[i, j], nl.load(x[i, j]))\n",
        "nl.store(out,  # where to\n         # between\n         value=nl.load(x) * 2)  # what\n",
        "t = nl.load(x)\nt += nisa.activation(  # first\n    nl.exp, t)  # last\nnl.store(out, t)\n",
        "for i in range(\n    # how many\n    nl.tile_size.pmax // 128):\n    nl.store(out, nl.load(x))\n",
        's = "# no comment"\nt = nisa.activation(nl.exp, nl.load(x))  # noqa: E501\nnl.store(out, t)\n',
    ],
    ids=["grids", "between arguments", "in place", "header", "text"],
)
def test_no_comment_is_lost(body: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, kernel(body))
    after = result.files[0].after.decode()
    comments = [line[line.index("#") :] for line in body.splitlines() if "#" in line]
    assert comments
    assert all(comment in after for comment in comments)
    assert result.complete


# --- operands ---

IN_PLACE = (
    f"c_part = nl.exp(b)\nnisa.tensor_tensor(\n    dst=c,\n    data1=c,\n    data2={SAME.format('c_part', 'c')},\n"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("c = a + b", f"c = nl.add(a, {SAME.format('b', 'a')})"),
        ("c = -a * b", f"c = nl.multiply(nl.negative(a), {SAME.format('b', 'a')})"),
        ("c = nl.exp(a) - b", f"c = nl.subtract(nl.exp(a), {SAME.format('b', 'a')})"),
        ("c = a - a * 2.0", "data1=a,\n    data2=nl.multiply(a, 2.0, dtype=nl.float32),"),
        ("c = a\nc += b", f"data2={SAME.format('b', 'c')},\n"),
        ("c = a\nc *= nl.exp(b)", IN_PLACE),
    ],
    ids=["names", "negative", "function", "of itself", "in place", "value in place"],
)  # fmt: skip
def test_operands_of_which_nothing_says_that_they_are_equal(before: str, after: str, tmp_path: Path) -> None:
    loads = f"a = nl.load(x)\nb = nl.load(y)\n{before}\nnl.store(out[0:128, 0:64], c)\n"
    result = migrated(tmp_path, kernel(loads, "x, y"))
    compact = body(result).replace("nisa.tensor_tensor(dst=c, data1=a, ", "data1=a,\n    ")
    assert after in compact or after.rstrip(",\n").replace("\n    ", " ").replace("( ", "(") in body(result)
    assert result.complete


def test_a_column_is_a_scalar_whatever_its_rows(tmp_path: Path) -> None:
    text = kernel("t = nl.load(x)\ns = nl.load(y[0:1, 0:1]).broadcast_to((128, 1))\nnl.store(out, t * s)\n", "x, y")
    assert "operand0=nl.copy(s, dtype=nl.float32)" in migrated(tmp_path, text).files[0].after.decode()


@pytest.mark.parametrize("product", ["(t > 0) * t", "t * (t > 0)", "nl.multiply(nl.greater(t, 0.5), t)"])
def test_truth_values_take_the_dtype_of_what_they_are_multiplied_with(product: str, tmp_path: Path) -> None:
    text = kernel(f"t = nl.load(x)\nm = {product}\nnl.store(out, m)\n")
    result = migrated(tmp_path, text.replace("nl.load(x)", "nl.load(x[0:128, 0:64])"), verified=True)
    assert "m = nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.sbuf)" in body(result)
    assert [k.state for k in result.kernels] == ["migrated"]


def test_the_items_of_a_dictionary_get_their_tiles(tmp_path: Path) -> None:
    result = migrated(
        tmp_path, kernel('t = nl.load(x)\nd = {"a": nisa.activation(nl.exp, t)}\nnl.store(out, d["a"])\n')
    )
    assert 'd = {"a": d_activation}' in body(result)
    assert result.complete


def test_an_operation_in_a_comprehension_is_told_of(tmp_path: Path) -> None:
    text = "t = nl.load(x)\nd = dict((n, nisa.activation(nl.exp, t)) for n in range(2))\nnl.store(out, d[1])\n"
    result = migrated(tmp_path, kernel(text))
    (note,) = [n for n in result.files[0].notes if n.letter == "P"]
    assert note.text == "what it computes stands in a comprehension, where no tile can be made for it: write a loop"


# --- helpers ---

LOADING = "def tile_of(src, i, j, b, mask=None):\n    return nl.load(src[b * 128 + i, j], mask=mask)\n\n\n"
GRIDS = "i = nl.arange(128)[:, None]\nj = nl.arange(64)[None, :]\n"


@pytest.mark.parametrize(
    ("helper", "call", "new", "called"),
    [
        (LOADING, "tile_of(x, i, j, 0)", "def tile_of(src, b", "tile_of(x, 0)"),
        (LOADING, "tile_of(x, (i), j=j, b=0)", "def tile_of(src, b", "tile_of(x, b=0)"),
        (LOADING, "tile_of(src=x, i=i, b=0, j=j)", "def tile_of(src, b", "tile_of(src=x, b=0)"),
        (LOADING, "tile_of(x, i, j, 0, mask=(i < 128))", "def tile_of(src, b", "tile_of(x, 0)"),
        (LOADING.replace("b, mask=None", "*, b=0, mask=None"), "tile_of(x, i, j)", "(src, *, b=0", "tile_of(x)"),
    ],
    ids=["positions", "names", "all names", "mask", "keyword only"],
)
def test_helpers_lose_the_grids_that_they_got(helper: str, call: str, new: str, called: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, kernel(f"{GRIDS}t = {call}\nnl.store(out[i, j], t)\n", helpers=helper))
    after = result.files[0].after.decode()
    assert new in after
    assert called in after
    assert "arange" not in after
    assert result.complete


@pytest.mark.parametrize(
    "more",
    [
        "KEPT = tile_of\n\n\n",
        "def tile_of(src, i, j, b):\n    return src\n\n\n",
        "ARGUMENTS = ()\nif ARGUMENTS:\n    tile_of(*ARGUMENTS)\n",
    ],
    ids=["named", "made twice", "unpacked"],
)
def test_helpers_of_which_not_all_calls_are_known_keep_their_parameters(more: str, tmp_path: Path) -> None:
    text = kernel(f"{GRIDS}t = tile_of(x, i, j, 0)\nnl.store(out[i, j], t)\n", helpers=LOADING)
    result = migrated(tmp_path, text + "\n\n" + more)
    assert "def tile_of(src, i, j, b, mask=None):" in result.files[0].after.decode()


def test_helpers_that_other_files_name_keep_their_parameters(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("from k import tile_of\n")
    file = tmp_path / "k.py"
    file.write_text(kernel(f"{GRIDS}t = tile_of(x, i, j, 0)\nnl.store(out[i, j], t)\n", helpers=LOADING))
    result = migrate([tmp_path], Options(), "B1", "0.6", verified=False)
    (text,) = [f.after.decode() for f in result.files if f.path.endswith("k.py")]
    assert "def tile_of(src, i, j, b, mask=None):" in text


# --- imports ---

STARRED = """\
from neuronxcc.nki import jit
from neuronxcc.nki.language import *
import neuronxcc.nki.isa as nisa


@jit
def k(x):
    out = ndarray((128, 64), dtype=x.dtype, buffer=shared_hbm)
    t = load(x)
    store(out, value=nisa.tensor_scalar(t, multiply, 2.0))
    return out
"""


def test_a_module_that_the_file_does_not_name_is_imported(tmp_path: Path) -> None:
    after = migrated(tmp_path, STARRED).files[0].after.decode()
    assert "import nki.isa as nisa\nimport nki.language as nl\n\n\n@jit\n" in after
    assert "nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.sbuf)" in after


def test_a_name_of_it_that_is_taken_is_another_one(tmp_path: Path) -> None:
    after = (
        migrated(tmp_path, STARRED.replace("t = ", "nl = ").replace("scalar(t", "scalar(nl")).files[0].after.decode()
    )
    assert "import nki.language as nl_2\n" in after
    assert "nl_2.ndarray(nl.shape, dtype=x.dtype, buffer=nl_2.sbuf)" in after


MASKED = """\
# -*- coding: utf-8 -*-
"Copies rows."

from neuronxcc.nki import jit
import neuronxcc.nki.language as nl


@jit
def k(x):
    n = x.shape[0]
    out = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:64]
    for p in nl.affine_range((n + 127) // 128):
        t = nl.load(x[p * 128 + i, j], mask=p * 128 + i < n)
        nl.store(out[p * 128 + i, j], t, mask=p * 128 + i < n)
    return out
"""


def test_instructions_are_imported_where_the_kernel_had_none(tmp_path: Path) -> None:
    result = migrated(tmp_path, MASKED)
    after = result.files[0].after.decode()
    assert after.startswith(
        '# -*- coding: utf-8 -*-\n"Copies rows."\n\nfrom nki import jit\nimport nki.language as nl\n'
    )
    assert "import nki.language as nl\nimport nki.isa as nisa\n\n\n@jit\n" in after
    assert result.complete


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("load, arange, store, ndarray, shared_hbm", "from nki.language import load, store, ndarray, shared_hbm\n"),
        ("load, store, ndarray, shared_hbm, arange", "from nki.language import load, store, ndarray, shared_hbm\n"),
        ("(\n    arange,\n    load, store,\n    ndarray, shared_hbm)", "import (\n    load, store,\n"),
        (
            "(\n    load,\n    arange, store,\n    ndarray, shared_hbm)",
            "import (\n    load,\n    store,\n    ndarray,\n",
        ),
    ],
    ids=["one line", "last", "a line of its own", "several lines"],
)
def test_names_that_are_gone_are_not_imported(before: str, after: str, tmp_path: Path) -> None:
    head = f"import neuronxcc.nki as nki\nfrom neuronxcc.nki.language import {before}\n"
    text = (
        f"{head}\n\n@nki.jit\ndef k(x):\n    out = ndarray((128, 64), dtype=x.dtype, buffer=shared_hbm)\n"
        "    i = arange(128)[:, None]\n    j = arange(64)[None, :]\n    store(out[i, j], load(x[i, j]))\n"
        "    return out\n"
    )
    new = migrated(tmp_path, text).files[0].after.decode()
    assert after in new
    assert "arange" not in new


# --- inputs ---

LOOP = "for b in range(2):\n    t[b] = nl.load({})\n    nl.store(out[b * 128:(b + 1) * 128], t[b])\n"


@pytest.mark.parametrize(
    "text",
    [
        LOOP.format("x[b * 128:(b + 1) * 128]"),
        LOOP.format("x[b, 0]"),
    ],
    ids=["rows", "blocks"],
)
def test_ranks_are_those_with_which_a_kernel_breaks_no_rule(text: str, tmp_path: Path) -> None:
    made = "t = nl.ndarray((2, nl.par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf)\n"
    result = migrated(tmp_path, kernel(made + text).replace("((128, 64), dtype", "((256, 64), dtype"), verified=True)
    assert [(k.state, k.runs > 0) for k in result.kernels] == [("migrated", True)]


def test_a_parameter_whose_items_ranges_count_to_is_a_tuple(tmp_path: Path) -> None:
    lines = "a, b = shape[0], shape[1]\nj = nl.arange(a * b)[None, :]\ni = nl.arange(128)[:, None]\n"
    result = migrated(tmp_path, kernel(lines + "nl.store(out[i, j], nl.load(x[i, j]))\n", "x, shape"))
    assert "nl.store(out[0:128, 0:a * b], nl.load(x[0:128, 0:a * b]))" in body(result)
    assert result.complete


STARS = """\
from neuronxcc.nki import jit
from neuronxcc.nki.language import *


@jit
def k(x):
    n = x.shape[0]
    out = ndarray((n, 64), dtype=x.dtype, buffer=shared_hbm)
    i, j = mgrid[0:128, 0:64]
    for p in affine_range((n + 127) // 128):
        t = load(x[p * 128 + i, j], mask=p * 128 + i < n)
        store(out[p * 128 + i, j], exp(t), mask=p * 128 + i < n)
    return out
"""


def test_what_a_star_imports_is_known(tmp_path: Path) -> None:
    result = migrated(tmp_path, STARS, verified=True)
    after = result.files[0].after.decode()
    assert "mask" not in after
    assert "mgrid" not in after
    assert "nisa.dma_copy(dst=t[0:min(128, n - p * 128)], " in after
    assert after.count("from builtins import min\n") == 1
    assert [k.state for k in result.kernels] == ["migrated"]


def test_beta_1_behind_imports_of_nki_is_told_of(tmp_path: Path) -> None:
    text = kernel(f"{GRIDS}nl.store(out[i, j], nl.load(x[i, j]))\n").replace("neuronxcc.nki", "nki")
    result = migrated(tmp_path, text)
    assert result.files[0].after.decode() == text
    (note,) = result.files[0].notes
    assert note.text.startswith("`nl.arange` is of Beta 1, and the file imports `nki`: import `neuronxcc.nki` instead")
    assert not result.complete


# --- names ---

TWICE = """\
@nki.jit
def first(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nisa.reciprocal(nl.load(x)))
    return out


@nki.jit
def second(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.add(nisa.reciprocal(nl.load(x)), nisa.reciprocal(nl.load(x))))
    return out
"""


def test_each_function_has_names_of_its_own(tmp_path: Path) -> None:
    after = migrated(tmp_path, HEAD + TWICE).files[0].after.decode()
    first, second = after[after.index("def first") :].split("def second")
    assert "reciprocal_tile = " in first
    assert "reciprocal_tile_2" not in first
    assert "reciprocal_tile = " in second
    assert "reciprocal_tile_2 = " in second


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        ((("+", "a"), ("-", "b")), "a - b"),
        ((("-", "-width"),), "width"),
        ((("+", "a"), ("-", "-5")), "a + 5"),
        ((("+", "-5"), ("+", "a")), "a - 5"),
        ((("-", "-a + b"),), "-(-a + b)"),
        ((("+", "-5"),), "-5"),
        ((("-", "0"),), ""),
    ],
)
def test_a_sum_has_no_sign_twice(terms: tuple[tuple[str, str], ...], text: str) -> None:
    assert summed(terms) == text
