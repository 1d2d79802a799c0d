"""Dtypes that calls of numpy, torch and jax are given."""

from __future__ import annotations

import re
from typing import Any

from nkilint.symbolic.integers import Sym

from ...state.machine import Machine
from ...values.choices import Text
from ...values.containers import DictValue, ListValue
from ...values.dtypes import as_dtype
from ...values.host import HostArray

_NONE = (int, float, Sym, tuple, Text, DictValue, ListValue, HostArray)
"""What names no dtype, or none that is known."""
_SHORT = re.compile(r"[<>=|]?[?bBhHiIlLqQpPefdgFDGSaUVOcmM]\d*(\[\w+\])?")
_OTHERS = frozenset(
    {
        "byte", "bytes", "cdouble", "clongdouble", "complex", "complex64", "complex128", "complex256", "csingle",
        "datetime64", "double", "float", "float128", "half", "int", "intc", "intp", "long", "longdouble", "longlong",
        "object", "short", "single", "str", "timedelta64", "ubyte", "uint", "uintc", "uintp", "ulong", "ulonglong",
        "ushort", "void",
    }
)  # fmt: skip
"""Names of dtypes that no kernel has."""


def element_type(machine: Machine, given: Any, default: Any = None) -> Any:
    """The dtype that an argument names, None where it is not known; what names none raises."""
    if given is None:
        return default
    found = as_dtype(given)
    unheard = isinstance(given, str) and not _SHORT.fullmatch(given) and given not in _OTHERS
    if found is None and (unheard or isinstance(given, _NONE)):
        machine.doubt("a dtype of an array that may be none")
    return found
