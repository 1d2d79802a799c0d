"""Defects as people make them, put into correct kernels one at a time: each operator changes one place in the text."""

from . import (  # noqa: F401  (they register theirs)
    devices,
    limits,
    loops,
    lost,
    names,
    numbers,
    operands,
    python,
    raised,
    written,
)
from .form import OPERATORS, Change
from .missed import MISSED
from .python import UNSEEN

ABSENT = """\
No change makes what is only advised of (NKI411, NKI813), or what documents state and devices do not hold to: these
are no defects, and the latter are warnings for that reason. Nor does one make what no document calls wrong: steps of 0
in what a DMA reads, which repeat an element; loops of the device on older targets, of which none is said to lack them
(only Beta 1 does); and `min`, `max` and `if` of Python on what an `affine_range` counts, which is a number, other than
on an index grid. Faults of nkilint itself have tests of their own."""

__all__ = ["ABSENT", "MISSED", "OPERATORS", "UNSEEN", "Change"]
