"""`functools.cache` and `lru_cache`: a call with arguments that were seen before gives what it gave then."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.words.conditions import IsUnknown

from ...state import protocols
from ...state.havoc import is_settled
from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.cells import Cell
from ...values.choices import Text, among
from ...values.containers import DictValue
from ...values.objects import BoundMethod, FunctionValue, Native
from ..types.mappings import hashable
from .registry import models


class _Kept(dict[Any, Any]):
    """What calls gave, by their arguments. Some of it `differs` from what the same call would give now: it is an
    object, or hangs on what changes, or the call changed something; `is_open` if that is so of arguments that are not
    known."""

    differs = is_open = False

    def with_call(self, key: Any, result: Any, differs: bool, is_open: bool) -> _Kept:
        more = _Kept({**self, key: result})
        more.differs, more.is_open = self.differs or differs, self.is_open or (differs and is_open)
        return more


def _cached(function: Any, limit: Any, typed: Any = False) -> Native:
    """A function that runs once for equal arguments, as long as there are not more than `limit` of them."""
    kept = DictValue(kind="cache")
    kept.cell["items"] = _Kept()

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        key, is_open = _key(args, kwargs, typed)
        if key in kept.items:
            return kept.items[key]
        born = Cell.made
        with machine.recorded() as mark:
            result = protocols.call(machine, function, args, kwargs)
            changes = machine.changes(mark, born)
        changed = [(cell, name) for cell, name, _, now in changes.values() if not isinstance(now, _Kept)]
        differs = bool(changed) or not _is_data(result) or not is_settled(machine, function)
        before: Any = kept.items
        if is_open and not differs and (limit is None or not before.differs):
            return result
        if before.is_open or (is_open and before.differs):
            reason = "a cached function, with arguments that may have been given before"
            for cell, name in [*changed, (kept.cell, "items")]:
                machine.set(cell, name, among(reason, cell.get(name)))
            return among(reason, result)
        if limit is not None and not (isinstance(limit, int) and len(before) < limit):
            raise IsUnknown("a cache that is full")
        machine.set(kept.cell, "items", before.with_call(key, result, differs, is_open))
        return result

    return Native(getattr(function, "name", "cached"), call, (function, kept))


_KEYWORDS = object()


def _key(args: Args, kwargs: Keywords, typed: Any) -> tuple[Any, bool]:
    """What a call is kept by, as in Python, and whether arguments are in it that are not known."""
    named = (_KEYWORDS, *(part for pair in kwargs.items() for part in pair)) if kwargs else ()
    parts = [_part(value) for value in (*args, *named)]
    alone = len(parts) == 1 and not typed and type(args[0]) in (int, str)  # these are keys by themselves
    types = tuple(_type(value) for value in (*args, *kwargs.values())) if typed is not False else ()
    return (alone, tuple(part for part, _ in parts), types), any(is_open for _, is_open in parts)


def _part(value: Any) -> tuple[Any, bool]:
    if isinstance(value, (Sym, Cond)):
        return (Sym, key_of(value)), True
    if isinstance(value, tuple):
        parts = [_part(item) for item in value]
        return tuple(part for part, _ in parts), any(is_open for _, is_open in parts)
    return hashable(value), False


def _type(value: Any) -> Any:
    if not isinstance(value, (int, float, str, bytes, Sym, type(None))):
        raise IsUnknown("the type of an argument of a cached function")
    return int if isinstance(value, Sym) else type(value)


def _is_data(value: Any) -> bool:
    """Whether nothing tells a value from another one like it."""
    if isinstance(value, tuple):
        return all(map(_is_data, value))
    return isinstance(value, (int, float, str, bytes, type(None), Sym, Cond, Text))


@models("functools.cache")
def _cache(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _cached(args[0], None)


@models("functools.lru_cache", keywords=("maxsize", "typed"))
def _lru_cache(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    limit = kwargs.get("maxsize", args[0] if args else 128)
    typed = kwargs.get("typed", args[1] if len(args) > 1 else False)
    if isinstance(limit, (FunctionValue, BoundMethod)):
        return _cached(limit, 128)
    return Native("lru_cache", lambda machine, args, kwargs: _cached(args[0], limit, typed))
