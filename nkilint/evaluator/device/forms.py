"""The form of a call: all of it that rules about single operations can see. Calls of one form meet the same rules."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.operations.form import Call, Result
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.names import Named

from ..values.inputs import Counted
from ..values.tensors import View

_PLAIN = frozenset((str, float, bool, type(None), DType, Named))


class NoForm(Exception):
    """Something in a call is of a kind that says more than its form."""


def form_of(call: Call) -> Any:
    """What stands for the form of a call, which can be looked up; None where it has none. It says nothing about names
    or places, which only messages mention."""
    if call.operation.kind == "method":
        return None  # whether there is such a view hangs on how the elements lie
    try:
        arguments = tuple([(name, _form(value)) for name, value in call.arguments.items()])
        return call.operation.name, call.dialect, call.given, _of_result(call.result), arguments
    except NoForm:
        return None


def _form(value: Any) -> Any:
    kind = type(value)
    if kind is View:
        return _of_view(value)
    if kind is int:
        return value
    if kind is Sym:
        return kind, value.key
    if kind in _PLAIN:
        return kind, value
    if kind is tuple or kind is Counted:
        return tuple([_form(item) for item in value])
    raise NoForm


def _of_view(view: View) -> Any:
    """Of tensors in HBM rules do not see where an access begins."""
    base = view.base
    if type(view.dtype) is not DType or type(view.memory) is not str:
        raise NoForm
    where = () if view.memory == HBM else (*_sizes(view.index), view.layout is base.shape, view.problem)
    place = view.memory, view.dtype.name, view.indirect, base.blocks, view.dtype is base.dtype
    return View, place, _sizes(view.shape), _sizes(base.shape), where


def _of_result(result: Any) -> Any:
    if result is None:
        return None
    if not isinstance(result, Result):
        raise NoForm
    return _form(result.shape), _form(result.dtype), result.memory, result.exact, result.blocks


def _sizes(sizes: tuple[Any, ...]) -> Any:
    return tuple([size if type(size) is int else _form(size) for size in sizes])
