"""Symbolic integers and conditions as the Python that a person would write."""

from __future__ import annotations

from .conditions import And, Compare, Cond, Opaque, Or
from .integers import Atom, FloorDiv, Int, Ite, Max, Min, Sym, Var, split_remainders


def show(value: Int) -> str:
    """`value` as Python source; remainders are written with `%`."""
    if isinstance(value, int):
        return str(value)
    moduli, rest = _remainders(value)
    pieces = [(c, text) for c, text in moduli]
    pieces += [(c, "*".join(_atom(a) for a in mono)) for mono, c in rest.terms.items()] if isinstance(rest, Sym) else []
    const = rest.const if isinstance(rest, Sym) else rest
    pieces.sort(key=lambda p: p[0] < 0)
    text = ""
    for c, name in pieces:
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        text += sign + (name if abs(c) == 1 else f"{abs(c)}*{name}")
    if const or not text:
        text += str(const) if not text else f" {'-' if const < 0 else '+'} {abs(const)}"
    return text


def _remainders(value: Sym) -> tuple[list[tuple[int, str]], Int]:
    """Split off `c * (a % b)`, which is stored as `c*a - c*b*(a // b)`."""
    moduli, rest = split_remainders(value)
    found = [(scale, f"{_grouped(atom.dividend)} % {_grouped(atom.divisor)}") for scale, atom in moduli]
    if len(found) > 1 or (found and (abs(found[0][0]) != 1 or _remains(rest))):
        found = [(c, f"({text})") for c, text in found]
    return found, rest


def _remains(rest: Int) -> bool:
    return not isinstance(rest, int) or rest != 0


def _atom(atom: Atom) -> str:
    if isinstance(atom, Var):
        return atom.name
    if isinstance(atom, FloorDiv):
        ceiling = _ceiling(atom)
        return ceiling or f"({_grouped(atom.dividend)} // {_grouped(atom.divisor)})"
    if isinstance(atom, (Min, Max)):
        name = "min" if isinstance(atom, Min) else "max"
        return f"{name}({show(atom.left)}, {show(atom.right)})"
    assert isinstance(atom, Ite)
    return f"({show(atom.then)} if {show_condition(atom.condition)} else {show(atom.otherwise)})"


def _ceiling(atom: FloorDiv) -> str | None:
    if isinstance(atom.divisor, int) and atom.divisor > 2 and atom.dividend.const == atom.divisor - 1:
        return f"ceil({show(atom.dividend - atom.dividend.const)} / {atom.divisor})"
    return None


def _grouped(value: Int) -> str:
    text = show(value)
    return text if isinstance(value, int) or value.as_atom is not None else f"({text})"


_TURNED = {">=": "<=", "==": "==", "!=": "!="}


def show_condition(condition: Cond | bool) -> str:
    """`condition` as Python source."""
    if isinstance(condition, bool):
        return str(condition)
    if isinstance(condition, Compare):
        return _comparison(condition)
    if isinstance(condition, And):
        return " and ".join(
            f"({show_condition(p)})" if isinstance(p, Or) else show_condition(p) for p in condition.parts
        )
    if isinstance(condition, Or):
        return " or ".join(
            f"({show_condition(p)})" if isinstance(p, And) else show_condition(p) for p in condition.parts
        )
    assert isinstance(condition, Opaque)
    return f"not {condition.name}" if condition.negated else condition.name


def _comparison(condition: Compare) -> str:
    """Positive terms on the left, negative ones on the right."""
    found, rest = _remainders(condition.left)
    if found and isinstance(rest, int) and len(found) == 1 and found[0][0] == 1:
        return f"{found[0][1]} {condition.relation} {-rest}"
    positive = Sym({m: c for m, c in condition.left.terms.items() if c > 0}, 0)
    negative = Sym({m: -c for m, c in condition.left.terms.items() if c < 0}, 0)
    const = condition.left.const
    if not positive.terms:
        return f"{show(negative)} {_TURNED[condition.relation]} {const}"
    if not negative.terms:
        return f"{show(positive)} {condition.relation} {-const}"
    if const < 0 and condition.relation == ">=":
        if const == -1:
            return f"{show(negative)} < {show(positive)}"
        return f"{show(negative - const)} <= {show(positive)}"
    if condition.relation == ">=":
        return f"{show(negative)} <= {show(positive + const)}"
    left, right = positive + max(const, 0), negative + max(-const, 0)
    return f"{show(left)} {condition.relation} {show(right)}"
