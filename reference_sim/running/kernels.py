"""Kernel objects: what the decorators of both dialects make of a function."""

from __future__ import annotations

import functools
import importlib
import inspect
import pickle
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nkilint_rules.language.nested_grid import NestedGrid
from nkilint_rules.words.dialects import BETA1, NKI
from reference_sim.machine.dtypes import HOST, element_type
from reference_sim.machine.program import running
from reference_sim.report.errors import say_once
from reference_sim.report.tracebacks import as_told
from reference_sim.report.wording import complain

from . import grids_of_programs
from .latencies import BenchmarkResult
from .launch import launch
from .settings import target_named


class Kernel:
    """A function that runs as a kernel when the host calls it, and in place when a kernel does."""

    def __init__(
        self,
        function: Callable[..., Any],
        dialect: str,
        mode: str = "auto",
        grid: tuple[int, ...] = (),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not callable(function):
            raise TypeError(f"{function!r} is no function, and cannot be a kernel")
        self.func = function
        self.dialect, self.mode, self.grid, self.options = dialect, mode, grid, dict(options or {})
        functools.update_wrapper(self, function)
        # With `__wrapped__`, pytest would collect a kernel called test_... as a test.
        del self.__wrapped__  # type: ignore[attr-defined]
        try:
            self.__signature__ = inspect.signature(function)
        except (TypeError, ValueError):
            self.__signature__ = None
        if mode in ("benchmark", "profile"):
            self.benchmark_result = BenchmarkResult()

    def __getitem__(self, grid: Any) -> Kernel:
        return Kernel(self.func, self.dialect, self.mode, grids_of_programs.sizes(grid), self.options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if running() is not None:
            if self.grid and self.dialect == BETA1:
                complain(NestedGrid.message(kernel=self.__name__))
            return self.func(*args, **kwargs)
        if self.mode in ("benchmark", "profile"):
            say_once(f"{self.mode} runs the kernel once on the CPU; there is no device whose latency could be measured")
        return self.run(args, kwargs)

    def run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], writable: bool = False) -> Any:
        """Run for the host."""
        __tracebackhide__ = True
        target = self.options.get("platform_target")
        chosen = None if target is None else target_named(target)
        try:
            return launch(self.func, args, kwargs, self.dialect, self.grid, chosen, self.immutable and not writable)
        except Exception as error:
            told = as_told(error)
            if told is error:
                raise
            way = told.__traceback__
        raise told.with_traceback(None if way is None else way.tb_next)

    @property
    def immutable(self) -> bool:
        """Whether the kernel may not write its inputs."""
        changing = ("trace", "baremetal", "benchmark", "profile")
        if self.dialect != BETA1 or self.mode in changing or self.options.get("kernel_return") is False:
            return False
        return "mutable" not in str(self.options.get("experimental_flags"))

    __name__: str
    __signature__: Any

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"

    def __copy__(self) -> Kernel:
        return self

    def __deepcopy__(self, memo: Any) -> Kernel:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Kernels go to other processes by the name of their function, as functions do."""
        where = self.func.__module__, self.func.__qualname__
        if _named(*where) is not self.func:
            raise pickle.PicklingError(f"{self!r} is not found as {'.'.join(where)}")
        return _unpickled, (*where, self.dialect, self.mode, self.grid, self.options)


def _named(module: str, name: str) -> Any:
    found = functools.reduce(lambda owner, part: getattr(owner, part, None), name.split("."), sys.modules.get(module))
    return found.func if isinstance(found, Kernel) else found


def _unpickled(module: str, name: str, *rest: Any) -> Kernel:
    importlib.import_module(module)
    return Kernel(_named(module, name), *rest)


def _function_of(kernel: Any) -> tuple[Callable[..., Any], tuple[int, ...], dict[str, Any]]:
    if isinstance(kernel, Kernel):
        return kernel.func, kernel.grid, kernel.options
    return kernel, (), {}


def decorator(dialect: str, mode: str) -> Callable[..., Any]:
    """A decorator that works with and without arguments, and as a function."""

    def decorate(func: Any = None, *args: Any, **options: Any) -> Any:
        chosen = options.pop("mode", mode)
        if func is None or isinstance(func, str):
            return lambda f: decorate(f, *args, mode=chosen, **options)
        function, grid, inherited = _function_of(func)
        return Kernel(function, dialect, chosen, grid, {**inherited, **options})

    decorate.__name__ = mode if mode != "auto" else "jit"
    return decorate


def simulate_kernel(kernel: Any, *args: Any, **kwargs: Any) -> Any:
    """Beta 1: run a kernel; it may write its output parameters."""
    __tracebackhide__ = True
    function, grid, options = _function_of(kernel)
    return Kernel(function, BETA1, "simulation", grid, options).run(args, kwargs, writable=True)


def simulate(kernel: Any) -> Kernel:
    """0.x: the kernel as a callable that runs on the CPU."""
    function, grid, options = _function_of(kernel)
    return Kernel(function, NKI, "simulation", grid, options)


class TensorType:
    """`nt.tensor`, bare or with a shape and a dtype; with both it stands for an array of that form."""

    def __init__(self, shape: tuple[Any, ...] | None = None, dtype: Any = None, mutable: bool = False) -> None:
        self.shape, self.dtype, self.mutable = shape, dtype, mutable

    def __getitem__(self, key: Any) -> TensorType:
        if isinstance(key, tuple) and key and isinstance(key[0], (list, tuple)):
            return TensorType(tuple(key[0]), key[1] if len(key) > 1 else np.float32, self.mutable)
        return TensorType(key if isinstance(key, tuple) else (key,), self.dtype, self.mutable)

    def __call__(self, *args: Any, **kwargs: Any) -> TensorType:
        return self[args]

    def placeholder_array(self) -> Any:
        """Data of this form for a benchmark that gives none: small random floats, zeros of integers."""
        if self.shape is None:
            raise TypeError("`nt.tensor` without a shape cannot be an argument")
        host = HOST[element_type(self.dtype if self.dtype is not None else np.float32)]
        if host.kind in "iub":
            return np.zeros(self.shape, host)
        return np.random.default_rng(0).random(self.shape, np.float32).astype(host)
