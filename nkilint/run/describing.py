"""Values of the evaluator in words, as a hover or a hint shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from nkilint.evaluator.values.containers import DictValue, ListValue, RangeValue
from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.objects import Instance
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown

_ON_CHIP = ("sbuf", "psum")

Range = Callable[[Any], tuple[float, float]]


def described(value: Any, interval: Range) -> str:
    """A value in Markdown: a tensor with what it takes on chip, a number with its range."""
    if isinstance(value, InputTensor) and "view" in value.cell:
        value = value.cell["view"]
    if isinstance(value, View):
        return "\n\n".join(_tensor(value, interval))
    if isinstance(value, Unknown):
        return f"not known: {value.reason}"
    if isinstance(value, Sym):
        return f"`{value}`{_range(value, interval)}"
    if isinstance(value, Grid):
        return f"index grid `[{_joined(value.shape)}]`: `{shown(value.value)}`{_range(value.value, interval)}"
    return f"`{shown(value)}`"


def _tensor(view: View, interval: Range) -> Iterator[str]:
    memory = str(view.memory)
    yield f"`{shown(view.dtype)}[{_joined(view.shape)}]` in {memory.upper()}"
    size = getattr(view.dtype, "itemsize", None)
    if memory in _ON_CHIP and isinstance(size, (int, Sym)) and view.shape:
        held = view.free * size
        yield f"`{view.partitions}` partitions, `{held}` bytes in each{_range(held, interval)}"
    if view.problem:
        yield f"not known exactly: {view.problem}"


def _range(value: Any, interval: Range) -> str:
    """Where a number lies, if that is not all in it already."""
    if not isinstance(value, Sym):
        return ""
    atom = value.as_atom
    if isinstance(atom, Var) and isinstance(atom.high, Sym) and atom.low is not None:
        return f", {atom.low} to `{atom.high}`"
    low, high = interval(value)
    if low == high:
        return f", which is {low:.0f}"
    if high == float("inf"):
        return f", at least {low:.0f}" if low != -float("inf") else ""
    return f", {low:.0f} to {high:.0f}" if low != -float("inf") else f", at most {high:.0f}"


def shown(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, InputTensor):
        return shown(value.cell["view"]) if "view" in value.cell else value.name
    if isinstance(value, View):
        return f"{shown(value.dtype)}[{_joined(value.shape)}]"
    if isinstance(value, Unknown):
        return "?"
    if isinstance(value, ListValue):
        items = value.cell["items"]
        return f"[{_joined(items)}]" if isinstance(items, (list, tuple)) else "a list that a loop fills"
    if isinstance(value, tuple):
        return f"({_joined(value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, DictValue):
        return "{" + ", ".join(f"{shown(k)}: {shown(v)}" for k, v in value.items.items()) + "}"
    if isinstance(value, RangeValue):
        return f"{value.kind}({_joined((value.start, value.stop, value.step))})"
    if isinstance(value, Instance):
        return f"a {value.cls.name}"
    if isinstance(value, slice):
        return ":".join("" if p is None else shown(p) for p in (value.start, value.stop, value.step))
    if isinstance(value, (str, bool, int, float)) or value is None:
        return repr(value)
    plain = type(value).__module__.startswith(("nkilint.symbolic", "nkilint_rules"))
    return str(value) if plain else getattr(value, "name", "") or type(value).__name__


def _joined(values: Iterable[Any]) -> str:
    return ", ".join(shown(v) for v in values)
