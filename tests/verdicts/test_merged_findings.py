"""Findings of one rule at one place that differ in their precondition alone are one; long ones are left out."""

from __future__ import annotations

from dataclasses import replace

from nkilint.base.findings import conditioned, unconditioned
from nkilint.report.places import headline
from nkilint.verdicts.witnesses import as_written

from ..support.checking import report_on

TAIL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, y):
    N, M = x.shape
    assert N % 128 == 0 and M <= 512
    out = nl.ndarray((N, M), dtype=x.dtype, buffer=nl.shared_hbm)
    step = nl.load(y[0:1, 0:1])
    for i in nl.static_range(N // 128) if M < 256 else nl.affine_range(N // 128):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], nl.add(tile, nl.load(y[nl.ds(128 * i, 128), 0:1])))
    return out
"""

PLACED = """\
import nki
import nki.isa as nisa
import nki.language as nl


def size_of(dtype):
    return 4 if dtype == nl.float32 else 2


@nki.jit
def kernel(query, keys, values):
    rows, columns = query.shape
    assert rows == 128
    taken = columns * (size_of(query.dtype) + size_of(keys.dtype) + size_of(values.dtype)) + columns // 128 * 4
    taken = taken + columns // 512 * 12 + 1024 * size_of(query.dtype)
    tile = nl.ndarray((128, columns), dtype=nl.bfloat16, buffer=nl.sbuf, address=(0, taken))
    nisa.dma_copy(dst=tile, src=query)
    out = nl.ndarray((128, columns), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


def test_both_sides_of_a_case_are_one_finding() -> None:
    found = [d for d in report_on(TAIL).diagnostics if d.code == "NKI301"]
    assert [(d.at.row, d.precondition) for d in found] == [(13, "N <= y.shape[0]")]
    assert found[0].message.endswith(", unless `N <= y.shape[0]`")


def test_a_long_precondition_is_named_by_its_inputs() -> None:
    (finding,) = [d for d in report_on(PLACED).diagnostics if d.code == "NKI402"]
    assert finding.precondition is not None
    assert len(finding.precondition) > 160
    first, _, rest = finding.message.partition(" of a partition; ")
    assert first.startswith("a tile takes bytes ")
    assert first.removeprefix("a tile takes bytes ").replace(" to ", "").isdigit()
    assert rest.partition(", unless ")[2] == (
        "a condition on `columns`, `query.dtype`, `keys.dtype`, `values.dtype` holds that `nkilint explain` shows"
    )
    assert headline(finding) == finding.message
    bare = replace(finding, message=unconditioned(finding))
    assert bare.message in finding.message
    assert headline(bare) == finding.message


def test_a_condition_without_names_is_not_listed() -> None:
    assert (
        conditioned("x", " + ".join(["1"] * 90), False) == "x; excluded under a condition that `nkilint explain` shows"
    )


def test_preconditions_on_other_inputs_stay_apart() -> None:
    untiled = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    M, N = x.shape
    out = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(M // 128):
        for j in nl.affine_range(N // 512):
            tile = nl.load(x[nl.ds(128 * i, 128), nl.ds(512 * j, 512)])
            nl.store(out[nl.ds(128 * i, 128), nl.ds(512 * j, 512)], tile)
    return out
"""
    found = [d for d in report_on(untiled).diagnostics if d.code == "NKI703"]
    assert {d.precondition for d in found} == {"M % 128 == 0", "N % 512 == 0"}


FILLED = """\
import nki
import nki.isa as nisa
import nki.language as nl


def size_of(dtype):
    if dtype == nl.float32 or dtype == nl.int32:
        return 4
    if dtype == nl.bfloat16 or dtype == nl.float16 or dtype == nl.int16:
        return 2
    return 1


@nki.jit
def kernel(a, b, c):
    rows, n = a.shape
    assert rows == 128
    words = (n * size_of(a.dtype) + n * size_of(b.dtype) + n * size_of(c.dtype) + 3) // 4
    tile = nl.ndarray((rows, words), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray((rows, n), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


def test_numbers_that_take_long_to_write_are_those_of_the_counterexample() -> None:
    (finding,) = [d for d in report_on(FILLED).diagnostics if d.code == "NKI204"]
    assert unconditioned(finding) == "`dst` has 128 elements; `src` has 384"


HALF = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    N, D = x.shape
    assert N == 128 and D % 2 == 0
    out = nl.ndarray((N, D // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    f = nl.arange(D // 2)[None, :]
    nl.store(out, nl.load(x[nl.arange(128)[:, None], D + f]))
    return out
"""


def test_what_an_index_reaches_over_an_axis_of_an_inputs_size_is_a_number() -> None:
    (found,) = [d for d in report_on(HALF).diagnostics if d.code == "NKI301"]
    assert found.message == "index `D + f` reaches 2 on axis 1; `x` has size 2 there"


def test_short_numbers_are_written_as_they_are() -> None:
    same = FILLED.replace("n * size_of(b.dtype) + n * size_of(c.dtype)", "8")
    short = same.replace("size_of(a.dtype)", "4")
    (finding,) = [d for d in report_on(short).diagnostics if d.code == "NKI204"]
    assert unconditioned(finding) == "`dst` has 128*n elements; `src` has 128*n + 256"


TWO_LOOPS = """\
import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[rows, 512]
@nki.jit
def kernel(x):
    rows = x.shape[0]
    out = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((rows + 127) // 128):
        n = min(128, rows - i * 128)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:n, :], src=x[i * 128 : i * 128 + n, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + n, :], src=tile[0:n, :])
    for i in range((rows + 127) // 128):
        n = min(128, rows - i * 128)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:n, :], src=x[i * 128 : i * 128 + n, :])
        nisa.tensor_scalar(dst=tile, data=tile[0:n, :], op0=nl.multiply, operand0=2.0)
    return out
"""


def test_iterations_have_the_names_of_the_source() -> None:
    found = next(d for d in report_on(TWO_LOOPS).findings if d.code == "NKI203")
    said = "`dst` has partition size 128; `data` has min(rows - 128*i, 128), unless `rows % 128 == 0`"
    assert (found.code, found.at.row, found.message) == ("NKI203", 20, said)


def test_iterations_of_loops_over_one_name_are_told_apart() -> None:
    assert as_written("`128*i.2 + k.3` of `x`") == "`128*i + k` of `x`"
    assert as_written("`i + 128*i.2` of NKI 0.3") == "`i + 128*i.2` of NKI 0.3"
    assert as_written("`i.1 - i.2`, which is 1.5") == "`i.1 - i.2`, which is 1.5"


SHARED = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, c_t, c_norm):
    N, D = x.shape
    K = c_t.shape[1]
    P = nl.tile_size.pmax
    assert D <= P
    assert 8 <= K <= P
    assert N % P == 0
    sums = nl.ndarray((K, D), dtype=nl.float32, buffer=nl.shared_hbm)
    counts = nl.ndarray((K, 1), dtype=nl.float32, buffer=nl.shared_hbm)

    cent = nl.load(c_t)
    norm = nl.load(c_norm)
    norm_b = nl.broadcast_to(norm, shape=(P, K))
    acc = nl.zeros((K, D), dtype=nl.float32, buffer=nl.psum)
    cnt = nl.zeros((K, 1), dtype=nl.float32, buffer=nl.psum)
    one = nl.ones((P, 1), dtype=nl.float32, buffer=nl.sbuf)

    def assign(tile):
        xt = nl.copy(nisa.nc_transpose(tile), dtype=nl.float32)
        dots = nl.matmul(xt, cent, transpose_x=True)
        score = nl.subtract(dots, norm_b)
        best = nl.max(score, axis=[1], keepdims=True)
        return nl.equal(score, best, dtype=nl.float32)

    for i in nl.affine_range(N // P):
        tile = nl.load(x[i * P:(i + 1) * P, :])
        hot = assign(tile)
        acc += nisa.nc_matmul(hot, tile)
        cnt += nisa.nc_matmul(hot, one)
    nl.store(sums, value=nl.copy(acc))
    nl.store(counts, value=nl.copy(cnt))
    return sums, counts
"""


def test_a_counterexample_meets_what_is_asserted_of_inputs_of_other_conditions() -> None:
    """`D == c_t.shape[0]`, as a later place wants, and the assertion about `D` leave none: so `D` is another number."""
    found = [d for d in report_on(SHARED, confirm=False).diagnostics if d.precondition == "c_t.shape[0] <= 128"]
    assert [d.witness.inputs["x"] for d in found if d.witness is not None] == ["[128, 1]"]
