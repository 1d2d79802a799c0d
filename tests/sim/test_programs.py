"""Programs of a grid, logical cores that talk to each other, loops decided at run time, registers, random numbers."""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any

import neuronxcc.nki as nki1
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

import reference_sim
from reference_sim import FINDINGS, NkiError, Strictness
from reference_sim.running.settings import SETTINGS


def loaded(x: Any) -> Any:
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def test_every_program_of_a_grid_runs_and_shares_its_outputs() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        i, j = nl1.program_id(0), nl1.program_id(1)
        part = nl1.load(x[nl1.ds(i * 32, 32), nl1.ds(j * 8, 8)])
        nl1.store(out[nl1.ds(i * 32, 32), nl1.ds(j * 8, 8)], part * (10 * i + j + nl1.num_programs(1)))
        return out

    found = kernel[4, 2](np.ones((128, 16), np.float32))
    expected = np.repeat(np.repeat([[10 * i + j + 2 for j in range(2)] for i in range(4)], 32, 0), 8, 1)
    np.testing.assert_array_equal(found, expected)


def test_what_a_kernel_returns_twice_comes_in_two_arrays_that_are_not_the_inputs() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.load(x))
        return out, out, out.reshape((16, 32))

    x = np.arange(512, dtype=np.float32).reshape(32, 16)
    arrays = [*kernel(x), *kernel(x)]
    for array in arrays:
        np.testing.assert_array_equal(array.reshape(x.shape), x)
        array[...] = 0
    assert not any(np.shares_memory(a, b) for a in arrays for b in [*arrays, x] if a is not b)
    assert x.any()


def test_cores_send_to_each_other_and_wait() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        me = nl.program_id(0)
        mine = loaded(x[me * 64 : me * 64 + 64, :])
        theirs = nl.ndarray((64, 8), dtype=x.dtype, buffer=nl.sbuf)
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out[me * 64 : me * 64 + 64, :], src=theirs)
        nisa.core_barrier(data=out, cores=(0, 1))
        return out

    x = np.arange(1024, dtype=np.float32).reshape(128, 8)
    np.testing.assert_array_equal(nki.simulate(kernel[2])(x), np.concatenate([x[64:], x[:64]]))


def test_cores_send_to_each_other_several_times() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        me = nl.program_id(0)
        mine = loaded(x[me * 64 : me * 64 + 64, :])
        theirs = nl.ndarray((64, 8), dtype=x.dtype, buffer=nl.sbuf)
        for _ in range(3):
            nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)
            nisa.tensor_tensor(dst=mine, data1=mine, data2=theirs, op=nl.add)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out[me * 64 : me * 64 + 64, :], src=mine)
        return out

    x = np.arange(1024, dtype=np.float32).reshape(128, 8)
    np.testing.assert_array_equal(nki.simulate(kernel[2])(x), np.concatenate([x[:64] + x[64:]] * 2) * 4)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal")
def test_cores_end_with_a_run_that_is_interrupted() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        tile = loaded(x)
        while True:
            nisa.memset(dst=tile, value=1.0)
            nisa.core_barrier(data=x, cores=(0, 1))

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            nki.simulate(kernel[2])(np.ones((4, 8), np.float32))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not [thread for thread in threading.enumerate() if thread.is_alive() and "core" in thread.name]


def test_loops_whose_bounds_are_known_at_run_time() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        tile = loaded(x)
        one = nl.ndarray((1, 8), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=one, value=1.0)
        bound = nisa.register_alloc(3)
        for _ in nl.dynamic_range(0, bound):
            nisa.tensor_tensor(tile, tile, one, nl.add)
        nl.fori_loop(0, 4, lambda i: nisa.tensor_tensor(tile, tile, one, nl.add))
        left = nisa.register_alloc(2)

        def body(register: Any) -> Any:
            nisa.tensor_tensor(tile, tile, one, nl.add)
            return register - 1

        nl.while_loop(left, body)
        out = nl.ndarray((1, 8), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=tile)
        return out

    np.testing.assert_array_equal(kernel(np.zeros((1, 8), np.float32)), np.full((1, 8), 9.0))


def test_the_same_seed_gives_the_same_numbers() -> None:
    @nki1.jit
    def kernel(seed: Any) -> Any:
        nl1.random_seed(nl1.load(seed))
        numbers = nl1.rand((128, 64))
        out = nl1.ndarray((128, 128), dtype=nl1.float32, buffer=nl1.shared_hbm)
        nl1.store(out[:, 0:64], numbers)
        nl1.store(out[:, 64:128], nl1.dropout(nl1.ones((128, 64), nl1.float32), rate=0.25))
        return out

    first, again, other = (kernel(np.array([[seed]], np.int32)) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert 0.45 < first[:, :64].mean() < 0.55
    assert 0.7 < first[:, 64:].mean() < 0.8


def test_elements_are_dropped_with_the_probability_given() -> None:
    @nki1.jit
    def kernel(x: Any, chance: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nisa1.dropout(nl1.load(x), prob=nl1.load(chance)))
        return out

    chances = np.array([[0.0], [0.25], [1.0], [50.0]], np.float32)
    kept = kernel(np.ones((4, 2000), np.float32), chances).mean(axis=1)
    assert (kept[0], kept[2], kept[3]) == (1, 0, 1)
    assert 0.7 < kept[1] < 0.8


@nki1.jit
def depends(x: Any) -> Any:
    """Each iteration goes on from the one before, which `affine_range` does not promise."""
    out = nl1.ndarray((128, 4), dtype=x.dtype, buffer=nl1.shared_hbm)
    state = nl1.zeros((128, 1), dtype=nl1.float32, buffer=nl1.sbuf)
    for i in nl1.affine_range(4):
        state[...] = nl1.multiply(nl1.add(state, nl1.load(x[:, i : i + 1])), 2.0)
    for i in nl1.affine_range(4):
        nl1.store(out[:, i : i + 1], state)
    return out


def test_dependent_iterations_are_found_by_following_and_by_shuffling() -> None:
    x = np.arange(512, dtype=np.float32).reshape(128, 4)
    with pytest.raises(NkiError, match="NKI601"):
        depends(x)
    FINDINGS.clear()
    SETTINGS["strictness"] = Strictness(checks=False)
    depends(x)
    SETTINGS["strictness"] = Strictness(checks=False, shuffle=1)
    with pytest.raises(NkiError, match="NKI601"):
        depends(x)


@nki.jit
def both_write(x: Any) -> Any:
    """Each core writes its part of the input to all of the output."""
    out = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x[:, nl.program_id(0) * 4 : nl.program_id(0) * 4 + 4])
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def both_do_the_same(x: Any) -> Any:
    """Each core writes all of the output, as the others do."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=loaded(x))
    return out


def test_cores_that_conflict_are_found_on_every_run() -> None:
    told = set()
    for _ in range(100):
        FINDINGS.clear()
        with pytest.raises(NkiError, match="programs 0 and 1 both write") as caught:
            nki.simulate(both_write[2])(np.arange(1024, dtype=np.float32).reshape(128, 8))
        told.add((str(caught.value), caught.value.finding.program))
    assert len(told) == 1
    assert told.pop()[1] == (1,)


def test_cores_that_do_the_same_are_advised_of_it() -> None:
    x = np.arange(1024, dtype=np.float32).reshape(128, 8)
    np.testing.assert_array_equal(nki.simulate(both_do_the_same[2])(x), x)
    assert [(f.code, f.severity, f.program) for f in FINDINGS.items] == [("NKI605", "info", (1,))]


@nki.jit
def both_put_zeros_and_read(x: Any, again: bool, before: bool) -> Any:
    """Each core puts zeros into all of the output, copies the output onto itself and reads it; `again` it writes there
    in between, and it reads `before` already."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    zeros = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=zeros, value=0.0)
    if before:
        nisa.dma_copy(dst=tile, src=out)
    nisa.dma_copy(dst=out, src=zeros)
    nisa.dma_copy(dst=out, src=out)
    if again:
        nisa.dma_copy(dst=out, src=loaded(x))
    nisa.dma_copy(dst=tile, src=out)
    nisa.core_barrier(data=out, cores=(0, 1))
    half = nl.program_id(0) * 64
    nisa.dma_copy(dst=out[half : half + 64, :], src=tile[half : half + 64, :])
    return out


@pytest.mark.parametrize(("again", "before"), [(False, False), (True, False), (False, True)])
def test_what_both_write_may_be_read_where_it_is_all_that_they_write(again: bool, before: bool) -> None:
    x = np.ones((128, 8), np.float32)
    seen = reference_sim.observe(nki.simulate(both_put_zeros_and_read[2]), [x, again, before])
    told = {finding.code for finding in seen.findings if finding.code.startswith("NKI60")}
    assert told == ({"NKI603", "NKI605"} if again or before else {"NKI605"})


def test_a_core_does_not_wait_for_one_that_has_finished() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        if nl.program_id(0) == 0:
            nisa.core_barrier(data=out, cores=(0, 1))
        return out

    with pytest.raises(NkiError, match="core 0 waits in `core_barrier` for core 1, which does not come to it"):
        nki.simulate(kernel[2])(np.zeros((128, 8), np.float32))


def test_cores_that_wait_for_different_things_wait_in_vain() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile, other = loaded(x), loaded(x)
        if nl.program_id(0) == 0:
            nisa.core_barrier(data=out, cores=(0, 1))
        else:
            nisa.sendrecv(src=tile, dst=other, send_to_rank=0, recv_from_rank=0, pipe_id=0)
        return out

    with pytest.raises(NkiError, match="core 0 waits in `core_barrier` for core 1, which does not come to it"):
        nki.simulate(kernel[2])(np.zeros((128, 8), np.float32))


def test_exchanges_on_other_pipes_do_not_meet() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile, other, core = loaded(x), loaded(x), nl.program_id(0)
        nisa.sendrecv(src=tile, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=core)
        return out

    with pytest.raises(NkiError, match="core 0 waits in `sendrecv` for core 1"):
        nki.simulate(kernel[2])(np.zeros((128, 8), np.float32))


def test_what_goes_to_nobody_is_missed() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile, other, core = loaded(x), loaded(x), nl.program_id(0)
        nisa.sendrecv(src=tile, dst=other, send_to_rank=core, recv_from_rank=1 - core, pipe_id=0)
        return out

    with pytest.raises(NkiError, match="for what core 1 sends, which does not send to it"):
        nki.simulate(kernel[2])(np.zeros((128, 8), np.float32))


def test_a_launch_on_too_many_cores_is_told_before_it_runs() -> None:
    with pytest.raises(NkiError, match="the launch grid has 4 programs; trn2 runs a kernel on at most 2"):
        nki.simulate(both_write[4])(np.zeros((128, 8), np.float32))


def test_what_one_core_breaks_is_what_the_run_tells() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        assert nl.program_id(0) == 0, "not here"
        nisa.core_barrier(data=out, cores=(0, 1))
        return out

    with pytest.raises(AssertionError, match="not here"):
        nki.simulate(kernel[2])(np.zeros((128, 8), np.float32))


def test_registers_are_loaded_moved_and_stored() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        tile = loaded(x)
        first, second = nisa.register_alloc(), nisa.register_alloc(5)
        nisa.register_load(first, tile[0:1, 2:3])
        nisa.register_move(second, first)
        nisa.register_store(tile[0:1, 0:1], second)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=tile)
        return out

    np.testing.assert_array_equal(kernel(np.array([[1, 2, 3]], np.int32)), [[3, 2, 3]])


def test_instructions_depend_on_others() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        first = nisa.dma_copy(dst=tile, src=x)
        second = nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        last = nisa.dma_copy(dst=out, src=tile)
        assert isinstance(last, nisa.NkiInstruction)
        assert last.depends_on(second, first).depends_on(first) is last
        return out

    np.testing.assert_array_equal(nki.simulate(kernel)(np.ones((4, 8), np.float32)), np.full((4, 8), 2, np.float32))


def test_numbers_of_the_engines_repeat_from_a_seed_and_from_a_state() -> None:
    @nki.jit
    def kernel(seeds: Any) -> Any:
        out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
        seed, state = loaded(seeds), nl.ndarray((128, 6), dtype=nl.uint32, buffer=nl.sbuf)
        nisa.set_rng_seed(seed[0:1, 0:1])
        numbers = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.rand2(numbers, 2.0, 4.0)
        nisa.dma_copy(dst=out[:, 0:64], src=numbers)
        nisa.rand_get_state(state)
        for part in (1, 2):
            nisa.rand_set_state(state)
            nisa.rand2(numbers, 2.0, 4.0)
            nisa.dma_copy(dst=out[:, part * 64 : part * 64 + 64], src=numbers)
        bits = nl.ndarray((128, 64), dtype=nl.uint32, buffer=nl.sbuf)
        nisa.rng(bits)
        nisa.tensor_scalar(numbers, bits, nl.multiply, 2.0**-32)
        nisa.dma_copy(dst=out[:, 192:256], src=numbers)
        return out

    first, again, other = (kernel(np.full((128, 1), seed, np.uint32)) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    np.testing.assert_array_equal(first[:, 64:128], first[:, 128:192])
    assert 2 <= first[:, :64].min() < 2.1
    assert 3.9 < first[:, :64].max() <= 4
    assert 0.45 < first[:, 192:].mean() < 0.55


def test_dropped_and_random_elements_of_the_language() -> None:
    @nki.jit
    def kernel(seed: Any) -> Any:
        nl.random_seed(loaded(seed))
        out = nl.ndarray((128, 192), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out[:, 0:64], src=nl.rand((128, 64), nl.float32))
        ones = nl.ones((128, 64), nl.float32)
        nisa.dma_copy(dst=out[:, 64:128], src=nl.dropout(ones, 0.25))
        kept = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dropout(kept, ones, 0.25)
        nisa.dma_copy(dst=out[:, 128:192], src=kept)
        return out

    found = kernel(np.array([[7]], np.int32))
    assert 0.45 < found[:, :64].mean() < 0.55
    assert 0.7 < found[:, 64:128].mean() < 0.8
    assert 0.7 < found[:, 128:].mean() < 0.8


def test_device_print_shows_values(capsys: pytest.CaptureFixture[str]) -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        tile = loaded(x)
        nl.device_print("tile is", tile)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=tile)
        return out

    kernel(np.array([[1, 2, 3]], np.int32))
    assert "tile is [[1 2 3]]" in capsys.readouterr().out


def test_instructions_may_be_told_to_wait_for_others() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        first = nisa.dma_copy(dst=tile, src=x)
        second = nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
        assert nisa.dma_copy(dst=out, src=tile).depends_on(second.depends_on(first), first)
        return out

    x = np.zeros((128, 8), np.float32)
    np.testing.assert_array_equal(nki.simulate(kernel)(x), x + 1)


@nki.jit
def rewritten(x: Any, meet: bool, how: str) -> Any:
    """Each core writes a half, then all of it is copied to where it is, or a row further."""
    core, out = nl.program_id(0), nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[core * 64 : core * 64 + 64, :], src=x[core * 64 : core * 64 + 64, :])
    if meet:
        nisa.core_barrier(data=out, cores=(0, 1))
    nisa.dma_copy(dst=out[0:127, :] if how == "further" else out, src=out[1:128, :] if how == "further" else out)
    return out


@pytest.mark.parametrize(
    ("meet", "how", "right"), [(True, "same", True), (True, "further", False), (False, "same", False)]
)
def test_what_is_copied_onto_itself_is_no_conflict_once_it_is_written(meet: bool, how: str, right: bool) -> None:
    found = reference_sim.observe(rewritten, [np.ones((128, 8), np.float32), meet, how], {}, grid=(2,), target="trn2")
    assert ("NKI603" in {f.code for f in found.findings}) is not right


def test_both_programs_of_a_conflict_are_named() -> None:
    found = reference_sim.observe(
        rewritten, [np.ones((128, 8), np.float32), True, "further"], {}, grid=(2,), target="trn2"
    )
    told = [f.message for f in found.findings if f.code == "NKI603"]
    assert told
    assert all("programs 0 and 1" in message for message in told)


@nki.jit
def exchanged(x: Any, early: bool) -> Any:
    """Each core reads what the other has written, behind an exchange or before it."""
    core, out = nl.program_id(0), nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    mine, theirs = loaded(x[core * 64 : core * 64 + 64, :]), loaded(x[0:64, :])
    nisa.dma_copy(dst=out[core * 64 : core * 64 + 64, :], src=mine)
    for step in range(2):
        if step == early:
            nisa.dma_copy(dst=mine, src=out[64 - core * 64 : 128 - core * 64, :])
        else:
            nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    return out


@pytest.mark.parametrize("early", [False, True])
def test_cores_meet_in_an_exchange(early: bool) -> None:
    found = reference_sim.observe(exchanged, [np.ones((128, 8), np.float32), not early], {}, grid=(2,), target="trn2")
    assert ("NKI603" in {f.code for f in found.findings}) is early
