"""Classes of fields, made quicker than `dataclasses` makes them: a program that starts often makes hundreds of them.

`dataclass` here means what it means there. Frozen classes with slots, which nearly all of them are, get their methods
out of one text that is compiled once, not out of one for each method; all others are made by `dataclasses` itself.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, **options):
        """The decorator, with and without arguments."""

        def made(cls):
            if not frozen or not slots or options:
                return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **options)
            return _completed(dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=True), eq)

        return made if cls is None else made(cls)


def _completed(cls: Any, eq: bool) -> Any:
    """A class that has fields and slots, with the methods of a frozen one; what it defines itself stays."""
    every = dataclasses.fields(cls)
    names: dict[str, Any] = {"MISSING": MISSING}
    exec(_text(cls, every, eq, names), names)
    methods = {name: names[name] for name in ("__init__", "__eq__", "__hash__") if name in names}
    for method in methods.values():
        method.__qualname__ = f"{cls.__qualname__}.{method.__name__}"
    for name, method in (methods | _ALIKE).items():
        if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
            setattr(cls, name, method)
    return cls


def _text(cls: Any, every: tuple[Field[Any], ...], eq: bool, names: dict[str, Any]) -> str:
    """The methods as Python; `names` gets what they refer to."""
    parameters, body = [], []
    for field in sorted(every, key=lambda f: bool(f.kw_only)):
        names[f"set_{field.name}"] = getattr(cls, field.name).__set__
        given, value = field.name, field.name
        if field.default_factory is not MISSING:
            names[f"new_{field.name}"] = field.default_factory
            given = f"{field.name}=MISSING"
            value = f"new_{field.name}()" + (f" if {value} is MISSING else {value}" if field.init else "")
        elif field.default is not MISSING:
            names[f"new_{field.name}"] = field.default
            given = f"{field.name}=new_{field.name}"
            value = value if field.init else f"new_{field.name}"
        elif not field.init:
            continue
        if field.init:
            if field.kw_only and "*" not in parameters:
                parameters.append("*")
            parameters.append(given)
        body.append(f"  set_{field.name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("  self.__post_init__()")
    text = f"def __init__({', '.join(['self', *parameters])}):\n" + "\n".join(body or ["  pass"])
    if eq:
        mine, other = ("".join(f"{of}.{f.name}," for f in every if f.compare) for of in ("self", "other"))
        text += (
            "\ndef __eq__(self, other):\n"
            f"  return ({mine}) == ({other}) if other.__class__ is self.__class__ else NotImplemented\n"
            "def __hash__(self):\n"
            f"  return hash(({mine}))"
        )
    return text


# --- what all of them have ---


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, value: Any = None) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_ALIKE = {
    "__repr__": _repr,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _state,
    "__setstate__": _restore,
}
