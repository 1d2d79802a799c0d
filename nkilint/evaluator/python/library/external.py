"""Names of packages that are not analysed: dtypes, numbers and shapes are followed, the rest is unknown."""

from __future__ import annotations

import abc
import bisect
import collections
import collections.abc
import contextlib
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
import os
import string
import sys
import time
import typing
from dataclasses import replace
from typing import Any

from nkilint.base import ir
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown, ceil_div
from nkilint_rules.words.dtypes import DType

from ...state import protocols
from ...state.havoc import tensors_in
from ...state.machine import Machine, Stop
from ...state.modules import outside
from ...state.protocols import Args, Keywords
from ...state.refusals import attribute_refused
from ...values.cells import MISSING
from ...values.choices import Text, among, as_one
from ...values.dtypes import as_dtype
from ...values.host import HostArray
from ...values.inputs import InputTensor
from ...values.numbers import OF_NUMPY, is_number
from ...values.objects import BoundMethod, ExceptionValue, External, FunctionValue, Instance, Native, Partial
from ..exceptions import builtin_exception
from ..rounding import settled_input
from .elements import fits
from .modules import module_named
from .numpy import FLOATS, on_numbers
from .registry import CONSTANTS, FUNCTIONS, invoke


@protocols.truths.of(External)
def _truth(machine: Machine, value: External, node: ir.Expr) -> Unknown:
    return Unknown(f"truth of `{value.name}`")


@protocols.attributes.of(External)
def _attribute(machine: Machine, value: External, name: str, node: ir.Attr) -> Any:
    full = f"{value.name}.{name}"
    if full in machine.modules.patched:
        return machine.modules.patched[full]
    if lacks(machine, value, name):
        return attribute_refused(machine, value, name, node)
    if value.name in _MODULES and not hasattr(_MODULES[value.name], name):
        machine.doubts += 1  # another version of Python may have it
    if value.name in _OTHERS and not hasattr(_OTHERS[value.name], name):
        machine.doubt(f"`{value.name}` has no `{name}` in each version of Python")
    found = CONSTANTS.get(full, MISSING)
    return outside(full) if found is MISSING else found


def lacks(machine: Machine, value: External, name: str) -> bool:
    """Whether a module has no such attribute in any version of Python, and nothing gave it one."""
    return is_missing(value.name, name) and f"{value.name}.{name}" not in machine.modules.patched


def is_missing(module: str, name: str) -> bool:
    """Whether a module of Python's has no such name in any version."""
    known = module in _MODULES and not name.startswith("_") and f"{module}.{name}" not in _OF_SOME_VERSIONS
    return known and not hasattr(_MODULES[module], name)


_MODULES = {each.__name__: each for each in (bisect, collections, functools, heapq, itertools, math, operator)}
"""Modules of which it is known what is in them."""

_OTHERS = {
    each.__name__: each for each in (abc, contextlib, copy, dataclasses, enum, os, os.path, string, sys, time, typing)
}
"""Others of which it is known what is in them in one version of Python, on one system."""

_OF_SOME_VERSIONS = frozenset(
    {
        *(f"heapq.{name}_max" for name in ("heapify", "heappop", "heappush", "heappushpop", "heapreplace")),
        *(f"math.{name}" for name in ("cbrt", "exp2", "fma", "integer", "sumprod")),
        *(f"operator.{name}" for name in ("call", "is_none", "is_not_none")),
        *("functools.Placeholder", "itertools.batched"),
        *(f"collections.{name}" for name in collections.abc.__all__),  # until 3.9
    }
)
"""What only some versions of Python have there."""


@protocols.attributes_set.of(External)
def _set_attribute(machine: Machine, value: External, name: str, new: Any) -> None:
    """Who asks for it later gets what is set; what others make of that is not followed."""
    machine.set(machine.modules.patched, f"{value.name}.{name}", new)
    protocols.escape(machine, [new], f"setting `{name}`")


@protocols.subscripts.of(External)
def _subscript(machine: Machine, value: External, key: Any, node: ir.Index) -> Any:
    if value.name == "sys.modules":
        return module_named(machine, key)
    if isinstance(key, Unknown):
        return key
    if value.name == "sys.version_info":
        return CONSTANTS[f"{value.name}.major"] if key == 0 else Unknown("the version of Python")
    if value.name in _HOLDING:
        return Unknown(f"an item of `{value.name}`, which may have none of that key")
    if value.name in ("numpy.mgrid", "numpy.ogrid", "numpy.s_", "numpy.r_"):
        return Unknown(f"`{value.name}[...]`")
    return value  # a generic type, as in `list[int]`


_HOLDING = frozenset({"os.environ", "os.environb", "sys.argv", "sys.path"})
"""What is no generic type, and holds what the surroundings of a program put there."""


@protocols.calls.of(External)
def _call(machine: Machine, called: External, args: Args, kwargs: Keywords, node: ir.Call | None, env: Any) -> Any:
    """A call of something outside the project."""
    name = called.name
    args, kwargs = [as_one(value) for value in args], {key: as_one(value) for key, value in kwargs.items()}
    if any(isinstance(a, InputTensor) for a in args):
        args = [settled_input(machine, a) for a in args]
    result = on_numbers(machine, name, args, node.at if node else machine.at)
    if result is not None:
        return result
    if name in FUNCTIONS:
        made = invoke(machine, name, args, kwargs)
        return replace(made, is_torch=name.startswith("torch.")) if isinstance(made, HostArray) else made
    if builtin_exception(called) is not None:
        return ExceptionValue(called, tuple(args))
    dtype = as_dtype(called)
    if dtype is not None:
        return _cast(args, dtype)
    if name.rpartition(".")[2] in ("cdiv", "div_ceil") and len(args) == 2:
        return ceil_div(args[0], args[1])
    if name.partition("numpy.")[2] in FLOATS and all(is_number(a) for a in args):
        return OF_NUMPY
    if name.startswith(_TESTING):
        return called
    if name in _WATCHING:
        raise Stop(f"`{name}` has functions called that nothing here calls")
    reason = machine.modules.why(name, "")
    if reason and not tensors_in(machine, [*args, *kwargs.values()]):  # it may ask anything of the device
        machine.unknown(IncompleteAnalysis, reason, hides_writes=False)
    reason = reason or f"`{name}` is not followed"
    if name.partition(".")[0] not in _HARMLESS or name.rpartition(".")[2] in _CHANGING:
        protocols.escape(machine, [*args, *kwargs.values()], reason)
        return among(reason, *args, *kwargs.values())
    if tensors_in(machine, [*args, *kwargs.values()]) and machine.in_kernel:
        machine.unknown(IncompleteAnalysis, reason)
    if name == "time.sleep" and not all(is_number(a) for a in args):
        raise IsUnknown(reason)
    if name.partition(".")[0] in _TELLING:
        machine.harmless = node
        return External(f"{name}()") if name == "logging.getLogger" else Unknown(reason)
    if name.partition(".")[0] not in _WRAPPING:
        return Unknown(reason)
    called_later = [value for value in (*args, *kwargs.values()) if isinstance(value, _FUNCTIONS)]
    return among(reason, *called_later)


_FUNCTIONS = (FunctionValue, BoundMethod, Partial, Native, Instance)
_WATCHING = frozenset({"sys.setprofile", "sys.settrace", "threading.setprofile", "threading.settrace"})
_TESTING = ("hypothesis.", "pytest.", "unittest.")
"""What marks, collects and runs tests changes nothing that kernels see, and neither does what it gives."""

_HARMLESS = frozenset(
    {
        "inspect", "jax", "logging", "math", "ml_dtypes", "numpy", "os", "pathlib", "platform", "re", "string", "sys",
        "time", "torch", "typing", "warnings",
    }
)  # fmt: skip
"""Packages whose functions change no list, dict or object that they are given, but for those of these names."""
_TELLING = frozenset({"logging", "time", "warnings"})
"""Those among them that raise nothing as long as they are called as they are meant to be."""
_WRAPPING = frozenset({"jax", "numpy", "torch"})
"""Those among them that give functions which call what they were given."""
_CHANGING = frozenset({"copyto", "shuffle", "setattr", "modules", "save", "load_state_dict"})


def _cast(args: list[Any], dtype: DType) -> Any:
    """`np.float32(x)`."""
    value = args[0] if args else 0
    if len(args) > 1 or isinstance(value, (str, Text)):
        raise IsUnknown(f"`{dtype}` of these arguments")
    if isinstance(value, (int, float)):
        whole = value if dtype.is_float else int(value)
        if not fits(whole, dtype):
            raise IsUnknown(f"a number that {dtype} does not hold")  # it wraps, or Python raises
        return float(value) if dtype.is_float else whole
    return HostArray(value.shape, dtype) if isinstance(value, HostArray) else OF_NUMPY if dtype.is_float else value
