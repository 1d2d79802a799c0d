"""How large the arguments of a trial are, and of which dtypes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any


def elements(argument: Any) -> int:
    """How many elements all arrays in it have together."""
    if isinstance(argument, Mapping):
        if "array" in argument:
            return prod(argument["array"][1])
        return sum(elements(part) for part in argument.values())
    return sum(elements(part) for part in argument) if isinstance(argument, (list, tuple)) else 0


def sizes(argument: Any) -> list[int]:
    """The sizes of all arrays in it."""
    if isinstance(argument, Mapping):
        if "array" in argument:
            return list(argument["array"][1])
        return [size for part in argument.values() for size in sizes(part)]
    return [size for part in argument for size in sizes(part)] if isinstance(argument, (list, tuple)) else []


def mentions(argument: Any, kind: str) -> bool:
    """Whether some part of it is of that kind."""
    if isinstance(argument, Mapping):
        return kind in argument or any(mentions(part, kind) for part in argument.values())
    return isinstance(argument, (list, tuple)) and any(mentions(part, kind) for part in argument)


def lacks_dtype(argument: Any) -> bool:
    """Whether some array in it has no dtype."""
    if isinstance(argument, Mapping):
        if "array" in argument:
            return not argument["array"][0]
        return any(lacks_dtype(part) for part in argument.values())
    return isinstance(argument, (list, tuple)) and any(lacks_dtype(part) for part in argument)


def with_dtypes(argument: Any, chosen: Callable[[str], str]) -> Any:
    """The same with the dtype of each array that is `chosen` for the one that it says, which is empty for none."""
    if isinstance(argument, Mapping):
        if "array" in argument:
            dtype, shape = argument["array"]
            return {"array": [chosen(dtype), shape]}
        return {key: with_dtypes(part, chosen) for key, part in argument.items()}
    return type(argument)(with_dtypes(part, chosen) for part in argument) if _is_list(argument) else argument


def _is_list(argument: Any) -> bool:
    return isinstance(argument, (list, tuple))
