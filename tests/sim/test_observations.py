"""What tools are told of a run: results, findings with their places, and what a run goes on without."""

from __future__ import annotations

import json
from typing import Any

import neuronxcc.nki as nki1
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

import reference_sim
from reference_sim import Strictness


@nki1.jit
def tail_forgotten(x: Any) -> Any:
    out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
    for i in nl1.affine_range(x.shape[0] // 128):
        rows = nl1.load(x[i * 128 : (i + 1) * 128])
        nl1.store(out[i * 128 : (i + 1) * 128], nl1.exp(rows))
    return out


def test_an_observation_tells_results_and_findings() -> None:
    x = np.ones((200, 4), np.float32)
    seen = reference_sim.observe(tail_forgotten, [x])
    assert [f.code for f in seen.findings] == ["NKI703"]
    assert seen.stopped is None
    np.testing.assert_allclose(seen.results[:128], np.exp(x[:128]), rtol=1e-6)
    assert reference_sim.FINDINGS.items == []
    assert json.loads(json.dumps(seen.as_json()))["findings"][0]["message"] == (
        "element [128, 0] of `out` is never written: axis 0 is not covered"
    )


@pytest.mark.parametrize("mask", [None, "box", "elements"])
def test_a_run_goes_on_without_what_is_out_of_bounds(mask: str | None) -> None:
    def wide(x: Any) -> Any:
        out = nl1.ndarray((16, 8), dtype=x.dtype, buffer=nl1.shared_hbm)
        i, j = nl1.arange(16)[:, None], nl1.arange(8)[None, :]
        where = {None: None, "box": i < 12, "elements": i + j < 19}[mask]
        tile = nl1.zeros((16, 8), dtype=x.dtype, buffer=nl1.sbuf)
        tile[i, j] = nl1.load(x[i, j], mask=where)
        nl1.store(out, tile)
        return out

    x = np.arange(40, dtype=np.float32).reshape(8, 5)
    seen = reference_sim.observe(wide, [x], dialect="neuronxcc", strictness=Strictness(collect=True))
    assert "NKI301" in {f.code for f in seen.findings}
    assert seen.stopped is None
    np.testing.assert_array_equal(seen.results[:8, :5], x)


def test_a_run_goes_on_without_an_index_that_is_out_of_bounds() -> None:
    def beyond(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.load(x))
        nl1.store(out[8], nl1.load(x[0]))
        return out

    x = np.arange(40, dtype=np.float32).reshape(8, 5)
    seen = reference_sim.observe(beyond, [x], dialect="neuronxcc")
    assert [f.code for f in seen.findings] == ["NKI301"]
    np.testing.assert_array_equal(seen.results, x)


def test_a_run_goes_on_at_the_nearest_index() -> None:
    def beyond(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=x)
        nisa.dma_copy(dst=out[8], src=x[-9])
        return out

    x = np.arange(40, dtype=np.float32).reshape(8, 5)
    seen = reference_sim.observe(beyond, [x], dialect="nki")
    assert [f.code for f in seen.findings] == ["NKI301", "NKI301"]
    np.testing.assert_array_equal(seen.results, [*x[:7], x[0]])


def test_an_observation_tells_what_stopped_the_kernel_and_where() -> None:
    def careless(x: Any) -> Any:
        assert x.shape[0] % 128 == 0, "rows come in tiles"
        return nl1.load(x)

    seen = reference_sim.observe(careless, [np.ones((200, 4), np.float32)], dialect="neuronxcc")
    assert seen.stopped is not None
    told = seen.stopped.as_json()
    assert (told["type"], told["function"]) == ("AssertionError", "careless")
    assert told["message"].startswith("rows come in tiles")
    assert told["filename"] == __file__
    assert told["row"] == careless.__code__.co_firstlineno + 1


def test_a_finding_tells_its_iterations_and_its_program() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        for _ in range(2):
            pass
        for i in nl1.affine_range(1):
            for j in range(3):
                row = nl1.program_id(0) + i + j
                nl1.store(out[row : row + 1], nl1.load(x[row : row + 1]))
        return out

    seen = reference_sim.observe(kernel, [np.arange(64, dtype=np.float32).reshape(8, 8)], grid=(2,))
    conflict = next(f for f in seen.findings if f.code == "NKI603")
    assert (conflict.iterations, conflict.program) == ((("i", 0), ("j", 0)), (1,))


def test_a_result_that_a_mask_leaves_undefined_is_named() -> None:
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        rows = nl1.arange(4)[:, None]
        squares = nl1.square(nl1.load(x), mask=rows < 2)
        nl1.store(out, squares)
        return out

    (found,) = reference_sim.observe(kernel, [np.ones((4, 8), np.float32)], dialect="neuronxcc").findings
    assert found.code == "NKI701"
    assert "of `squares` is read before anything is written to it" in found.message
    first = kernel.__code__.co_firstlineno
    assert [(text, where.row - first) for text, where in found.related] == [
        ("the value reaches HBM here", 4), ("allocated here", 3),
    ]  # fmt: skip


@pytest.mark.parametrize(("first", "found"), [(0, []), (2, ["NKI701"])])
def test_what_a_selection_leaves_out_is_not_read(first: int, found: list[str]) -> None:
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        p, j = nl1.mgrid[0:4, 0:8]
        tile = nl1.ndarray((nl1.par_dim(4), 8), dtype=nl1.float32, buffer=nl1.sbuf)
        tile[p, j] = nl1.load(x[p, j], mask=j < 4)
        chosen = nisa1.affine_select(pred=j < 4 + first, on_true_tile=tile[p, j], on_false_value=-9984.0)
        nl1.store(out, chosen)
        return out

    seen = reference_sim.observe(kernel, [np.ones((4, 8), np.float32)], dialect="neuronxcc")
    assert [f.code for f in seen.findings] == found


def test_what_in_place_sums_read_unwritten_is_seen_where_it_reaches_the_output() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        output = nl1.ndarray((128, 64), dtype=x.dtype, buffer=nl1.shared_hbm)
        result = nl1.ndarray((nl1.par_dim(128), 64), dtype=nl1.float32, buffer=nl1.sbuf)
        result[0:128, 0:64] += nl1.load(x)
        nl1.store(output, value=result)
        return output

    seen = reference_sim.observe(kernel, [np.ones((128, 64), np.float32)])
    assert [f.code for f in seen.findings] == ["NKI701"]
