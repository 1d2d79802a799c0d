"""What Python looks through for garbage while a kernel runs."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

from reference_sim import observe
from reference_sim.machine import garbage
from reference_sim.machine.memory import Chip, Storage


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process in which nothing is kept."""
    gc.unfreeze()
    monkeypatch.setattr(garbage, "_kept", garbage._Kept())
    yield
    gc.freeze()  # what was kept before


def test_what_was_there_is_left_alone_while_a_kernel_runs():
    before = [[]]
    with garbage.kept():
        own = [[]]
        looked_at = {id(item) for item in gc.get_objects()}
        assert id(own) in looked_at
        assert id(before) not in looked_at
    assert not gc.get_freeze_count()


def test_a_launch_in_a_launch_leaves_it_to_the_outer_one():
    with garbage.kept():
        with garbage.kept():
            pass
        assert gc.get_freeze_count()
    assert not gc.get_freeze_count()


def test_what_the_script_keeps_stays_so():
    gc.freeze()
    with garbage.kept():
        pass
    assert gc.get_freeze_count()


def test_it_is_counted_once_that_a_script_keeps_something(monkeypatch):
    asked = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: asked.append(1) or 5)
    for _ in range(3):
        with garbage.kept():
            pass
    assert len(asked) == 1


def test_what_stays_for_good_is_neither_counted_nor_let_go(monkeypatch):
    garbage.keep()
    with monkeypatch.context() as patched:
        patched.setattr(gc, "get_freeze_count", lambda: pytest.fail("counts"))
        with garbage.kept():
            pass
    assert gc.get_freeze_count()


def test_nothing_changes_for_a_script_without_a_collector():
    gc.disable()
    try:
        with garbage.kept():
            assert not gc.get_freeze_count()
    finally:
        gc.enable()


def test_what_stood_on_the_chip_goes_with_the_launch(monkeypatch):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf, address=(0, 256))
        nisa.dma_copy(dst=tile, src=x)
        nisa.dma_copy(dst=out, src=tile)
        return out

    made = []
    begin = Chip.__init__

    def note(chip, *given):
        begin(chip, *given)
        made.append(weakref.ref(chip.bytes))

    monkeypatch.setattr(Chip, "__init__", note)
    gc.disable()
    try:
        observe(kernel, [np.ones((128, 64), np.float32)])
        assert [chip() for chip in made] == [None]
    finally:
        gc.enable()


@nki.jit
def streamed(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(x.shape[0] // 128):
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128], src=tile)
    return out


@pytest.mark.parametrize("grid", [(), (2,)])
def test_what_a_launch_made_goes_with_it(grid):
    made = []
    begin = Storage.__init__

    def note(storage, *given):
        begin(storage, *given)
        made.append(weakref.ref(storage))

    data = np.ones((512, 64), np.float32)
    gc.disable()
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Storage, "__init__", note)
            result = (streamed[grid] if grid else streamed)(data)
        assert result.shape == data.shape
        assert len(made) > 4
        assert not [storage for storage in made if storage() is not None]
    finally:
        gc.enable()


class Circle:
    """What refers to itself."""

    def __init__(self):
        self.own = self


def test_what_goes_round_in_circles_is_found_between_launches(monkeypatch):
    monkeypatch.setattr(garbage, "LITTER", 500)
    there = weakref.WeakSet()
    for _ in range(6):
        with garbage.kept():
            for _ in range(600):
                there.add(Circle())
        for _ in range(600):
            there.add(Circle())
    assert len(there) < 2_000
    monkeypatch.setattr(garbage, "LITTER", 100_000)
    for _ in range(20):
        with garbage.kept():
            for _ in range(200):
                there.add(Circle())
    assert len(there) > 3_000
