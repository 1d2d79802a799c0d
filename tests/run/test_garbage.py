"""What checks leave behind is found, though each of them has what was there before it left alone."""

import gc

import pytest

from nkilint.base import garbage
from nkilint.run import processes
from nkilint.run.verification import verify_or_fail

from ..support.checking import report_on

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output[0:128, 0:512], nl.load(x[0:128, 0:512]))
    return output
"""


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch):
    monkeypatch.setattr(garbage, "_kept", garbage._Kept())
    gc.unfreeze()
    yield
    gc.freeze()  # what was kept before


def objects_after(checks: int) -> int:
    for number in range(checks):
        report_on(f"{KERNEL}\n\nNUMBER = {number}\n")
    return len(gc.get_objects())


def test_many_checks_keep_no_more_than_few(monkeypatch):
    monkeypatch.setattr(garbage, "LITTER", 15_000)
    few = objects_after(5)
    assert objects_after(40) < few + 20_000


def test_processes_let_nothing_go_that_is_kept():
    with garbage.kept():
        before = gc.get_freeze_count()
        with processes._inherited((), verify_or_fail):
            assert gc.get_freeze_count() == before
        assert gc.get_freeze_count() == before > 0
    assert not gc.get_freeze_count()
