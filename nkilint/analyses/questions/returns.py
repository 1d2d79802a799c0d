"""What a kernel hands back: which tensors, when, and what of it is not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from nkilint.evaluator.state.machine import Explained
from nkilint.evaluator.state.trace import Event
from nkilint.evaluator.values.choices import CONSTANTS, Either, is_told
from nkilint.evaluator.values.containers import DictValue, ListValue
from nkilint.evaluator.values.dtypes import SymbolicDType
from nkilint.evaluator.values.inheritance import ANYTHING
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.numbers import Real
from nkilint.evaluator.values.objects import Api, External, Instance
from nkilint.evaluator.values.tensors import Declaration, View
from nkilint_rules.words.conditions import Unknown, any_of

from .accesses import real_views

HIDDEN = "which tensors are returned"


def returned(event: Event, left: Iterable[View] = ()) -> Iterator[tuple[Declaration, Any, str]]:
    """The tensors that the event hands back, when it is that one which is meant, at one place or another, and why that
    is not known, if so. Those that are `left` behind a name may be meant, too."""
    found: dict[tuple[int, bool], tuple[Declaration, list[Any]]] = {}
    views = (each for access in event.accesses for each in real_views(access.view))
    for view, sure in chain(views, ((view, False) for view in left)):
        found.setdefault((id(view.base), sure), (view.base, []))[1].append(view.when)
    for (_, sure), (base, places) in found.items():
        yield base, any_of(places), "" if sure else f"`{base.name}` is one of several tensors that may be returned"


def hidden(value: Any, above: tuple[Instance, ...] = ()) -> str:
    """Why a return may hand back tensors that are not seen in it; empty where all are, or where an error says it.
    Objects `above` are looked through already."""
    if isinstance(value, Either) and is_told(value.condition):
        value = value.then, value.otherwise
    elif isinstance(value, ListValue):
        value = value.cell["items"]
    elif isinstance(value, DictValue):
        value = tuple(value.cell["items"].values()) if isinstance(value.cell["items"], dict) else value
    elif isinstance(value, Instance) and ANYTHING not in value.attrs:
        if any(value is each for each in above):
            return ""
        value, above = tuple(value.attrs.values()), (*above, value)
    if isinstance(value, tuple):
        return next(filter(None, (hidden(item, above) for item in value)), "")
    if isinstance(value, Unknown):
        return "" if isinstance(value.reason, Explained) else value.reason
    return "" if isinstance(value, _SEEN) else HIDDEN


_SEEN = (View, InputTensor, Real, SymbolicDType, External, Api, *CONSTANTS)
