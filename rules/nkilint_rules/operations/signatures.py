"""Signatures of operations: what arguments a call takes, and what it binds them to."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..words.names import MISSING, Named
from ..words.records import dataclass
from ..words.suggestions import is_near


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    default: Any = MISSING
    keyword_only: bool = False
    since: str = ""
    until: str = ""


class SignatureError(Exception):
    """A call that does not fit: `kind` is "missing", "unexpected", "duplicate" or "too-many"; `names` says which."""

    def __init__(self, kind: str, names: Sequence[str], message: str) -> None:
        super().__init__(message)
        self.kind, self.names = kind, tuple(names)


@dataclass(frozen=True)
class Signature:
    """Parameters of an operation in one dialect, written as in Python: `dst, src, *, mask=None, **kwargs`."""

    text: str

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        arguments = ast.parse(f"def f({self.text}): 0").body[0].args  # type: ignore[attr-defined]
        plain = arguments.posonlyargs + arguments.args
        defaults = [MISSING] * (len(plain) - len(arguments.defaults)) + [_constant(d) for d in arguments.defaults]
        return tuple(
            [Parameter(a.arg, d) for a, d in zip(plain, defaults, strict=True)]
            + [
                Parameter(a.arg, MISSING if d is None else _constant(d), True)
                for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            ]
        )

    @cached_property
    def star(self) -> str | None:
        """Name of `*args`, which takes any number of positional arguments."""
        argument = ast.parse(f"def f({self.text}): 0").body[0].args.vararg  # type: ignore[attr-defined]
        return argument.arg if argument else None

    @cached_property
    def open(self) -> bool:
        """Whether unlisted keywords are accepted (`**kwargs`)."""
        return ast.parse(f"def f({self.text}): 0").body[0].args.kwarg is not None  # type: ignore[attr-defined]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(p.name for p in self.parameters)

    @cached_property
    def positional(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters if not p.keyword_only)

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        return {p.name: p.default for p in self.parameters if p.default is not MISSING}

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Values by parameter name, defaults filled in."""
        positional = self.positional
        bound: dict[str, Any] = dict(zip(positional, args, strict=False))
        if len(args) > len(positional):
            if self.star is None:
                raise SignatureError("too-many", (), f"takes {len(positional)} positional arguments, {len(args)} given")
            bound[self.star] = tuple(args[len(positional) :])
        for name, value in kwargs.items():
            if name in bound:
                raise SignatureError("duplicate", (name,), f"got `{name}` twice")
            if name not in self.names and (not self.open or self._misspelt(name, {*bound, *kwargs})):
                raise SignatureError("unexpected", (name,), f"takes no argument `{name}`")
            bound[name] = value
        missing = [p.name for p in self.parameters if p.default is MISSING and p.name not in bound]
        if missing:
            raise SignatureError("missing", missing, "is missing " + ", ".join(f"`{m}`" for m in missing))
        return {**self.defaults, **bound}

    def _misspelt(self, name: str, given: Collection[str]) -> bool:
        """Whether an unlisted keyword is a letter away from a listed one that is not given."""
        return any(is_near(name, other) for other in self.names.difference(given))


def _constant(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return Named(ast.unparse(node))


@dataclass(frozen=True, slots=True)
class Era:
    """The signature of one operation over some versions of a dialect."""

    dialect: str
    since: str
    until: str
    text: str
