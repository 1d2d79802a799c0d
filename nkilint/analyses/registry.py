"""Finds the analyses of a whole trace by walking the modules here: functions that say which rules they decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import nkilint.analyses
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Obligation
from nkilint_rules.rule import Rule
from nkilint_rules.words.modules import modules
from nkilint_rules.words.records import dataclass

from .findings import Analysis

Check = Callable[[Analysis], None]
State = Callable[[Run], Iterator[Obligation]]


@dataclass(frozen=True, slots=True)
class _AboutRules:
    """A function that is about some rules."""

    rules: tuple[type[Rule], ...]

    def concerns(self, dialect: str) -> bool:
        """Whether some of its rules are about kernels of the dialect."""
        return any(dialect in rule.dialects for rule in self.rules)


@dataclass(frozen=True, slots=True)
class TraceAnalysis(_AboutRules):
    """A function that decides what a whole trace owes to some rules."""

    check: Check
    finished: bool
    last: bool

    @property
    def order(self) -> tuple[bool, str, int]:
        return self.last, self.check.__module__, self.check.__code__.co_firstlineno


@dataclass(frozen=True, slots=True)
class TraceStatement(_AboutRules):
    """A function that states what a whole trace owes to some rules; it is decided like what single operations owe."""

    state: State


_ANALYSES: list[TraceAnalysis] = []
_STATEMENTS: list[TraceStatement] = []


def states(*rules: type[Rule]) -> Callable[[State], State]:
    """Register a function as the one that states the obligations of some rules, for kernels of their dialects."""

    def register(state: State) -> State:
        _STATEMENTS.append(TraceStatement(rules, state))
        return state

    return register


def decides(*rules: type[Rule], finished: bool = False, last: bool = False) -> Callable[[Check], Check]:
    """Register a function as the analysis for some rules.

    It runs where one of them is selected and speaks of the kernel's dialect. `finished` says that it takes a trace that
    came to its end and breaks off nowhere, `last` that it builds on the preconditions which the others ask for.
    """

    def register(check: Check) -> Check:
        _ANALYSES.append(TraceAnalysis(rules, check, finished, last))
        return check

    return register


@cache
def _walk() -> None:
    for _ in modules(nkilint.analyses):
        pass


@cache
def statements() -> tuple[TraceStatement, ...]:
    """All that states obligations of whole traces, by the name of its module."""
    _walk()
    return tuple(sorted(_STATEMENTS, key=lambda statement: statement.state.__module__))


@cache
def analyses() -> tuple[TraceAnalysis, ...]:
    """All analyses, in the order in which they run."""
    _walk()
    return tuple(sorted(_ANALYSES, key=lambda analysis: analysis.order))
