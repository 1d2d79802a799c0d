"""Defects as people make them, put into correct kernels one at a time: each operator changes one place in the text."""

from . import limits, loops, names, numbers, operands, python, written  # noqa: F401  (each registers its operators)
from .form import OPERATORS, Change
from .python import UNSEEN

ABSENT = """\
No change makes what is only advised of (NKI411, NKI813), or what documents state and devices do not hold to: these
are no defects, and the latter are warnings for that reason. Faults of nkilint itself have tests of their own."""

__all__ = ["ABSENT", "OPERATORS", "UNSEEN", "Change"]
