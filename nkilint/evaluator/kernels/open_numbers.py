"""Numbers that a kernel has by default, left open: what is said of it for all inputs has to hold with others, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.integers import Sym, sym

from ..values.containers import DictValue, ListValue
from ..values.objects import Instance
from .requests import Run, Variation


def open_numbers(run: Run, function: ir.FunctionDef) -> tuple[Variation, ...]:
    """Any numbers in the place of those that are defaults, and of those that are taken where a caller gives none."""
    assert run.request is not None
    given = {(v.parameter, v.attribute) for v in run.request.varied}
    return tuple(v for v in _variations(run, function) if (v.parameter, v.attribute) not in given)


def defaults_of(run: Run, opened: tuple[Variation, ...]) -> dict[Var, int]:
    """What the numbers that are open in variations of a run were in it."""
    found: dict[Var, int] = {}
    for variation in opened:
        value = run.inputs.get(variation.parameter)
        for field in variation.attribute.split(".") if variation.attribute else ():
            value = value.attrs.get(field) if isinstance(value, Instance) else None
        found.update(_paired(value, variation.value))
    return found


def _paired(default: Any, opened: Any) -> Iterator[tuple[Var, int]]:
    if isinstance(opened, Sym) and isinstance(opened.variable, Var) and isinstance(default, int):
        yield opened.variable, default
    elif isinstance(opened, DictValue) and isinstance(default, DictValue):
        for key, item in opened.items.items():
            yield from _paired(default.items.get(key), item)
    elif isinstance(opened, ListValue) and isinstance(default, ListValue):
        yield from _paired(default.items, opened.items)
    elif isinstance(opened, tuple) and isinstance(default, tuple):
        for one, other in zip(default, opened, strict=True):
            yield from _paired(one, other)


def _variations(run: Run, function: ir.FunctionDef) -> Iterator[Variation]:
    keywords = {p.name for p in function.params if p.kind == "**"}
    for name in run.defaulted:
        value = run.inputs.get(name)
        if name in keywords:
            if found := dict(_looked_up(function, name)):
                yield Variation(name, "", found, "")
        elif isinstance(value, Instance):
            yield from _fields(name, "", value)
        elif (opened := _opened(name, value)) is not value:
            yield Variation(name, "", opened, "")


def _opened(name: str, value: Any) -> Any:
    """A value with any numbers in the place of those in it; the value itself where there are none."""
    if type(value) is int and value >= 0:
        return sym(name, "input", min(value, 1), None, name)
    if isinstance(value, DictValue) and not value.is_set:
        entries = {key: _opened(f"{name}[{key!r}]", item) for key, item in value.items.items()}
        return value if all(entries[key] is item for key, item in value.items.items()) else value.like(entries)
    given = value.items if isinstance(value, ListValue) and value.kind == "list" else value
    if not isinstance(given, tuple):
        return value
    items = tuple(_opened(f"{name}[{n}]", item) for n, item in enumerate(given))
    if all(a is b for a, b in zip(items, given, strict=True)):
        return value
    return ListValue(items) if isinstance(value, ListValue) else items


def _fields(name: str, path: str, value: Instance) -> Iterator[Variation]:
    """The numbers in the fields of an object, and in those of the objects in them."""
    if value.cls.kind not in ("dataclass", "namedtuple"):
        return
    for field, _ in value.cls.fields:
        inner, there = value.attrs.get(field), f"{path}.{field}" if path else field
        if isinstance(inner, Instance):
            yield from _fields(name, there, inner)
        elif (opened := _opened(f"{name}.{there}", inner)) is not inner:
            yield Variation(name, there, opened, "")


def _looked_up(function: ir.FunctionDef, name: str) -> Iterator[tuple[str, Any]]:
    """The numbers of `name.get("key", number)`."""
    for node in walk(function.body):
        if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Attr) or len(node.args) != 2:
            continue
        owner, values = node.func.value, [argument for _, argument in node.args]
        keys = [v.value for v in values if isinstance(v, ir.Const)]
        if isinstance(owner, ir.Name) and owner.id == name and node.func.name == "get" and len(keys) == 2:
            opened = _opened(f"{name}[{keys[0]!r}]", keys[1])
            if isinstance(keys[0], str) and opened is not keys[1]:
                yield keys[0], opened
