"""Which tensors a kernel hands back, in which memory, and where it makes them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from nkilint.evaluator.device.versions import is_current
from nkilint.evaluator.state.trace import Event
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover.elimination import Existence
from nkilint_rules.dataflow.output_memory import OutputMemory
from nkilint_rules.dataflow.output_not_at_kernel_level import OutputNotAtKernelLevel
from nkilint_rules.dataflow.output_not_returned import OutputNotReturned
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.memory import MEMORY_NAMES, ON_CHIP

from .findings import Analysis, with_facts, written_at
from .questions.accesses import Touch
from .questions.left_behind import tensors_left
from .questions.returns import hidden, returned
from .registry import decides
from .scopes import blocks

SHARED = frozenset({"shared_hbm"})
PRIVATE = frozenset({"hbm", "private_hbm"})


@decides(OutputNotAtKernelLevel, OutputMemory, OutputNotReturned)
def check_returned(analysis: Analysis) -> None:
    """NKI706, NKI707 and NKI711."""
    request = analysis.run.request
    assert request is not None
    returns = [e for e in analysis.run.trace.events if e.kind == "return"]
    top = request.launch is not None or not request.inner
    shared_only = request.dialect == NKI and is_current("0.3", NKI, analysis.run.version)
    for event in returns if top else ():
        _check_memory(analysis, event, shared_only)
    for event in _made(analysis, SHARED) if request.dialect == BETA1 else ():
        _check_level(analysis, event, top)
    if returns and not any(hidden(event.arguments.get("value")) for event in returns):
        for event in _made(analysis, SHARED | PRIVATE if _hands_nothing_back(analysis, returns) else SHARED):
            _check_forgotten(analysis, event, returns)


def _made(analysis: Analysis, regions: Collection[str]) -> Iterator[Event]:
    """The allocations in some regions of HBM."""
    for event in analysis.run.trace.events:
        if event.kind == "allocation" and event.arguments["tensor"].base.region in regions:
            operation = event.operation
            if operation is not None and not operation.constant:
                yield event


# --- NKI706 ---


def _check_level(analysis: Analysis, event: Event, top: bool) -> None:
    """A kernel that is a part of another one, or of a framework, is not judged by who calls whom."""
    around = blocks(event.site)
    callers = event.site.callers
    called = top and bool(callers) and callers[-1] not in analysis.run.trace.subkernels
    where = f"in a {around[-1][0]}" if around else "in a function that the kernel calls" if called else ""
    name = _name(event.arguments["tensor"].base)
    branch = bool(around) and all(kind == "branch" for kind, _ in around)
    says = OutputNotAtKernelLevel
    message = says.branch(tensor=name) if branch else says.message(tensor=name, where=where)
    analysis.require(message, Existence(not where), event.site)


# --- NKI707 ---


def _check_memory(analysis: Analysis, event: Event, shared_only: bool) -> None:
    for base, when, doubt in returned(event):
        if base.kind not in ("allocation", "result") or not isinstance(base.memory, str):
            continue
        private = shared_only and base.kind == "allocation" and base.region in PRIVATE
        good: bool | Unknown = base.memory not in ON_CHIP and not private
        if not good and doubt:
            good = Unknown(doubt)
        name, memory = _name(base), MEMORY_NAMES.get(base.memory, base.memory)
        message = OutputMemory.private(tensor=name) if private else OutputMemory.message(tensor=name, memory=memory)
        site = with_facts(event.site, [when])
        analysis.require(message, Existence(good), site, [("it is made here", base.at)])


# --- NKI711 ---


def _hands_nothing_back(analysis: Analysis, returns: Sequence[Event]) -> bool:
    """Whether a kernel returns nothing and writes to none of its inputs: then any tensor may be meant as its output."""
    touches = analysis.coverage.touches
    into_inputs = any(base.kind == "input" and touches.writes_of(base) for base in touches.bases.values())
    return not into_inputs and all(event.arguments.get("value") is None for event in returns)


def _check_forgotten(analysis: Analysis, event: Event, returns: Sequence[Event]) -> None:
    """A tensor of the kernel that is written, and neither read nor returned."""
    touches = analysis.coverage.touches
    base = event.arguments["tensor"].base
    writes = [t for t in touches.writes_of(base) if t.event.kind == "operation"]
    if not writes or not all(_plainly_written(t) for t in writes):
        return
    used = bool(touches.reads_of(base)) or _is_left(analysis, base, returns)
    last = returns[-1].site
    site = replace(last, loops=(), facts=event.site.facts)
    message, related = OutputNotReturned.message(tensor=_name(base)), [] if used else written_at(writes)
    analysis.require(message, Existence(used), site, related, missing=analysis.incomplete, call=event.site.at)


def _is_left(analysis: Analysis, base: Declaration, returns: Sequence[Event]) -> bool:
    """Whether iterations may leave it behind a name that is returned."""
    views = (access.view for event in returns for access in event.accesses)
    return any(left.base is base for view in views for left in tensors_left(view, analysis.run.trace.events))


def _plainly_written(touch: Touch) -> bool:
    """Whether an operation that is known stores there, and nothing else may see the tensor."""
    return touch.sure and touch.event.operation is not None and touch.role == "write"


def _name(base: Declaration) -> str:
    return f"`{base.name}`" if base.name else "the tensor"
