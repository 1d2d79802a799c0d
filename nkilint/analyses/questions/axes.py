"""Coverage of a tensor axis by axis: which part of a condition on any element speaks of which axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from nkilint.base.ir import Span
from nkilint.evaluator.state.trace import Loop, Site
from nkilint.prover.elimination import Existence
from nkilint.symbolic.conditions import conjunction, leaves
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.records import dataclass

from ..findings import with_facts
from .accesses import Touch


@dataclass(frozen=True, slots=True)
class AlongAxis:
    """What covers one axis, or several together (then `axis` is None), and the loops that go along."""

    axis: int | None
    covered: Existence
    site: Site
    loops: tuple[Loop, ...]

    def related(self) -> list[tuple[str, Span]]:
        return [(f"the loop over `{loop.name}`", loop.at) for loop in self.loops]


def by_axis(
    found: Existence, element: Sequence[Any], site: Site, touches: Sequence[Touch], layout: Sequence[Any]
) -> Iterator[AlongAxis]:
    """The parts of a condition on an element of `layout` by the axes that they speak of; each is asked of elements that
    are covered by those before it, so that one that several leave out is told of by the first of them."""
    owners = {e.as_atom: axis for axis, e in enumerate(element) if isinstance(e, Sym)}
    parts: dict[int | None, list[Any]] = {}
    for part in leaves([found.condition]):
        axes = {owners[v] for v in variables(part) if v in owners}
        parts.setdefault(axes.pop() if len(axes) == 1 else None, []).append(part)
    before: list[Any] = []
    for axis in sorted(parts, key=lambda a: (a is None, a)):
        covered = replace(found, condition=conjunction(parts[axis]))
        loops = _loops_along(axis, touches, layout)
        yield AlongAxis(axis, covered, with_facts(site, before), loops)
        before = [*before, *parts[axis]]


def _loops_along(axis: int | None, touches: Sequence[Touch], layout: Sequence[Any]) -> tuple[Loop, ...]:
    """The loops whose iterations go along the axis, in the order of the accesses."""
    found: dict[Loop, None] = {}
    for touch in touches:
        index = touch.view.index
        if axis is None or len(index) != len(layout) or not isinstance(index[axis], Sym):
            continue
        used = set(variables(index[axis]))
        found.update(dict.fromkeys(loop for loop in touch.loops if loop.index.variable in used))
    return tuple(found)
