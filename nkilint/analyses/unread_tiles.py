"""Tiles that are computed, and that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover.elimination import Existence
from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.words.memory import ON_CHIP

from .findings import Analysis
from .overwritten import Overwriting, is_plain
from .questions.accesses import Touch, is_its_own
from .registry import decides


@decides(LostWrite, finished=True)
def check_unread(analysis: Analysis) -> None:
    """NKI708 for each tile that the kernel itself makes of what it is given, by operations that give nothing else, and
    that stands nowhere in its text but where it is written: another path would name it where it reads it."""
    request = analysis.run.request
    if request is None or not analysis.is_general or request.varied:
        return
    touches, overwriting = analysis.coverage.touches, Overwriting(analysis)
    for base in list(touches.bases.values()):
        writes = [write for write in touches.writes_of(base) if write.event.kind == "operation"]
        if not writes or not _is_tile(base) or not all(map(is_its_own, touches.reads_of(base))):
            continue
        made = all(is_plain(touches, write) and not write.event.site.callers for write in writes)
        if made and overwriting.counts(writes) and not any(_elsewhere(request.function, base, writes)):
            first = min(writes, key=lambda write: write.position)
            analysis.require(LostWrite.unread(tensor=base.told), Existence(False), first.event.site)


def _is_tile(base: Declaration) -> bool:
    """Whether it has a name, which does not say that it is not to be read."""
    named = base.kind in ("allocation", "result") and bool(base.name) and not base.name.startswith("_")
    return named and base.memory in ON_CHIP


def _elsewhere(function: ir.FunctionDef, base: Declaration, writes: list[Touch]) -> Iterator[ir.Node]:
    """Where the function names a tile and does not write to it."""
    written = [write.event.site.at for write in writes]
    targets = {id(target) for node in walk(function.body) if isinstance(node, ir.Stmt) for target, _ in node.assigns}
    for node in walk(function.body):
        if isinstance(node, ir.Index) and id(node) in targets:
            targets.add(id(node.value))
    for node in walk(function.body):
        named = isinstance(node, ir.Name) and node.id == base.name and id(node) not in targets
        if named and not any(_stands_in(node.at, at) for at in written):
            yield node


def _stands_in(at: ir.Span, whole: ir.Span) -> bool:
    begins = (whole.row, whole.column) <= (at.row, at.column)
    return begins and (at.end_row, at.end_column) <= (whole.end_row, whole.end_column)
