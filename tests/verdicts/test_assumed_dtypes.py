"""What a report says of dtypes that nothing specifies."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

import nkilint

HEAD = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, y, z, n: int):
    assert x.shape == (128, 128) and y.shape == (128, 128) and z.shape == (128, 128)
    out = nl.ndarray((3, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    xs, ys, zs = [nl.ndarray((128, 128), dtype=each.dtype, buffer=nl.sbuf) for each in (x, y, z)]
    for tile, each in ((xs, x), (ys, y), (zs, z)):
        nisa.dma_copy(dst=tile, src=each)

    def turned(dtype, tile):
        made = nl.ndarray((128, 128), dtype=dtype, buffer=nl.psum)
        nisa.nc_transpose(dst=made, data=tile)

    def product(a, b):
        nisa.nc_matmul(dst=nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum), stationary=a, moving=b)

"""
ALL = "bfloat16, float16, float32, float8_e4m3, float8_e5m2, tfloat32"
TOGETHER = (
    "({0}.dtype in (float32, tfloat32) and {1}.dtype in (float32, tfloat32)) or"
    " ({0}.dtype not in (float32, tfloat32) and {1}.dtype not in (float32, tfloat32))"
)


def assumed(body: str) -> list[str]:
    text = HEAD + indent(f"{dedent(body)}\nreturn out\n", "    ")
    (kernel,) = nkilint.check_source(text).kernels
    return sorted(a for a in kernel.assumptions if "dtype" in a)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("turned(nl.float32, xs)", ["x.dtype == float32"]),
        (
            "if x.dtype == nl.float32:\n    turned(nl.float32, xs)\nelse:\n    turned(nl.bfloat16, xs)",
            ["x.dtype in (bfloat16, float32)"],
        ),
        ("if x.dtype == nl.float32:\n    turned(nl.float32, xs)", []),
        (
            "if n > 3:\n    turned(nl.float32, xs)\nelse:\n    turned(nl.bfloat16, xs)",
            ["x.dtype == bfloat16", "x.dtype == float32"],
        ),
        ("turned(x.dtype, ys)", ["y.dtype == x.dtype"]),
        (
            "if x.dtype == nl.float32:\n    turned(nl.float32, ys)",
            ["x.dtype != float32 or y.dtype == float32"],
        ),
        (
            "product(xs, ys)",
            [TOGETHER.format("x", "y"), f"x.dtype in ({ALL})", f"y.dtype in ({ALL})"],
        ),
    ],
)
def test_assumptions_say_which_dtypes_are_left(body: str, expected: list[str]) -> None:
    assert assumed(body) == sorted(expected)


def test_three_dtypes_may_hang_together() -> None:
    found = assumed("product(xs, ys)\nproduct(ys, zs)")
    assert {TOGETHER.format("x", "y"), TOGETHER.format("y", "z")} <= set(found)
    assert f"z.dtype in ({ALL})" in found
