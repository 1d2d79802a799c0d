"""Findings in the rulebook's own words, with the kernel's source where a message quotes it."""

from __future__ import annotations

import ast
import linecache
import operator
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from nkilint_rules.dataflow.uninitialised_read import UninitialisedRead
from nkilint_rules.language.non_integer_size import NonIntegerSize
from nkilint_rules.rule import Message, Need

from .errors import Finding, finding_at
from .positions import position
from .reporting import report
from .sites import Site, here
from .strictness import Strictness


class Titled(Protocol):
    """What has a name that a kernel may have left out."""

    @property
    def name(self) -> str: ...


def complain(
    message: Message, at: Site = None, related: Iterable[tuple[str, Site]] = (), strictness: Strictness | None = None
) -> None:
    """Report what a rule says of `at`, or of where the kernel is."""
    report(told(message, at, related), strictness)


def told(message: Message, at: Site = None, related: Iterable[tuple[str, Site]] = ()) -> Finding:
    """The finding of a rule at `at`, or where the kernel is."""
    quiet = message.rule.accepted or not message.enforced or message.wording in message.rule.warned
    severity = "warning" if quiet else "info" if message.advises else "error"
    return finding_at(message.rule.code, message.text(), severity, at, related, message.help())


def require(need: Need, strictness: Strictness | None = None) -> bool:
    """Whether a requirement of a rule is met; report it where it is not."""
    if not need.condition:
        report(told(need.message), strictness)
    return bool(need.condition)


def complain_unwritten(
    tensor: Titled, allocated: Site, element: list[int], site: Site, related: Iterable[tuple[str, Site]]
) -> None:
    """Report a read of what nothing wrote."""
    notes = [*related, ("allocated here", allocated)]
    complain(UninitialisedRead.message(element=element, tensor=name_of(tensor)), site, notes)


def name_of(owner: Titled) -> str:
    """A tensor as messages call it."""
    return owner.name or "a tensor"


def source_text(site: Site) -> str:
    """The source of the expression that runs at a site, on one line; empty where Python does not tell."""
    found = None if site is None else position(*site)
    return "" if site is None or found is None else _between(site[0].co_filename, *found)


def _between(file: str, row: int, end_row: int, column: int, end_column: int) -> str:
    lines = [line.encode() for line in linecache.getlines(file)[row - 1 : end_row]]
    if not lines:
        return ""
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    return b" ".join(line.strip() for line in lines).decode(errors="replace")


def subscript_text(site: Site, axis: int, rank: int) -> tuple[str, str]:
    """The source of what is indexed at a site, and of the index of one axis; empty where Python does not tell."""
    text = source_text(site)
    node = parsed(text)
    if not isinstance(node, ast.Subscript):
        return "", ""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    given = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
    dots = next((i for i, p in enumerate(given) if isinstance(p, ast.Constant) and p.value is ...), None)
    if dots is not None:
        missing = rank - (len(given) - 1)
        if dots <= axis < dots + missing:
            return _segment(text, node.value), "..."
        axis = axis if axis < dots else axis - missing + 1
    chosen = given[axis] if axis < len(given) else None
    return _segment(text, node.value), "" if chosen is None else _segment(text, chosen)


def _segment(text: str, node: ast.AST) -> str:
    return ast.get_source_segment(text, node) or ""


def parsed(text: str) -> ast.expr | None:
    """An expression's tree; None for what is none."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def condition_text(text: str) -> str:
    """What the source of a statement asks for its truth; an expression is that itself."""
    word, _, rest = text.partition(" ")
    if word not in ("if", "elif", "while", "assert"):
        return text
    ends = [place for place, character in enumerate(rest) if character in ":,"]
    return next((rest[:end] for end in (*ends, len(rest)) if parsed(rest[:end]) is not None), text)


def argument_text(site: Site, position: int) -> str:
    """The source of a positional argument of the call at a site."""
    text = source_text(site)
    node = parsed(text)
    if not isinstance(node, ast.Call) or position >= len(node.args):
        return ""
    return _segment(text, node.args[position])


def element_text(site: Site, position: int) -> str:
    """The source of an element of the tuple or list that is the first argument of the call at a site."""
    text = source_text(site)
    node = parsed(text)
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], (ast.Tuple, ast.List)):
        return ""
    elements = node.args[0].elts
    return _segment(text, elements[position]) if position < len(elements) else ""


def returned_text(site: Site, position: int) -> str:
    """The source of one of the values that the `return` at a site gives."""
    text = source_text(site).removeprefix("return").strip()
    node = parsed(text)
    if isinstance(node, (ast.Tuple, ast.List)):
        return _segment(text, node.elts[position]) if position < len(node.elts) else ""
    return text if node is not None and position == 0 else ""


def bound_text(site: Site, value: float) -> str:
    """The source of the bound of a slice in the subscript at a site, where just one cannot be a plain integer."""
    text = source_text(site)
    node = parsed(text)
    divided = [n for n in ast.walk(node) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)] if node else []
    return _segment(text, divided[0]) if len(divided) == 1 else ""


def not_an_integer(value: object, use: str, text: str) -> None:
    """Report a float, or something else, where an integer is taken."""
    if value is None or isinstance(value, (float, str)) or type(value).__module__ == "numpy":
        kind = type(value).__name__
        complain(NonIntegerSize.message(expression=text or repr(value), type=kind, value=repr(value), use=use))
    else:
        what = _what(value)
        complain(NonIntegerSize.other(expression=text or what, kind=what, use=use))


def _what(value: object) -> str:
    """What a value is, where how it is written says nothing to the user."""
    if isinstance(value, (tuple, list)):
        return "a tuple" if isinstance(value, tuple) else "a list"
    if callable(value) and hasattr(value, "__name__"):
        return f"the {'class' if isinstance(value, type) else 'function'} `{value.__name__}`"
    return f"a {type(value).__name__.lower()}"


def whole_number(value: Any, use: str, text: Callable[[], str]) -> int:
    """A value as an integer; what is none is reported, and only a float can go on as one."""
    try:
        return operator.index(value)
    except TypeError:
        not_an_integer(value, use, text())
    if isinstance(value, float):
        return int(value)
    raise TypeError(f"{use} takes an integer, not {value!r}")


def whole_numbers(values: Iterable[object]) -> None:
    """Report the first of some positions or strides that is no integer."""
    for value in values:
        if isinstance(value, float):
            not_an_integer(value, "an index", bound_text(here(), value))
            return


def name_in_source(site: Site) -> str:
    """What is called at a site, as it is written there."""
    text = source_text(site)
    node = parsed(text)
    return _segment(text, node.func) if isinstance(node, ast.Call) else ""


def place_in_words(site: Site) -> str:
    """The function that a site is in, or the module's body."""
    name = "" if site is None else site[0].co_name
    return "the module's body" if name in ("<module>", "") else f"`{name}`"
