"""Facts of a path that teach nothing to what follows it."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.conditions import And, Opaque, Or

from .trace import Facts

UNRAISED = "nothing is raised"
WHICH = "which exception it is"
ANYWHERE = "an exception in the block"
SUPPRESSED = "an exception is taken for handled"


def is_of_exceptions(fact: Any) -> bool:
    """Whether it says only that nothing was raised, or which exception: a path that goes on does not hang on that."""
    if isinstance(fact, (And, Or)):
        return all(map(is_of_exceptions, fact.parts))
    return isinstance(fact, Opaque) and fact.name.endswith((UNRAISED, WHICH, ANYWHERE, SUPPRESSED))


def is_idle(link: Facts) -> bool:
    """Whether a fact teaches nothing to what follows a branch: of exceptions, or that what is not known was granted."""
    return is_of_exceptions(link.condition) or (link.origin == "granted" and _is_undecided(link.condition))


def _is_undecided(fact: Any) -> bool:
    if isinstance(fact, (And, Or)):
        return all(map(_is_undecided, fact.parts))
    return isinstance(fact, Opaque) and fact.kind == "unknown"


def is_unraised(fact: Any) -> bool:
    """Whether it says only that a block was not left, and nothing behind that block."""
    return isinstance(fact, Opaque) and fact.name.endswith(UNRAISED)
