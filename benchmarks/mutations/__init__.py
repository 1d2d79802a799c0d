"""Defects as people make them, put into correct kernels one at a time: each operator changes one place in the text."""

from . import limits, loops, names, numbers, operands, python  # noqa: F401  (each registers its operators)
from .form import OPERATORS, Change
from .python import REJECTED, VACUOUS

__all__ = ["OPERATORS", "REJECTED", "VACUOUS", "Change"]
