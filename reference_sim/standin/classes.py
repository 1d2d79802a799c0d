"""Classes of the kernel language: one that defines no initializer takes its fields by keyword, and what is not given
and has no default is None. Decorated as dataclasses they stay so, also with fields that no annotation names."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any


class _Fields(type):
    """The type of classes whose fields are given by keyword."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        own: Any = cls
        if _is_own(own.__init__):
            return super().__call__(*args, **kwargs)
        known: dict[str, Any] = (
            {field.name: field for field in dataclasses.fields(own)} if dataclasses.is_dataclass(own) else {}
        )
        if not known:
            made = own.__new__(own)
            _take(made, {**dict.fromkeys(_without_default(cls)), **kwargs})
            return made
        taken = [name for name, field in known.items() if field.init]
        given = {name: value for name, value in kwargs.items() if name in taken}
        for name in taken[len(args) :]:
            if known[name].default is known[name].default_factory is dataclasses.MISSING:
                given.setdefault(name, None)
        made = super().__call__(*args, **given)
        _take(made, {name: value for name, value in kwargs.items() if name not in taken})
        return made


class NKIObject(metaclass=_Fields):
    """Base of the classes that kernels define."""


def _is_own(initializer: Any) -> bool:
    """Whether a class was written with an initializer: those that `dataclass` makes come from no file."""
    code = getattr(initializer, "__code__", None)
    return code is not None and code.co_filename != "<string>"


def _without_default(cls: type) -> Iterator[str]:
    """The fields that annotations name and nothing gives a value."""
    for base in cls.__mro__:
        yield from (name for name in vars(base).get("__annotations__", {}) if not hasattr(cls, name))


def _take(made: Any, fields: dict[str, Any]) -> None:
    for name, value in fields.items():
        object.__setattr__(made, name, value)
