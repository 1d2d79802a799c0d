"""Which launches of a kernel need no checks in the simulator, because the verifier has proved all that they check."""

from __future__ import annotations

import inspect
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from nkilint.base.config import ConfigError, find, load
from nkilint.base.options import Options
from nkilint.base.source import SourceError
from nkilint.evaluator.kernels.launch import Launch
from nkilint.evaluator.values.host import HostArray
from nkilint.evaluator.values.objects import FunctionValue
from nkilint.project.discovery import Kernel
from reference_sim.machine.dtypes import element_type
from reference_sim.machine.frameworks import kind_of, to_numpy
from reference_sim.machine.program import Launch as Started

from .engine import RECURSION
from .reading import session_of
from .session import Session
from .verification import Verification

_PLAIN = (int, float, bool, str, type(None))
Function = Callable[..., Any]


class _NotKnown(Exception):
    """A launch of which the verifier cannot be asked."""


@dataclass
class Trust:
    """Answers of the verifier, each asked for once. They are about the text of a kernel: a run that gives a name of its
    module another value, or arrays that share memory, is checked."""

    _known: dict[Any, bool] = field(default_factory=dict)

    def __call__(self, started: Started, function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether all is proved that the checks of this launch look at."""
        try:
            code = inspect.unwrap(function).__code__
            given = [_value(value) for value in args]
            named = {name: _value(value) for name, value in kwargs.items()}
            _apart([*args, *kwargs.values()])
            asked = started.target.name, started.dialect, started.grid
            key = code, asked, tuple(map(_key, given)), tuple((name, _key(named[name])) for name in sorted(named))
            if key not in self._known:
                self._known[key] = _proved(started, inspect.unwrap(function), code, given, named)
            return self._known[key]
        except (_NotKnown, AttributeError):
            return False


def _value(value: Any) -> Any:
    """An argument as the verifier knows it."""
    kind = kind_of(value)
    if kind:
        array = to_numpy(value, kind)
        return HostArray(tuple(map(int, array.shape)), element_type(array.dtype))
    if type(value) is tuple:
        return tuple(_value(item) for item in value)
    if type(value) in _PLAIN:
        return value
    raise _NotKnown


def _key(value: Any) -> Any:
    if isinstance(value, HostArray):
        return HostArray, value.shape, value.dtype
    return tuple(map(_key, value)) if type(value) is tuple else (type(value), value)


def _apart(values: Iterable[Any]) -> None:
    """The verifier takes arguments for tensors of their own."""
    arrays = [to_numpy(value, kind) for value in values if (kind := kind_of(value))]
    if any(np.may_share_memory(a, b) for a, b in itertools.combinations(arrays, 2)):
        raise _NotKnown


def _proved(
    started: Started, function: Function, code: CodeType, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> bool:
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    session, kernel = _found(started, code)
    value = session.modules.value(kernel.module).env
    launch_of = FunctionValue(kernel.function, value, {}, kernel.name)
    launch = Launch(launch_of, tuple(args), dict(kwargs), started.grid, kernel.function.at)
    return Verification(session, kernel).proved(launch) and _is_as_written(function, code, value.vars)


def _found(started: Started, code: CodeType) -> tuple[Session, Kernel]:
    """The kernel in the file that its code came from."""
    path = Path(code.co_filename)
    if not path.is_file():
        raise _NotKnown
    try:
        file = find(path.parent)
        options = load(file) if file else Options(root=path.parent)
        session, kernels = session_of([path], replace(options, target=started.target.name, confirm=False), {})
    except (ConfigError, SourceError):
        raise _NotKnown from None
    own = [
        kernel
        for kernel in kernels
        if os.path.samefile(kernel.module.path, path)
        and (kernel.name, kernel.dialect) == (code.co_name, started.dialect)
        and kernel.function.whole.row <= code.co_firstlineno <= kernel.function.at.row
    ]
    if len(own) != 1 or own[0].outer:
        raise _NotKnown
    return session, own[0]


def _is_as_written(function: Function, code: CodeType, names: Mapping[str, Any]) -> bool:
    """Whether what the kernel takes from its module has the value that the text gives it."""
    own = {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
    return all(type(value) not in _PLAIN or names.get(name) == value for name, value in own.items())
