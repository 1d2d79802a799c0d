"""Python's built-in functions that make texts of values."""

from __future__ import annotations

import sys
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of
from nkilint_rules.words.dtypes import DType

from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords
from ...state.refusals import may_raise
from ...values.choices import Text
from ...values.dtypes import SymbolicDType
from ...values.objects import Instance
from ..types.formats import is_lavish, may_raise_in
from ..types.texts import own_text, written
from .integers import text_by
from .registry import models


@models("builtins.str")
def _str(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if not args:
        return ""
    own = own_text(machine, args[0]) if isinstance(args[0], Instance) else None
    if own is not None:
        return own
    if len(args) == 1 and isinstance(args[0], (DType, SymbolicDType)):
        return Text(args[0])
    if len(args) > 1:
        return Unknown("a text made of bytes")
    return str(args[0]) if isinstance(args[0], (str, int, float)) else written(machine, args)


for _function in (repr, ascii):
    models(f"builtins.{_function.__name__}")(text_by(_function, str, int, float, bytes))


@models("builtins.format")
def _format(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if is_lavish("".join(map(str, args[1:]))):
        raise IsUnknown("a format of so many characters")
    if not all(isinstance(value, (str, int, float)) for value in args):
        may_raise_in(machine, "a format", format, *args)
        return Text()
    try:
        return format(*args)
    except ValueError:
        raise Fault("ValueError") from None


@models("builtins.chr")
def _chr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    if not isinstance(value, (int, Sym)):
        return Unknown("a character that is not known")
    if isinstance(value, Sym):
        may_raise(machine, "ValueError", all_of((value >= 0, value <= sys.maxunicode)), "`chr` of a number")
        return Text(length=1)
    try:
        return chr(value)
    except (ValueError, OverflowError) as error:
        raise Fault(type(error).__name__) from None


@models("builtins.ord")
def _ord(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    if not isinstance(value, (str, bytes)):
        raise IsUnknown("`ord` of a text that is not known")
    if len(value) != 1:
        raise Fault("TypeError")
    return ord(value)
