"""Frozen dataclasses as JSON and back, by their types.

What is read may come from anywhere: nothing but values of the types asked for is made of it, and `NotThis` is raised
for everything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any], Any]


class NotThis(Exception):
    """The data is not a value of the type asked for."""


def json_text(value: Any) -> str:
    """A document of JSON for people and programs: what it does not know, it writes as text."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"


def plain(value: Any) -> Any:
    """`value` as what JSON can hold: a dataclass is the list of its fields."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if is_dataclass(value):
        kind: Any = type(value)
        free = _free_fields(kind)
        return [(_free if name in free else plain)(getattr(value, name)) for name in _names(kind)]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value)


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind))


@cache
def _free_fields(kind: type[Any]) -> frozenset[str]:
    """The fields that may hold anything."""
    return frozenset(name for name, hint in get_type_hints(kind).items() if _holds_any(hint))


def _holds_any(hint: Any) -> bool:
    return hint is Any or any(_holds_any(part) for part in get_args(hint))


def _free(value: Any) -> Any:
    """A value of no known type; what JSON does not have becomes text, as it would in a report."""
    if value is None or (isinstance(value, (bool, int, float, str)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, tuple):
        return {"tuple": [_free(item) for item in value]}
    if isinstance(value, list):
        return [_free(item) for item in value]
    if isinstance(value, Mapping):
        return {"mapping": {str(key): _free(item) for key, item in value.items()}}
    return str(value)


def _freed(data: Any) -> Any:
    if isinstance(data, list):
        return [_freed(item) for item in data]
    if isinstance(data, dict):
        if isinstance(data.get("tuple"), list):
            return tuple(_freed(item) for item in data["tuple"])
        return {key: _freed(item) for key, item in _dict(data.get("mapping")).items()}
    return data


def restored(kind: type[T], data: Any) -> T:
    """The value of type `kind` that `plain` made `data` of."""
    wanted: Any = kind
    value: T = _reader(wanted)(data)
    return value


@cache
def _reader(kind: Any) -> Reader:
    origin, parts = get_origin(kind), get_args(kind)
    if _holds_any(kind):
        return _of_anything(kind)
    if kind is Path:
        text = _reader(str)
        return lambda data: Path(text(data))
    if is_dataclass(kind) and isinstance(kind, type):
        return _of_dataclass(kind)
    if origin in (Union, UnionType):
        return _of_union(parts)
    if origin is Literal:
        return _checked(lambda data: data in parts)
    if origin is tuple:
        return _of_tuple(parts)
    if origin is frozenset:
        items = _reader(parts[0])
        return lambda data: frozenset(items(item) for item in _list(data))
    if origin is not None and issubclass(origin, Mapping):
        values = _reader(parts[1])
        return lambda data: {key: values(item) for key, item in _dict(data).items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _of_enum(kind)
    if kind is NoneType:
        return _checked(lambda data: data is None)
    return _checked(lambda data: type(data) is kind)


def _of_dataclass(kind: type[Any]) -> Reader:
    hints = get_type_hints(kind)
    readers = [_reader(hints[f.name]) for f in fields(kind)]

    def read(data: Any) -> Any:
        if len(_list(data)) != len(readers):
            raise NotThis
        return kind(*(reader(item) for reader, item in zip(readers, data, strict=True)))

    return read


def _of_anything(kind: Any) -> Reader:
    """What is in it may be anything; on the outside it has to be what `kind` says."""
    allowed = tuple(get_origin(part) or part for part in get_args(kind) if get_origin(kind) in (Union, UnionType))
    outside = allowed or ((get_origin(kind) or object),)

    def read(data: Any) -> Any:
        value = _freed(data)
        if kind is not Any and not isinstance(value, outside):
            raise NotThis
        return value

    return read


def _of_union(parts: tuple[Any, ...]) -> Reader:
    readers = [_reader(part) for part in parts]

    def read(data: Any) -> Any:
        for reader in readers:
            try:
                return reader(data)
            except NotThis:
                continue
        raise NotThis

    return read


def _of_tuple(parts: tuple[Any, ...]) -> Reader:
    if len(parts) == 2 and parts[1] is ...:
        items = _reader(parts[0])
        return lambda data: tuple(items(item) for item in _list(data))
    readers = [_reader(part) for part in parts]

    def read(data: Any) -> Any:
        if len(_list(data)) != len(readers):
            raise NotThis
        return tuple(reader(item) for reader, item in zip(readers, data, strict=True))

    return read


def _of_enum(kind: type[Enum]) -> Reader:
    values = {item.value: item for item in kind}

    def read(data: Any) -> Any:
        if not isinstance(data, str) or data not in values:
            raise NotThis
        return values[data]

    return read


def _checked(holds: Callable[[Any], bool]) -> Reader:
    def read(data: Any) -> Any:
        if not holds(data):
            raise NotThis
        return data

    return read


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise NotThis
    return data


def _dict(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise NotThis
    return data
