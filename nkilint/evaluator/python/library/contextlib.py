"""`contextlib`, and what tests use like it."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords
from ...values.objects import FunctionValue, Managed, Native, Suppressing
from .registry import models


@models("contextlib.suppress")
def _suppress(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Suppressing(tuple(args))


@models("contextlib.contextmanager")
def _context_manager(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (function,) = args
    if not isinstance(function, FunctionValue) or not function.node.is_generator:
        raise IsUnknown("a manager made of what is no generator")
    return Native(function.name, lambda machine, args, kwargs: Managed(function, tuple(args), kwargs), (function,))


@models("contextlib.nullcontext", keywords=("enter_result",))
def _null_context(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if len(args) > 1:
        raise Fault("TypeError")
    return Suppressing((), args[0] if args else kwargs.get("enter_result"))


@models("pytest.raises", keywords=("match",))
def _expected(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Suppressing(args[0] if args else Unknown("exceptions"), Unknown("what is known of an exception"))
