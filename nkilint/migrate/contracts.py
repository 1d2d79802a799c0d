"""Whether what a migrated kernel asks of its inputs follows from what the old one asked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nkilint.analyses.findings import Decided
from nkilint.base.options import Options
from nkilint.project.discovery import Kernel
from nkilint.prover import Prover
from nkilint.run.reading import session_of
from nkilint.run.session import Session
from nkilint.run.verification import Verification
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import over_inputs
from nkilint.symbolic.integers import Sym, key_of
from nkilint.verdicts.decide import Decisions
from nkilint_rules.operands.lossy_integer import LossyInteger
from nkilint_rules.words.memory import PSUM, SBUF

Overlay = Mapping[str, bytes]
_MOST = 1 << 26  # bytes: more than the memories of a chip hold
Side = tuple[Session, Mapping[tuple[str, str], Kernel]]


class Contracts:
    """The kernels of some files before and after a migration."""

    def __init__(self, paths: Sequence[Path], options: Options, before: Overlay, after: Overlay) -> None:
        plain = replace(options, confirm=False, nki_version="")
        self._sides = [_side(paths, plain, overlay) for overlay in (before, after)]

    def implied(self, file: str, name: str) -> frozenset[str]:
        """The rules whose conditions on the inputs of the new kernel all follow from the contract of the old one."""
        kernels = [known.get((file, name)) for _, known in self._sides]
        if kernels[0] is None or kernels[1] is None:
            return frozenset()
        try:
            # both before the first is evaluated: the atoms of one have to be those of the other
            old, new = (
                Verification(session, kernel)
                for (session, _), kernel in zip(self._sides, kernels, strict=True)
                if kernel is not None
            )
            was, now = old.for_all_inputs(), new.for_all_inputs()
            asked = [*was.contract, *was.input_conditions.assumptions(old.prover), *_sizes(was), *_held(was)]
            follows: dict[str, bool] = {}
            for each in now.conditional:
                code = each.obligation.rule.code
                shown = _is_of_iota(each, was, now) or _is_shown(each, asked, new.prover)
                follows[code] = follows.get(code, True) and shown
        except Exception:  # a fault of this tool shows nothing
            return frozenset()
        return frozenset(code for code, shown in follows.items() if shown)


def _is_shown(each: Decided, asked: Sequence[Any], prover: Prover) -> bool:
    """Whether a condition follows, or where none was found, what it is to be the condition of."""
    condition = each.decision.precondition
    if condition is not None:
        return prover.shows(condition, asked, deep=True)
    goal, site = each.obligation.goal, each.obligation.site
    return isinstance(goal, Cond) and prover.shows(goal, [*asked, *site.conditions()], deep=True)


def _is_of_iota(each: Decided, was: Decisions, now: Decisions) -> bool:
    """Whether a dtype is to hold what `iota` counts to, of which nothing is asked in Beta 1: it counts to the same."""
    assert was.run is not None
    assert now.run is not None
    old, new = (
        [e for e in run.trace.events if e.operation is not None and e.operation.name == "isa.iota"]
        for run in (was.run, now.run)
    )
    is_written = any(e.site.at == each.obligation.site.at for e in new)
    return each.obligation.rule is LossyInteger and is_written and any("expr" in e.arguments for e in old)


def _sizes(decisions: Decisions) -> Iterator[Any]:
    """That every tensor which a kernel makes has sizes: without, it does not run."""
    assert decisions.run is not None
    for event in decisions.run.trace.events:
        view = event.arguments.get("tensor") if event.kind == "allocation" else None
        for size in view.shape if view is not None else ():
            if isinstance(size, Sym) and over_inputs(size):
                yield decisions.input_conditions.relative(size >= 0, event.site)


def _held(decisions: Decisions) -> Iterator[Any]:
    """That a chip holds the tiles which a kernel has."""
    assert decisions.run is not None
    told = set()
    for event in decisions.run.trace.events:
        for view in (access.view for access in event.accesses if str(access.view.memory) in (SBUF, PSUM)):
            for size in (n for n in view.shape if isinstance(n, Sym) and over_inputs(n)):
                if key_of(size) not in told:
                    told.add(key_of(size))
                    yield decisions.input_conditions.relative(size <= _MOST, event.site)


def _side(paths: Sequence[Path], options: Options, overlay: Overlay) -> Side:
    session, kernels = session_of(paths, options, overlay)
    return session, {(os.path.abspath(k.module.path), k.name): k for k in kernels}
