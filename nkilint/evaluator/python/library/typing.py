"""`typing` and `abc`, whose functions hand on what they are given."""

from __future__ import annotations

from typing import Any

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.objects import FunctionValue
from ..types.objects import ABSTRACT, describes, makers_of_kinds
from .registry import CONSTANTS, models, native

CONSTANTS["typing.TYPE_CHECKING"] = False


@models("abc.abstractmethod")
def _abstract_method(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    for function in (value, *(value.attrs.values() if describes(value) else ())):
        if isinstance(function, FunctionValue):
            machine.set(function.attrs, ABSTRACT, True)
    return value


def _typed_dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A plain dict: the class says what is in it, and Python asks for none of that."""
    return protocols.call(machine, native("dict"), args, kwargs)


makers_of_kinds["typed dict"] = _typed_dict

models("typing.cast")(lambda m, a, k: a[1])
