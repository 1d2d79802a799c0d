"""The findings of a file's text: undefined names, calls that do not fit, checks of something with itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nkilint.base.faults import Faults
from nkilint.base.findings import Diagnostic, FindingVerdict, Related, diagnostic
from nkilint.base.ir import Module, Span
from nkilint.base.store import Memory
from nkilint.base.trees import parsed, place_of, tree_of
from nkilint.project.imports import Imports
from nkilint.project.names import Scope
from nkilint_rules.language.exact_generation import ExactGeneration
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.language.vacuous_check import VacuousCheck
from nkilint_rules.placement.dead_allocation import DeadAllocation
from nkilint_rules.rule import Message, Severity
from nkilint_rules.words.records import dataclass

from .assignment import Unbound, unbound
from .bindings import bound_by, own_nodes
from .code import Code
from .generations import exact_generations
from .imported import missing
from .parts import Part, parts_of
from .signatures import misfits
from .undefined import Names, names_of, undefined
from .vacuous import compared_with_itself, rebound_allocations, unreachable

REVEAL = frozenset({"reveal"})  # the evaluator's own, which shows what it knows


def judge_text(module: Scope, imports: Imports, faults: Faults) -> list[Diagnostic]:
    """What is wrong with a file whatever runs it, one finding at a place."""
    file = module.module
    tree = tree_of(file.lines)
    judged = [] if tree is None else [_judged(part, file, faults) for part in parts_of(tree, file.lines)]
    found = [d for part in judged for d in part.findings]
    found += faults.until(_undefined, judged, file)
    found += faults.until(_calls, module, imports)
    found += faults.until(_imports, module, imports)
    return list({(d.code, d.at.row, d.at.column): d for d in reversed(found)}.values())


@dataclass(frozen=True, slots=True)
class _Judged:
    """What a part of a file comes to where it begins in `row`."""

    row: int
    findings: tuple[Diagnostic, ...]
    names: Names


_JUDGED = Memory(4_096)


def _judged(part: Part, file: Module, faults: Faults) -> _Judged:
    """A part judged, or remembered from when its text was the same, which an edit leaves so of most functions."""
    known: _Judged | None = _JUDGED.get(file.path, part.key)
    if known is not None and known.row == part.row:
        return known
    if known is not None and not known.findings:
        return replace(known, row=part.row)
    before = len(faults)
    code = Code(part.tree, file.lines)
    findings = tuple(d for kind in _KINDS for d in faults.until(kind, file, code))
    judged = _Judged(part.row, findings, names_of(code, file.path, part.row))
    rowless = not findings and not judged.names.unbound
    if len(faults) == before and (rowless or not part.torn):
        _JUDGED.put(file.path, part.key, judged)
    return judged


def _unbound(file: Module, code: Code) -> Iterator[Diagnostic]:
    for read in unbound(code):
        message = _WORDS[read.doubt](read.node.id)
        severity = Severity.ERROR if read.doubt == "never" else Severity.WARNING
        yield _finding(message, file, read.node, severity, _bindings(read, file))


def _undefined(judged: Sequence[_Judged], file: Module) -> Iterator[Diagnostic]:
    given = {name for node in own_nodes(parsed(file.prelude)) for name in bound_by(node)}
    for node in undefined([(part.names, part.row) for part in judged], REVEAL | given):
        yield _finding(UndefinedName.message(name=node.id), file, node, Severity.ERROR)


_WORDS = {
    "never": UndefinedName.message,
    "first": UndefinedName.first,
    "branch": UndefinedName.conditional,
    "loop": UndefinedName.conditional,
}


def _bindings(read: Unbound, file: Module) -> tuple[Related, ...]:
    nodes = [node for node in read.bindings if isinstance(node, (ast.expr, ast.stmt))]
    return tuple(Related("it is bound here", _span(file, node)) for node in nodes[:4])


def _checks(file: Module, code: Code) -> Iterator[Diagnostic]:
    for test, kind, outcome in compared_with_itself(code):
        words = VacuousCheck.message(kind=kind, condition=ast.unparse(test), outcome=outcome)
        yield _finding(words, file, test, Severity.WARNING)
    for statement, before, word in unreachable(code):
        words = VacuousCheck.unreachable(word=word, row=before.lineno)
        yield _finding(words, file, statement, Severity.WARNING)


def _generations(file: Module, code: Code) -> Iterator[Diagnostic]:
    for test in exact_generations(code):
        words = ExactGeneration.message(
            generation=test.generation, operator=test.operator, device=test.device, instead=test.instead
        )
        yield _finding(words, file, test.node, Severity.INFO)


def _allocations(file: Module, code: Code) -> Iterator[Diagnostic]:
    for name, statement, again in rebound_allocations(code):
        words = DeadAllocation.rebound(tensor=name, row=again.lineno)
        yield _finding(words, file, statement, Severity.INFO)


_KINDS = (_unbound, _checks, _allocations, _generations)


def _calls(module: Scope, imports: Imports) -> Iterator[Diagnostic]:
    for misfit in misfits(module, imports):
        related = () if misfit.definition is None else (Related("defined here", misfit.definition.at),)
        yield replace(diagnostic(misfit.message, misfit.call.at), verdict="violated", related=related)


def _imports(module: Scope, imports: Imports) -> Iterator[Diagnostic]:
    for statement, name in missing(module, imports):
        words = UndefinedName.imported(module="." * statement.level + statement.module, name=name)
        yield replace(diagnostic(words, statement.at), verdict="violated")


def _finding(
    message: Message, file: Module, node: ast.expr | ast.stmt, severity: Severity, related: tuple[Related, ...] = ()
) -> Diagnostic:
    verdict: FindingVerdict = "violated" if severity is Severity.ERROR else "conditional"
    return replace(
        diagnostic(message, _span(file, node)),
        severity=severity,
        verdict=None if message.rule.advises() else verdict,
        related=related,
    )


def _span(file: Module, node: ast.expr | ast.stmt) -> Span:
    return Span(file.path, *place_of(node, file.lines))
