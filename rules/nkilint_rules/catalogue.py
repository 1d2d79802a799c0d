"""Finds the rules of the rulebook by walking its modules, and looks them up by code."""

from __future__ import annotations

from functools import cache, lru_cache
from types import ModuleType

import nkilint_rules
from nkilint_rules.placement.place_rule import PlaceRule
from nkilint_rules.rule import Rule
from nkilint_rules.words.modules import modules
from nkilint_rules.words.suggestions import suggestion


class DuplicateCode(Exception):
    """Two rules claim the same code or name."""


class UnknownCode(Exception):
    """No rule has this code; the message names the nearest one."""


@lru_cache(maxsize=1)
def rules() -> dict[str, type[Rule]]:
    """All rules by code, in the order of their codes."""
    return collect(nkilint_rules)


@cache
def rules_by_operation(name: str) -> tuple[Rule, ...]:
    """The rules that judge single calls of the operation `name`, in the order of their codes."""
    return tuple(r() for r in rules().values() if r.judges_calls and (not r.ops or name in r.ops))


@cache
def rules_of_places() -> tuple[PlaceRule, ...]:
    """The rules that judge where single tiles are placed, in the order of their codes."""
    return tuple(r() for r in rules().values() if issubclass(r, PlaceRule))


def collect(package: ModuleType) -> dict[str, type[Rule]]:
    """The rules defined in `package` and everything below it."""
    found: dict[str, type[Rule]] = {}
    names: dict[str, type[Rule]] = {}
    for module in modules(package):
        for value in list(vars(module).values()):
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
                if "code" not in vars(value):
                    continue
                for table, key in ((found, value.code), (names, value.name())):
                    other = table.setdefault(key, value)
                    if other is not value:
                        raise DuplicateCode(f"{key} is claimed by {_place(other)} and by {_place(value)}")
    return dict(sorted(found.items()))


def _place(rule: type[Rule]) -> str:
    return f"{rule.__module__}.{rule.__name__}"


def rule(key: str) -> type[Rule]:
    """The rule with this code or name, in any case."""
    known = rules()
    found = known.get(key)
    if found is None:
        by_name = {r.name(): r for r in known.values()}
        found = known.get(key.upper()) or by_name.get(key.lower())
    if found is None:
        begun = [code for code in known if key and code.startswith(key.upper())]
        more = f"; there are {', '.join(begun)}" if begun else suggestion(key, [*known, *by_name])
        raise UnknownCode(f"there is no rule `{key}`{more}")
    return found
