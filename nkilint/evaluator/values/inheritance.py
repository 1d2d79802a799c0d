"""Where classes find what they have under a name: in themselves, or in the classes that they derive from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import choose, is_integer
from nkilint_rules.words.conditions import Unknown, any_of

from .cells import MISSING
from .choices import Either, Unbound, among, settled

ANYTHING = "<anything>"  # among the attributes of an object of which it is not known which it has


def in_words(place: str) -> str:
    """What is kept under a name: a variable, an attribute, or all that a container or an object holds."""
    return {"items": "what a list or dict holds", ANYTHING: "what an object holds"}.get(place, f"`{place}`")


def found_in(classes: Sequence[Any], name: str, otherwise: Any) -> Any:
    """What the first class has under a name that has it; one that may lack it leaves it to those behind."""
    for number, cls in enumerate(classes):
        if name in cls.attrs:
            own = cls.attrs[name]
            if not isinstance(own, Unbound):
                return own
            inherited = found_in(classes[number + 1 :], name, MISSING)
            return own.value if inherited is MISSING else _one_of_two(own.defined, own.value, inherited, name)
        if ANYTHING in cls.attrs:
            return settled(cls.attrs[ANYTHING])
    return otherwise


def _one_of_two(condition: Any, own: Any, inherited: Any, name: str) -> Any:
    """The value that a class has where it has one, and else inherits."""
    if is_integer(own) and is_integer(inherited):
        return choose(condition, own, inherited)
    why = f"{in_words(name)}, which a class may have of a base"
    known = isinstance(condition, Cond) and not any(isinstance(v, Unknown) for v in (own, inherited))
    return Either(condition, own, inherited, why, 2) if known else among(why, own, inherited)


def where_there(classes: Sequence[Any], name: str) -> Any:
    """The condition under which one of the classes has something under a name."""
    here: Any = False
    for cls in classes:
        own = cls.attrs.get(name)
        if not isinstance(own, Unbound) and (name in cls.attrs or ANYTHING in cls.attrs):
            return True
        here = any_of((here, own.defined)) if isinstance(own, Unbound) else here
    return here
