"""Symbolic integers and conditions, in one normal form."""

from .atoms import Atom, FloorDiv, Ite, Max, Min, Power, Var, bounds, start_afresh
from .conditions import And, Compare, Cond, Opaque, Or
from .integers import Sym, linear, sym
from .substitution import substitute

__all__ = [
    "And",
    "Atom",
    "Compare",
    "Cond",
    "FloorDiv",
    "Ite",
    "Max",
    "Min",
    "Opaque",
    "Or",
    "Power",
    "Sym",
    "Var",
    "bounds",
    "linear",
    "start_afresh",
    "substitute",
    "sym",
]
