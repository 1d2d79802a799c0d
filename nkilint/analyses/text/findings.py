"""The findings of a file's text: undefined names, calls that do not fit, checks of something with itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from nkilint.base.findings import Diagnostic, FindingVerdict, Related, diagnostic
from nkilint.base.ir import Module, Span
from nkilint.base.trees import parsed, place_of, tree_of
from nkilint.project.imports import Imports
from nkilint.project.names import Scope
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.exact_generation import ExactGeneration
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.language.vacuous_check import VacuousCheck
from nkilint_rules.placement.dead_allocation import DeadAllocation
from nkilint_rules.rule import Message, Severity

from .assignment import Unbound, unbound
from .bindings import bound_by, own_nodes
from .generations import exact_generations
from .signatures import misfits
from .undefined import undefined
from .vacuous import compared_with_itself, rebound_allocations, unreachable

REVEAL = frozenset({"reveal"})  # the evaluator's own, which shows what it knows


def judge_text(module: Scope, imports: Imports) -> list[Diagnostic]:
    """What is wrong with a file whatever runs it, one finding at a place."""
    file = module.module
    tree = tree_of(file.lines)
    found = [] if tree is None else [*_names(file, tree), *_checks(file, tree), *_allocations(file, tree)]
    found += [] if tree is None else _generations(file, tree)
    found += _calls(module, imports)
    return list({(d.code, d.at.row, d.at.column): d for d in reversed(found)}.values())


def _names(file: Module, tree: ast.Module) -> Iterator[Diagnostic]:
    for read in unbound(tree):
        message = _WORDS[read.doubt](read.node.id)
        severity = Severity.ERROR if read.doubt == "never" else Severity.WARNING
        yield _finding(message, file, read.node, severity, _bindings(read, file))
    given = {name for node in own_nodes(parsed(file.prelude)) for name in bound_by(node)}
    for node, name in undefined(tree, file.path, REVEAL | given):
        yield _finding(UndefinedName.message(name=name), file, node, Severity.ERROR)


_WORDS = {
    "never": UndefinedName.message,
    "first": UndefinedName.first,
    "branch": UndefinedName.conditional,
    "loop": UndefinedName.conditional,
}


def _bindings(read: Unbound, file: Module) -> tuple[Related, ...]:
    nodes = [node for node in read.bindings if isinstance(node, (ast.expr, ast.stmt))]
    return tuple(Related("it is bound here", _span(file, node)) for node in nodes[:4])


def _checks(file: Module, tree: ast.Module) -> Iterator[Diagnostic]:
    for test, kind in compared_with_itself(tree):
        words = VacuousCheck.message(kind=kind, condition=ast.unparse(test), outcome="always true")
        yield _finding(words, file, test, Severity.WARNING)
    for statement, before, word in unreachable(tree):
        words = VacuousCheck.unreachable(word=word, row=before.lineno)
        yield _finding(words, file, statement, Severity.WARNING)


def _generations(file: Module, tree: ast.Module) -> Iterator[Diagnostic]:
    for test, generation, device in exact_generations(tree):
        yield _finding(ExactGeneration.message(generation=generation, device=device), file, test, Severity.INFO)


def _allocations(file: Module, tree: ast.Module) -> Iterator[Diagnostic]:
    for name, statement, again in rebound_allocations(tree):
        words = DeadAllocation.rebound(tensor=name, row=again.lineno)
        yield _finding(words, file, statement, Severity.INFO)


def _calls(module: Scope, imports: Imports) -> Iterator[Diagnostic]:
    for misfit in misfits(module, imports):
        message = CallSignature.message(callee=misfit.callee, problem=misfit.problem)
        related = (Related("defined here", misfit.definition.at),)
        yield replace(diagnostic(message, misfit.call.at), verdict="violated", related=related)


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
