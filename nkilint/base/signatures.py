"""Whether arguments fit the parameters of a function, as Python binds them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from . import ir


def misfit(parameters: Sequence[ir.Param], positional: int, keywords: Sequence[str]) -> str | None:
    """What is wrong with so many positional arguments and these keywords, in the words of a finding."""
    kinds = {p.kind for p in parameters}
    places = [p.name for p in parameters if p.kind in ("positional", "positional-only")]
    if positional > len(places) and not any(p.kind == "*" and p.name for p in parameters):
        return f"takes {len(places)} positional arguments, {positional} given"
    given = set(places[:positional])
    named = {p.name for p in parameters if p.kind in ("positional", "keyword")}
    for name in keywords:
        if name in named and name in given:
            return f"got `{name}` twice"
        if name not in named and "**" not in kinds:
            return f"takes no argument `{name}`"
        given |= {name} & named
    return missing([p.name for p in parameters if p.kind not in ("*", "**") and p.default is None], given)


def missing(required: Sequence[str], given: Collection[str]) -> str | None:
    """The required arguments that are not there, in the words of a finding."""
    names = [name for name in required if name not in given]
    return "is missing " + ", ".join(f"`{name}`" for name in names) if names else None
