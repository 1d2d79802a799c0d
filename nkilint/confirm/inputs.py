"""Arguments for a run: distinct values without NaN, of the shapes and dtypes that a trial asks for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from nkilint_rules.words.dtypes import DTYPES, DType
from reference_sim.machine.dtypes import HOST, element_type

from .sizes import sizes

_GOLDEN = 0.6180339887498949  # its multiples, modulo 1, are as far apart as can be


class NoInput(Exception):
    """An argument that cannot be made; the text says why."""


def argument_values(
    arguments: Mapping[str, Any],
    dtype: str,
    truth: bool,
    named: Callable[[str], Any] = lambda name: None,
    signed: bool = False,
) -> dict[str, Any]:
    """The arguments; what has no dtype gets `dtype`, a truth value that nothing fixes is `truth`; `named` gives what
    the kernel's file calls so. Floats are positive, or half of them negative where they are `signed`."""
    smallest = min((n for a in arguments.values() for n in sizes(a) if n > 1), default=1)
    maker = _Maker(dtype, truth, smallest, named, 1.0 if signed else 0.0)
    return {name: maker.value(name, argument) for name, argument in arguments.items()}


class _Maker:
    def __init__(self, dtype: str, truth: bool, smallest: int, named: Callable[[str], Any], less: float) -> None:
        self.dtype, self.truth, self.smallest, self.named = dtype, truth, smallest, named
        self.less, self.made = less, 0  # what floats are less than positive ones, and how many arrays there are

    def value(self, name: str, argument: Any) -> Any:
        if not isinstance(argument, Mapping):
            return argument
        ((kind, content),) = argument.items()
        if kind == "array":
            return self._array(content[0] or self.dtype, content[1])
        if kind == "tuple":
            return tuple(self.value(name, item) for item in content)
        if kind == "list":
            return [self.value(name, item) for item in content]
        if kind == "dict":
            return {key: self.value(name, item) for key, item in content.items()}
        if kind == "dtype":
            return HOST[DTYPES[content or self.dtype]]
        if kind == "name":
            return _named(content)
        if kind == "either":
            return self.truth
        if kind == "member":
            return getattr(self.named(content[0]), content[1])
        if kind == "object":
            return self._object(name, *content)
        raise NoInput(f"`{name}` is not known: {content}")

    def _object(self, name: str, called: str, attributes: Mapping[str, Any]) -> Any:
        """An object of a class; what a dataclass computes by itself it is not given."""
        made = self.named(called)
        own = {f.name for f in fields(made) if not f.init} if is_dataclass(made) else set()
        given = {key: self.value(f"{name}.{key}", item) for key, item in attributes.items() if key not in own}
        try:
            return made(**given)
        except TypeError as error:
            raise NoInput(f"`{name}` cannot be made: {error}") from None

    def _array(self, dtype: str, sizes: list[int]) -> Any:
        element = element_type(dtype)
        host = HOST.get(element)
        if element.packed > 1:
            return self._packed(element, host, sizes)
        if host is None or host.type is np.void:
            raise NoInput(f"arrays of {dtype} cannot be made")
        count = int(np.prod(sizes, dtype=np.int64))
        self.made += 1
        if element.is_integer:
            top = min(self.smallest, int(np.iinfo(host).max) + 1)
            data: Any = (np.arange(count) * 7 + self.made) % max(top, 1)
        elif element.is_float:
            data = np.arange(1, count + 1, dtype=np.float64)
            data *= _GOLDEN
            data += self.made * 0.1
            data -= np.floor(data)  # what `% 1` gives, in less time
            data += 0.5
            data -= self.less
        else:
            data = np.arange(count) % 2 == 0
        return data.astype(host).reshape(sizes)

    def _packed(self, element: DType, host: Any, sizes: list[int]) -> Any:
        """Four numbers to an element: narrow floats of one byte, or of half a byte each."""
        if element.itemsize == element.packed:
            numbers = self._array(element.name.removesuffix("_x4"), [*sizes, element.packed])
            return np.ascontiguousarray(numbers).view(host).reshape(sizes)
        count = int(np.prod([*sizes, element.itemsize], dtype=np.int64))
        self.made += 1
        return ((np.arange(count) * 7 + self.made) % 256).astype(np.uint8).view(host).reshape(sizes)


def _named(dotted: str) -> Any:
    """What a dotted name stands for."""
    parts = dotted.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        try:
            for part in parts[length:]:
                value = getattr(value, part)
        except AttributeError:
            break
        return value
    raise NoInput(f"`{dotted}` is not there")
