"""Facts of a path that teach nothing to what follows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nkilint.symbolic.conditions import And, Opaque, Or

from .trace import Facts

UNRAISED = "nothing is raised"
WHICH = "which exception it is"
ANYWHERE = "an exception in the block"
SUPPRESSED = "an exception is taken for handled"
_OF_EXCEPTIONS = (UNRAISED, WHICH, ANYWHERE, SUPPRESSED)


def is_of_exceptions(fact: Any) -> bool:
    """Whether it says only that nothing was raised, or which exception: a path that goes on does not hang on that."""
    return all(isinstance(leaf, Opaque) and leaf.name.endswith(_OF_EXCEPTIONS) for leaf in _leaves(fact))


def is_idle(link: Facts) -> bool:
    """Whether a fact teaches nothing to what follows a branch: of exceptions, what another one tells, or that what is
    not known was granted."""
    granted = link.origin == "granted" and _is_undecided(link.condition)
    return link.origin == "told" or granted or is_of_exceptions(link.condition)


def _is_undecided(fact: Any) -> bool:
    return all(isinstance(leaf, Opaque) and leaf.kind == "unknown" for leaf in _leaves(fact))


def _leaves(fact: Any) -> Iterator[Any]:
    """What a fact is put together of; each part is looked through once."""
    waiting, seen = [fact], set[int]()
    while waiting:
        here = waiting.pop()
        if not isinstance(here, (And, Or)):
            yield here
        elif id(here) not in seen:
            seen.add(id(here))
            waiting += here.parts


def is_unraised(fact: Any) -> bool:
    """Whether it says only that a block was not left, and nothing behind that block."""
    return isinstance(fact, Opaque) and fact.name.endswith(UNRAISED)
