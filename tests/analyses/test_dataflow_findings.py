"""What findings about coverage say: the inputs and the element of a counterexample."""

from __future__ import annotations

import re

import pytest

from nkilint.base.findings import Diagnostic
from nkilint.fixes.edits import applied
from nkilint.fixes.proposing import fixes_for

from ..support.checking import report_on

TWO_CONDITIONS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    B, N, columns = x.shape
    assert columns == 512
    output = nl.ndarray((B, N, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    b = nl.program_id(0)
    for i in nl.affine_range(N // 128):
        tile = nl.load(x[b, nl.ds(i * 128, 128), 0:512])
        nl.store(output[b, nl.ds(i * 128, 128), 0:512], value=tile)
    return output
"""


def sizes_of(d: Diagnostic) -> tuple[int, ...]:
    assert d.witness is not None
    return tuple(map(int, re.findall(r"\d+", str(dict(d.witness.inputs)["x"]))))


def test_a_counterexample_fails_the_stated_condition_alone() -> None:
    report = report_on(TWO_CONDITIONS, select=("NKI3", "NKI7"))
    (tail,) = [d for d in report.diagnostics if d.precondition == "N % 128 == 0"]
    assert tail.code == "NKI703"
    batches, rows, _ = sizes_of(tail)
    assert (batches, rows % 128 != 0) == (1, True)
    assert tail.witness is not None
    assert tail.witness.element is not None
    assert tail.witness.element[0] == 0


GATHER = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def gather(table, ids):
    V, D = table.shape
    T, _ = ids.shape
    output = nl.ndarray((T, D), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_d = nl.arange(128)[:, None], nl.arange(D)[None, :]
    for t in nl.affine_range((T + 127) // 128):
        inside = t * 128 + i_p < T
        INDEX
        rows = nl.load(table[idx[i_p, 0], i_d]MASK)
        nl.store(output[t * 128 + i_p, i_d], value=rows, mask=inside)
    return output
"""
MASKED = "idx = nl.load(ids[t * 128 + i_p, nl.arange(1)[None, :]], mask=inside)"
FILLED = f"""idx = nl.zeros((nl.par_dim(128), 1), dtype=nl.int32, buffer=nl.sbuf)
        idx[...] = {MASKED.removeprefix("idx = ")}"""


@pytest.mark.parametrize(
    ("index", "mask", "conditions"),
    [(MASKED, "", ["T % 128 == 0"]), (MASKED, ", mask=inside", []), (FILLED, "", [])],
)
def test_what_nothing_wrote_is_no_address(index: str, mask: str, conditions: list[str]) -> None:
    report = report_on(GATHER.replace("INDEX", index).replace("MASK", mask), confirm=False)
    found = [d for d in report.diagnostics if d.code == "NKI701"]
    assert [d.precondition for d in found] == conditions
    assert all("`idx`" in d.message for d in found)
    assert conditions or report.kernels[0].verdict == "verified"


SHARED = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    M, N = x.shape
    output = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    programs, program = nl.num_programs(0), nl.program_id(0)
    BODY
    return output
"""

ROWS = """\
share = M // programs
    for t in nl.affine_range((share + 127) // 128):
        local = t * 128 + nl.arange(128)[:, None]
        row, column = program * share + local, nl.arange(N)[None, :]
        nl.store(output[row, column], nl.load(x[row, column], mask=local < share), mask=local < share)"""

TILES = """\
assert M % 128 == 0
    share = M // 128 // programs
    for t in nl.affine_range(share):
        rows = nl.ds((FIRST) * 128, 128)
        nl.store(output[rows, :], nl.load(x[rows, :]))"""


@pytest.mark.parametrize(
    ("body", "contract"),
    [
        (ROWS, "M % num_programs(0) == 0"),
        (
            ROWS.replace("M // programs", "-(-M // programs)").replace("local < share", "(local < share) & (row < M)"),
            "",
        ),
        (TILES.replace("FIRST", "program * share + t"), "(M // 128) % num_programs(0) == 0"),
        (TILES.replace("FIRST", "t * programs + program"), "(M // 128) % num_programs(0) == 0"),
    ],
)
def test_what_equal_shares_leave_over_is_not_written(body: str, contract: str) -> None:
    (kernel,) = report_on(SHARED.replace("BODY", body)).kernels
    assert kernel.contract == ((contract,) if contract else ())
    assert not kernel.unknown


DEALT = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    N, M = x.shape
    assert N % 128 == 0
    out = nl.ndarray((N, M), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(nl.program_id(0), N // 128, STEP):
        tile = nl.ndarray((128, M), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), :])
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), :], src=tile)
    return out
"""


def test_tiles_dealt_out_to_the_programs_are_not_written_twice() -> None:
    (kernel,) = report_on(DEALT.replace("STEP", "nl.num_programs(0)")).kernels
    assert (kernel.verdict, kernel.unknown) == ("verified", ())
    (kernel,) = report_on(DEALT.replace("STEP", "nl.num_programs(0) - 1")).kernels
    assert kernel.verdict != "verified"


SMALL_SHARES = """\
import math
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    M, N = x.shape
    assert nl.num_programs(0) == 2
    output = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    i = nl.program_id(0)
    part = M // nl.num_programs(0)
    for k in range(math.ceil(part / 128) - 1):
        first = i * part + k * 128
        height = min(128, (i + 1) * part - first)
        tile = nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:height, :], src=x[first : first + height, :])
        nisa.dma_copy(dst=output[first : first + height, :], src=tile[0:height, :])
    return output
"""


def test_a_condition_one_of_whose_cases_divides_by_zero_is_left_as_it_is() -> None:
    report = report_on(SMALL_SHARES)
    assert (report.failures, report.kernels[0].verdict) == ((), "violated")


CARRIED = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# nkilint: x: float32[N, M]
@nki.jit
def kernel(x):
    N, M = x.shape
    assert N % 128 == 0 and M <= 512
    out = nl.ndarray((N, M), dtype=x.dtype, buffer=nl.shared_hbm)
    last = nl.zeros((128, M), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(N // 128):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        BODY
    return out
"""
STORE = "nl.store(out[nl.ds(128 * i, 128), :], nl.subtract(tile, last))"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"{STORE}\n        last = nl.copy(tile)", [("NKI705", "N == 128")]),
        (f"{STORE}\n        last = nl.maximum(last, tile)", [("NKI705", "N == 128")]),
        (f"{STORE}\n        last = tile", [("NKI705", "N == 128")]),
        (f"{STORE}\n        last[...] = nl.copy(tile)", []),
        (f"last = nl.copy(tile)\n        {STORE}", []),
        (f"{STORE}\n        tile = nl.copy(last)", []),
    ],
)
def test_a_name_that_the_next_iteration_reads_is_not_bound_anew(body: str, found: list[tuple[str, str]]) -> None:
    report = report_on(CARRIED.replace("BODY", body), ignore=("NKI604",))
    assert [(d.code, d.precondition) for d in report.diagnostics] == found


def test_such_a_name_is_repaired_by_assigning_to_its_elements() -> None:
    source = CARRIED.replace("BODY", f"{STORE}\n        last = nl.copy(tile)")
    (finding,) = report_on(source, ignore=("NKI604",)).diagnostics
    (fix,) = fixes_for(finding, report_on(source).kernels, source.splitlines())
    repaired = applied(fix.edits, source)
    assert "        last[...] = nl.copy(tile)\n" in repaired
    assert not report_on(repaired, ignore=("NKI604",)).diagnostics


UNKNOWN_VALUES = """\
import {dialect} as nki
import {dialect}.isa as nisa
import {dialect}.language as nl
import elsewhere


@nki.jit
def kernel(x, y):
    output = nl.ndarray((x.shape[0], 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in range({trips}):
        {before}
        {store}
    return output
"""
STORES = {
    "neuronxcc.nki": "nl.store(output[nl.ds(128 * r, 128), :], value={value})",
    "nki": "nisa.dma_copy(dst=output[nl.ds(128 * r, 128), :], src={value})",
}


def undecided_stores(dialect: str, trips: str, value: str, before: str = "pass") -> list[str]:
    store = STORES[dialect].format(value=value)
    source = UNKNOWN_VALUES.format(dialect=dialect, trips=trips, before=before, store=store)
    return [f"{d.code} {d.precondition}" for d in report_on(source, select=("NKI7",)).findings if d.code != "NKI003"]


@pytest.mark.parametrize("dialect", STORES)
@pytest.mark.parametrize("value", ["elsewhere.made(r)", "elsewhere.table[r]", "elsewhere.made(x)", "made", "made[r]"])
def test_a_store_of_an_unknown_value_covers_its_destination(dialect: str, value: str) -> None:
    before = "made = elsewhere.all(y)" if value.startswith("made") else "pass"
    assert undecided_stores(dialect, "x.shape[0] // 128", value, before) == ["NKI703 x.shape[0] % 128 == 0"]


@pytest.mark.parametrize("dialect", STORES)
@pytest.mark.parametrize(
    "before",
    [
        "elsewhere.fill(output)",
        "elsewhere.fill(tensors=[output])",
        "nisa.dma_copy(dst=elsewhere.part(output), src=y)",
        "elsewhere.pool.map(lambda i: nisa.dma_copy(dst=output[i], src=y[i]), range(9))",
    ],
)
def test_what_is_not_followed_may_have_written_the_rest(dialect: str, before: str) -> None:
    assert undecided_stores(dialect, "x.shape[0] // 128", "elsewhere.made(r)", before) == []


FORGOTTEN_OFFSET = """\
import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, begin, rows):
    tile = nl.ndarray((rows, 512), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[begin : begin + rows, :])
    return tile


@nki.jit
def kernel(x, y):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512 and y.shape == x.shape
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        left, right = loaded(x, i * 128, 128), loaded(y, 0, 128)
        nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=left)
    return output
"""


def test_a_read_in_a_helper_is_told_with_its_call() -> None:
    (found,) = report_on(FORGOTTEN_OFFSET, select=("NKI709",)).diagnostics
    lines = FORGOTTEN_OFFSET.splitlines()
    ((note, call),) = [(r.message, lines[r.at.row - 1][r.at.column - 1 : r.at.end_column - 1]) for r in found.related]
    assert (note, call) == ("it is called here", "loaded(y, 0, 128)")
    assert found.message.startswith("each iteration of the loop over `i` reads the same part of axis 0 of `y`")
