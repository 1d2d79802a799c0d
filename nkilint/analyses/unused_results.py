"""Tiles that a kernel computes, and that nothing reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import root_of, walk
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover.elimination import Existence
from nkilint_rules.operands.missing_destination import MissingDestination
from nkilint_rules.words.memory import HBM, ON_CHIP
from nkilint_rules.words.names import USUAL_NAMES

from .findings import Analysis
from .overwritten import given, is_made_for_itself, writes_others
from .questions.accesses import WRITES, Touch, Touches, is_its_own
from .questions.operands import indices
from .questions.returns import hidden
from .questions.straight_lines import StraightLines
from .registry import decides

ABOUT = frozenset({"shape", "dtype", "ndim", "buffer"})
"""What is asked of a tile without reading it."""


@decides(MissingDestination, finished=True)
def check_unused(analysis: Analysis) -> None:
    """NKI210 for each tile with a name of its own that is made of what the kernel is given and that nothing reads,
    where the text names it only in what was followed: nowhere on a side of a branch that was not taken.

    A name that begins with an underscore is of what is not meant to be used. What an operation has to write somewhere
    besides another result is nothing that was computed for its own sake; nor is anything in a kernel that writes no
    tensor in HBM, which shows a statement or two.
    """
    run = analysis.run
    returns = [event for event in run.trace.events if event.kind == "return"]
    if (
        analysis.incomplete
        or run.trace.excused
        or not returns
        or any(hidden(event.arguments.get("value")) for event in returns)
    ):
        return
    touches = analysis.coverage.touches
    if not any(base.memory == HBM and touches.writes_of(base) for base in touches.bases.values()):
        return
    made: dict[tuple[Span, str], list[Declaration]] = {}  # by statement, which loops and callers come to often
    for base in touches.bases.values():
        made.setdefault((base.at, base.name), []).append(base)
    held = {id(i.view.base) for e in run.trace.events for a in e.accesses for i in indices(a)}
    held.update((*run.trace.rebound, *run.trace.stale))  # what was to be read of these, NKI705 tells
    unread = [them for them in made.values() if all(_is_unread(touches, base, held) for base in them)]
    if not unread:
        return
    from_inputs, names = given(analysis), _Names(run)
    for them in unread:
        writes = [write for base in them for write in touches.writes_of(base)]
        computed = [write for write in writes if id(write.event) in from_inputs]
        if not computed or not all(is_made_for_itself(touches, write.event) for write in computed):
            continue
        if names.are_followed(them[0]) or (names.everywhere and _is_for_its_own_sake(analysis, names, computed)):
            write = max(computed, key=lambda each: each.position)
            site = replace(returns[-1].site, loops=(), at=write.event.site.at, callers=write.event.site.callers)
            about = MissingDestination.unread(tensor=them[0].told)
            analysis.require(about, Existence(False), site, [("it is made here", them[0].at)])


def _is_unread(touches: Touches, base: Declaration, held: set[int]) -> bool:
    """Whether nothing reads a tile on chip but what goes on with it."""
    if base.kind not in ("allocation", "result") or base.memory not in ON_CHIP or base.placement is not None:
        return False
    if base.name.startswith("_") or (base.kind == "result" and not base.name) or id(base) in held:
        return False
    writes = touches.writes.get(id(base), ())
    return all(write.sure for write in writes) and all(_goes_on(touches, base, read) for read in touches.reads_of(base))


def _goes_on(touches: Touches, base: Declaration, read: Touch) -> bool:
    """Whether what is read of a tile goes into that tile alone, be it by way of a result without a name."""
    if is_its_own(read):
        return True
    results = [access.view.base for access in read.event.accesses if access.role in WRITES]
    if not results or any(result.kind != "result" or result.name for result in results):
        return False
    taken = [again.event for result in results for again in touches.reads_of(result)]
    written = [[a.view.base for a in event.accesses if a.role in WRITES] for event in taken]
    return bool(taken) and all(bases == [base] for bases in written)


def _is_for_its_own_sake(analysis: Analysis, names: _Names, writes: Sequence[Touch]) -> bool:
    """Whether the kernel itself computes a tile, or calls functions for nothing else."""
    calls = {(write.event.site.callers[:1], id(write.base)): write for write in writes if write.event.site.callers}
    own = all(names.are_the_kernels(write.base) for write in writes)
    return own and not any(writes_others(analysis, call, write.base) for (call, _), write in calls.items())


@dataclass
class _Names:
    """Where the text of a run names its tiles."""

    run: Run
    lines: StraightLines = field(init=False)
    ran: frozenset[Span] = field(init=False)  # where operations stand that were evaluated
    everywhere: bool = field(init=False)  # whether both sides of all that branches were followed

    def __post_init__(self) -> None:
        self.lines = StraightLines(self.run)
        self.ran = frozenset(event.site.at for event in self.run.trace.events if event.kind == "operation")
        request, tests = self.run.request, self.run.trace.tests.values()
        any_inputs = request is not None and request.launch is None
        self.everywhere = any_inputs and all(len(tested.outcomes) > 1 for tested in tests)

    def are_the_kernels(self, base: Declaration) -> bool:
        """Whether the kernel itself makes a tile."""
        return self.run.request is not None and self.lines.home(base.at) is self.run.request.function

    def are_followed(self, base: Declaration) -> bool:
        """Whether the function that makes a tile gives it its name alone, and names it otherwise only in operations
        that were evaluated, as what is written, or to ask what it is."""
        home = self.lines.home(base.at)
        if home is None or not base.name or id(base) in self.run.trace.contained:
            return False
        nodes = list(walk(home.body))
        known: set[int] = set()
        bound = False
        for node in nodes:
            if isinstance(node, ir.Assign):
                plain = [target for target in node.targets if _is_name(target, base.name)]
                bound = bound or (bool(plain) and node.value.at == base.at)
                known.update(map(id, plain))
                known.update(id(t.value) for t in node.targets if isinstance(t, ir.Index))
            elif isinstance(node, ir.AugAssign):
                known.update((id(node.target), id(getattr(node.target, "value", None))))
            elif isinstance(node, ir.Call) and self._was_run(node):
                known.update(id(part) for part in walk(node.args))
            elif isinstance(node, ir.Attr) and node.name in ABOUT:
                known.add(id(node.value))
        return bound and not any(_is_name(node, base.name) and id(node) not in known for node in nodes)

    def _was_run(self, call: ir.Call) -> bool:
        """Whether a call is of an operation that was evaluated, of operands that nothing chooses."""
        if call.at not in self.ran or not isinstance(call.func, ir.Attr) or root_of(call.func) not in USUAL_NAMES:
            return False
        return not any(isinstance(part, (ir.Conditional, ir.BoolOp, ir.Lambda)) for part in walk(call.args))


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name
