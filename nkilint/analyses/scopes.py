"""Tensors of Beta 1 that are used outside the loop or branch that makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nkilint.base.ir import Span
from nkilint.evaluator.state.trace import KEPT_LOOPS, Event, Rebinding, Site
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover.elimination import Existence
from nkilint_rules.dataflow.out_of_scope import OutOfScope
from nkilint_rules.dataflow.rebound_accumulator import ReboundAccumulator

from .findings import Analysis
from .questions.accesses import real_views
from .registry import decides


@decides(OutOfScope, ReboundAccumulator)
def check_scopes(analysis: Analysis) -> None:
    """NKI704, or NKI705 where a name was bound anew, for each tensor at its first use outside its blocks."""
    made = {id(base): event for event in analysis.run.trace.events for base in _made_by(event)}
    escaped: set[int] = set()
    for event in analysis.run.trace.events:
        for base in _bases(event):
            maker = made.get(id(base))
            left = [] if maker is None else _left(maker.site, event.site, id(base) in analysis.run.trace.contained)
            if maker is not None and left and id(base) not in escaped and not _is_output(base, event):
                escaped.add(id(base))
                _state(analysis, base, made, event, left[0])
    _check_stale(analysis, escaped)
    for number, event in made.items():
        if number not in escaped and blocks(event.site):
            analysis.require(OutOfScope, Existence(True), event.site)


def _check_stale(analysis: Analysis, escaped: set[int]) -> None:
    """NKI705 for tensors that the next iteration was to read under their names."""
    for number, stale in analysis.run.trace.stale.items():
        if number not in escaped:
            bound = analysis.run.trace.rebound.get(number)
            site = replace(stale.read, at=stale.made.at if bound is None else bound.at, loops=())
            related = [("the old one is read here", stale.read.at)]
            analysis.require(
                ReboundAccumulator.next(tensor=stale.name), Existence(stale.trips <= 1), site, related=related
            )


def _made_by(event: Event) -> Iterator[Declaration]:
    if event.kind == "allocation":
        yield event.arguments["tensor"].base
    for access in event.accesses:
        if access.operand == "result" and access.view.base.kind == "result":
            yield access.view.base


def _bases(event: Event) -> Iterator[Declaration]:
    """The tensors that the event touches."""
    for access in event.accesses:
        for view, _ in real_views(access.view):
            yield view.base


def _is_output(base: Declaration, event: Event) -> bool:
    """What NKI706 speaks about."""
    return event.kind == "return" and base.region == "shared_hbm"


def blocks(site: Site, contained: bool = False) -> list[tuple[str, Span]]:
    """The blocks with a scope of their own around a site, the loops first."""
    kinds = KEPT_LOOPS - {"range"} if contained else KEPT_LOOPS
    loops = [("loop", loop.at) for loop in site.loops if loop.kind in kinds]
    loops += [("loop", at) for at, kind, _ in site.unrolled if kind in kinds]
    return loops + [("branch", at) for at in site.branches]


def _left(made: Site, used: Site, contained: bool) -> list[tuple[str, Span]]:
    """The blocks that were left: what is kept in a list outlives the iterations of Python's own `range`, which fills
    the list when the kernel is traced."""
    around = set(blocks(used, contained))
    return [block for block in blocks(made, contained) if block not in around]


def _state(analysis: Analysis, base: Declaration, made: dict[int, Event], use: Event, block: tuple[str, Span]) -> None:
    branch = block[0] == "branch"
    rebinding = _rebinding(analysis, base, made, block)
    if rebinding is None:
        left = OutOfScope.branch if branch else OutOfScope.message
        related = [("it is made here", made[id(base)].site.at)]
        analysis.require(left(tensor=base.told, block=block[0]), Existence(False), use.site, related)
        return
    bound = ReboundAccumulator.branch if branch else ReboundAccumulator.message
    site = replace(use.site, at=rebinding.at)
    related = [("it is used here, after the block", use.site.at)]
    analysis.require(bound(tensor=rebinding.name), Existence(False), site, related)


def _rebinding(
    analysis: Analysis, base: Declaration, made: dict[int, Event], block: tuple[str, Span]
) -> Rebinding | None:
    """The assignment that bound the name of a tensor from outside the block to this one, or to one that another
    iteration of an unrolled loop bound in turn."""
    rebound = analysis.run.trace.rebound
    found = rebound.get(id(base))
    steps, seen = [] if found is None else [found], {id(base)}
    while steps:
        for before in [view.base for view, _ in real_views(steps.pop().before)]:
            if id(before) in made and block not in blocks(made[id(before)].site):
                return found
            earlier = rebound.get(id(before))
            if earlier is not None and id(before) not in seen:
                seen.add(id(before))
                steps.append(earlier)
    return None
