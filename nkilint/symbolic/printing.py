"""Symbolic integers and conditions as the Python that a person would write."""

from __future__ import annotations

import re

from .atoms import Atom, FloorDiv, Int, Ite, Max, Min, Power, Var
from .conditions import And, Compare, Cond, Opaque, Or
from .division import split_remainders
from .integers import Sym, itself, key_of, linear, rank
from .work import charge

_PARENTHESIS = re.compile(r"[()]")
CHARACTERS = 16  # for a unit of work
LONGEST = 8_000  # characters that somebody may still want to see: what is shared is printed again at each place
NAMES = ", "  # between the names of a variable's values, in its `source`
ANOTHER = "another"  # the name of all other values
Piece = tuple[int, str]  # a coefficient and a text that may be multiplied or added to


def show(value: Int) -> str:
    """`value` as Python source; remainders are written with `%`."""
    if isinstance(value, int):
        return str(value)
    charge(10 * len(value.terms))
    pieces, const = _pieces(value)
    return _cut(_sum(pieces, const))


def _cut(text: str) -> str:
    charge(len(text) // CHARACTERS)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ..."


def _pieces(value: Sym) -> tuple[list[Piece], int]:
    """The summands, remainders first, and the constant."""
    moduli, rest = _remainders(value)
    terms, const = linear(rest)
    return moduli + [_term(c, mono) for mono, c in sorted(terms.items(), key=lambda t: _order(t[0]))], const


_KINDS = ("input", "carried", "runtime", "program", "loop", "axis")


def _order(mono: tuple[Atom, ...]) -> tuple[int, tuple[int, ...]]:
    """Inputs before iterations before elements, each in order of appearance."""
    return max((_KINDS.index(a.kind) if isinstance(a, Var) else 0) for a in mono), rank(mono)


def _remainders(value: Sym) -> tuple[list[Piece], Int]:
    """Split off `c * (a % b)`, which is stored as `c*a - c*b*(a // b)`; a ceiling beside other terms stays one."""
    moduli, rest = split_remainders(value)
    if not isinstance(rest, int) and any(_is_ceiling(atom) for _, atom in moduli):
        return [], value
    return [(scale, f"{_factor(atom.dividend)} % {_factor(atom.divisor)}") for scale, atom in moduli], rest


def _term(c: int, mono: tuple[Atom, ...]) -> Piece:
    atom = mono[-1]
    if isinstance(atom, FloorDiv) and not _is_ceiling(atom):
        whole = linear(atom.divisor * itself(atom))[0]
        if mono in whole and len(whole) == 1 and c % whole[mono] == 0:
            return c // whole[mono], f"{_atom(atom)} * {_factor(atom.divisor)}"
    if len(mono) == 1:
        return c, _atom(atom)
    return c, "*".join(_multiplied(a) for a in mono)


def _sum(pieces: list[Piece], const: int) -> str:
    text = ""
    for c, piece in sorted(pieces, key=lambda p: p[0] < 0):
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        if abs(c) != 1:
            piece = f"{abs(c)}*({piece})" if " " in piece and not _closed(piece) else f"{abs(c)}*{piece}"
        elif c < 0 and not text and " " in piece and not _closed(piece):
            piece = f"({piece})"
        text += sign + piece
    if const or not text:
        text += str(const) if not text else f" {'-' if const < 0 else '+'} {abs(const)}"
    return text


def _closed(text: str) -> bool:
    """Whether `text` is one pair of parentheses, perhaps after a name."""
    if not text.endswith(")"):
        return False
    start = text.find("(")
    if start < 0 or (start and not text[:start].replace("_", "a").isalnum()):
        return False
    depth = 0
    for found in _PARENTHESIS.finditer(text, start):
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            return found.end() == len(text)
    return False


def _is_ceiling(atom: FloorDiv) -> bool:
    return isinstance(atom.divisor, int) and atom.divisor > 2 and atom.dividend.const == atom.divisor - 1


def _atom(atom: Atom) -> str:
    if isinstance(atom, Var):
        return atom.name
    if atom.text is None:
        atom.text = _cut(_operation(atom))
    charge(len(atom.text) // CHARACTERS)
    return atom.text


def _operation(atom: Atom) -> str:
    if isinstance(atom, FloorDiv):
        if _is_ceiling(atom):
            return f"ceil({_factor(atom.dividend - atom.dividend.const)} / {atom.divisor})"
        return f"{_factor(atom.dividend)} // {_factor(atom.divisor)}"
    if isinstance(atom, (Min, Max)):
        return f"{atom.operator}({show(atom.left)}, {show(atom.right)})"
    if isinstance(atom, Power):
        return f"2**{_factor(atom.exponent)}"
    assert isinstance(atom, Ite)
    return f"({show(atom.then)} if {atom.condition} else {show(atom.otherwise)})"


def _multiplied(atom: Atom) -> str:
    text = _atom(atom)
    return text if isinstance(atom, Var) or _closed(text) else f"({text})"


def _factor(value: Int) -> str:
    """`value` as an operand of `//` or `%`."""
    text = show(value)
    if isinstance(value, int) or not value.terms:
        return f"({text})" if text.startswith("-") else text
    return text if isinstance(value.as_atom, Var) or _closed(text) else f"({text})"


def show_condition(condition: Cond | bool) -> str:
    """`condition` as Python source."""
    if isinstance(condition, bool):
        return str(condition)
    charge(10)
    if isinstance(condition, Compare):
        return _comparison(condition)
    if isinstance(condition, (And, Or)):
        texts = [f"({p})" if isinstance(p, (And, Or)) else str(p) for p in condition.parts]
        return _cut((" and " if isinstance(condition, And) else " or ").join(texts))
    assert isinstance(condition, Opaque)
    return f"not {condition.name}" if condition.negated else condition.name


def _comparison(condition: Compare) -> str:
    """Positive terms on one side, negative ones on the other."""
    special = _congruence(condition) or _congruence_of_quotient(condition) or _choice(condition)
    if special is not None:
        return special
    pieces, const = _pieces(condition.left)
    positive = [(c, text) for c, text in pieces if c > 0]
    negative = [(-c, text) for c, text in pieces if c < 0]
    relation = condition.relation
    if not negative:
        return f"{_sum(positive, 0)} {relation} {-const}"
    if not positive:
        return f"{_sum(negative, 0)} {'<=' if relation == '>=' else relation} {const}"
    if relation != ">=":
        return f"{_sum(positive, max(const, 0))} {relation} {_sum(negative, max(-const, 0))}"
    if const == -1:
        return f"{_sum(negative, 0)} < {_sum(positive, 0)}"
    return f"{_sum(negative, max(-const, 0))} <= {_sum(positive, max(const, 0))}"


def _choice(condition: Compare) -> str | None:
    """A condition on one of several values with names of their own, by these: `mode != Mode.FAST`."""
    (mono, factor), *others = condition.left.terms.items()
    variable = mono[0]
    if others or len(mono) > 1 or not isinstance(variable, Var) or NAMES not in variable.source:
        return None
    names = variable.source.split(NAMES)
    left = [factor * number + condition.left.const for number in range(len(names))]
    holds = [{">=": n >= 0, "==": n == 0, "!=": n != 0}[condition.relation] for n in left]
    for answer, relation, several in ((True, "==", "in"), (False, "!=", "not in")):
        found = [name for name, held in zip(names, holds, strict=True) if held is answer]
        if ANOTHER in found:
            continue
        if len(found) == 1:
            return f"{variable.name} {relation} {found[0]}"
        if answer is False or ANOTHER in names or len(found) <= len(names) // 2:
            return f"{variable.name} {several} ({NAMES.join(found)})"
    return None


def _congruence(condition: Compare) -> str | None:
    """`a % b == r` for a constant `r`, with the constant of `a` moved over: `M % 128 == 1` for `(M - 1) % 128 == 0`."""
    if condition.relation == ">=":
        return None
    moduli, rest = split_remainders(condition.left)
    if len(moduli) != 1 or not isinstance(rest, int):
        return None
    scale, atom = moduli[0]
    if rest % scale or not isinstance(atom.divisor, int):
        return None
    dividend = atom.dividend - atom.dividend.const
    remainder = (-rest // scale - atom.dividend.const) % atom.divisor
    return f"{_factor(dividend)} % {atom.divisor} {condition.relation} {remainder}"


def _congruence_of_quotient(condition: Compare) -> str | None:
    """`n // 2 % 128 == 0` for `n // 2 - 128*(n // 256) == 0`: quotients of quotients are kept as one."""
    terms = condition.left.terms
    if condition.relation == ">=" or len(terms) != 2 or any(len(mono) > 1 for mono in terms):
        return None
    (inner, once), (outer, often) = sorted(
        ((mono[0], factor) for mono, factor in terms.items()), key=lambda t: abs(t[1])
    )
    if not isinstance(inner, FloorDiv) or not isinstance(outer, FloorDiv) or _is_ceiling(inner):
        return None
    if not isinstance(inner.divisor, int) or not isinstance(outer.divisor, int):
        return None
    times, rest = divmod(outer.divisor, inner.divisor)
    same = key_of(inner.dividend) == key_of(outer.dividend)
    remainder, part = divmod(-condition.left.const, once)
    if rest or times < 2 or often != -times * once or not same or part or not 0 <= remainder < times:
        return None
    return f"{_factor(inner.dividend)} // {inner.divisor} % {times} {condition.relation} {remainder}"
