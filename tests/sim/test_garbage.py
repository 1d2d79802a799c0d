"""What Python looks through for garbage while a kernel runs."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from reference_sim.machine import garbage


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process in which nothing is kept, before and after."""
    gc.unfreeze()
    monkeypatch.setattr(garbage, "_kept", garbage._Kept())
    yield
    gc.unfreeze()


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
