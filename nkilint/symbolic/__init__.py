"""Symbolic integers and conditions, in one normal form."""

from .conditions import Cond, Opaque, Or, And, Compare, TRUE_TYPES
from .integers import Atom, FloorDiv, Ite, Max, Min, Sym, Var, bounds, linear, start_afresh, substitute, sym

__all__ = [
    "And", "Atom", "Compare", "Cond", "FloorDiv", "Ite", "Max", "Min", "Opaque", "Or", "Sym", "TRUE_TYPES", "Var",
    "bounds", "linear", "start_afresh", "substitute", "sym",
]
