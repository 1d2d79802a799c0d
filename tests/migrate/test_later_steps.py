"""Steps between versions of `nki`: what they leave to a person, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    assert x.shape == (128, 256)
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x)
    n = nisa.register_alloc(2)
{body}
    nisa.dma_copy(dst=out, src=a)
    return out
"""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "for i in nl.dynamic_range(0, n):\n    nisa.dma_copy(dst=a, src=x)\n    k = i + 1",
            "`i` is computed with: `nl.fori_loop` gives it to `scalar_offset` only",
        ),
        (
            "with nl.no_reorder():\n    for i in nl.dynamic_range(0, n):\n        nisa.dma_copy(dst=a, src=x)",
            "`nl.fori_loop` cannot stand inside of `nl.no_reorder`",
        ),
        (
            "for i in nl.dynamic_range(0, n):\n    b = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)\n"
            "    nisa.dma_copy(dst=b, src=x)\nnisa.dma_copy(dst=a, src=b)",
            "`b` is bound in a loop and used outside of it: keep it in a tile",
        ),
        (
            "while n:\n    n = nisa.register_alloc(0)",
            "`n` is bound anew in the loop: load it with `nisa.register_load`",
        ),
    ],
    ids=["computed with", "no_reorder", "used outside", "bound anew"],
)
def test_loops_that_are_no_functions_are_left(tmp_path: Path, body: str, why: str) -> None:
    file = tmp_path / "k.py"
    file.write_text(KERNEL.format(body="".join(f"    {line}\n" for line in body.split("\n")).rstrip("\n")))
    result = migrate([file], Options(), "0.5", "0.6", verified=False)
    assert [n.text for n in result.files[0].notes] == [why]
    assert "fori_loop(" not in result.files[0].after.decode().replace(why, "")


def test_an_axis_that_both_readings_fit_is_left(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    body = (
        "    t = nl.ndarray((128, 16, 16), dtype=x.dtype, buffer=nl.sbuf)\n    nisa.memset(dst=t, value=0.0)\n"
        "    s = nl.ndarray((128, 16), dtype=x.dtype, buffer=nl.sbuf)\n"
        "    nisa.tensor_reduce(dst=s, op=nl.add, data=t, axis=1)"
    )
    file.write_text(KERNEL.format(body=body))
    result = migrate([file], Options(), "0.2", "0.3", verified=False)
    (note,) = result.files[0].notes
    assert note.text.startswith("`axis=1` was the last dimension in 0.2")


def test_what_meant_something_else_before_is_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    body = (
        "    t = nl.ndarray((128, 1, 16), dtype=x.dtype, buffer=nl.sbuf)\n    nisa.memset(dst=t, value=1.0)\n"
        "    s = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)\n"
        "    nisa.tensor_reduce(dst=s, op=nl.add, data=t, axis=1)"
    )
    file.write_text(KERNEL.format(body=body))
    (kernel,) = migrate([file], Options(), "0.2", "0.3").kernels
    assert (kernel.state, kernel.problems) == ("unverified", ())
    assert kernel.skipped == ("an argument in it meant something else before, which no run of today shows",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import nki.tensor as ntensor\n", "import nki.meta.tensor as ntensor\n"),
        ("import numpy, nki.tensor\n", "import numpy, nki.meta.tensor\n"),
        ("from nki import tensor\n", "from nki.meta import tensor\n"),
        ("from nki import tensor as t, typing\n", "from nki import typing\nfrom nki.meta import tensor as t\n"),
        ("from nki.tensor import identity\n", "from nki.meta.tensor import identity\n"),
        ("import nki\nc = nki.tensor.identity\n", "import nki\nc = nki.meta.tensor.identity\n"),
        ("import nki.tensors as t\nfrom .nki import tensor\n", "import nki.tensors as t\nfrom .nki import tensor\n"),
    ],
)
def test_the_module_of_constants_has_moved(before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(before)
    result = migrate([file], Options(), "0.2", "0.6")
    assert result.files[0].after.decode() == after


@pytest.mark.parametrize(
    ("test", "written"),
    [
        ("(n := x) is not None", "(n := x) != None"),
        ("(x if n else None) is not None", "(x if n else None) != None"),
        ("(n or x) is None", "(n or x) == None"),
        ("(lambda: None) is None", "(lambda: None) == None"),
        ("x.dtype is None", "x.dtype == None"),
    ],
)
def test_what_is_compared_stays_one_operand(tmp_path: Path, test: str, written: str) -> None:
    file = tmp_path / "k.py"
    file.write_text(KERNEL.format(body=f"    if {test}:\n        n = None"))
    result = migrate([file], Options(), "0.2", "0.3", verified=False)
    assert f"    if {written}:\n" in result.files[0].after.decode()
