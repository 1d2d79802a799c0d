"""`and`, `or` and `not`, and the conditions under which tests are true: the truth of each operand is asked once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.conditions import Cond
from nkilint_rules.indexing.mask_conjunction import MaskConjunction
from nkilint_rules.words.conditions import Unknown, negation

from ..state import joining, protocols
from ..state.machine import Machine
from ..state.paths import where
from ..state.protocols import truth_of
from ..values.choices import Either, Partly, known_of, numbers_of, part_of_one
from ..values.grids import Grid
from ..values.objects import Environment
from .interpreter import alternatives, evaluate, evaluates, undecided


@evaluates(ir.BoolOp, alternatives=True)
def _bool_op(machine: Machine, node: ir.BoolOp, env: Environment) -> Any:
    """The value of one operand: the right one is looked at only where the left one does not decide."""
    return _operand(machine, node, env, False)[0]


def _operand(machine: Machine, node: ir.Expr, env: Environment, is_asked: bool) -> tuple[Any, Any]:
    """The value and, if somebody asks for it, the truth, for which each operand in it is asked once."""
    if isinstance(node, ir.BoolOp):
        chain = [node]
        while isinstance(chain[0].left, ir.BoolOp) and chain[0].left.op == node.op:
            chain.insert(0, chain[0].left)
        left, truth = _operand(machine, chain[0].left, env, True)
        return _chained(machine, left, truth, chain, env, is_asked)
    value = alternatives(machine, node, env)
    known = is_asked and not isinstance(value, Grid)
    return value, _noted(machine, node, truth_of(machine, value, node)) if known else None


def _chained(
    machine: Machine, left: Any, truth: Any, chain: Sequence[ir.BoolOp], env: Environment, is_asked: bool
) -> tuple[Any, Any]:
    """The same for a chain of one operator, whose first operand is `left`."""
    if not chain:
        return left, truth
    node, *others = chain
    if isinstance(left, Grid):
        joined = _joined_masks(machine, node, left, env)
        asked = (is_asked or others) and not isinstance(joined, Grid)
        return _chained(machine, joined, truth_of(machine, joined, node) if asked else None, others, env, is_asked)
    goes_on = _goes_on(machine, truth, node)
    decided = machine.truth(goes_on)
    if decided is False:
        return left, truth

    def rest() -> tuple[Any, Any]:
        return _chained(machine, *_operand(machine, node.right, env, is_asked or bool(others)), others, env, is_asked)

    found = where(machine, goes_on, rest)
    right, then = found if isinstance(found, tuple) else (found, found)
    if decided or (isinstance(left, Unknown) and not isinstance(left, Either)):
        return (right, then) if decided else (_either_of(node.op, left, right), truth)
    both = _both(node.op, truth, then)
    if isinstance(left, Cond):
        if isinstance(right, (bool, Cond)):
            return (left & right) if node.op == "and" else (left | right), both
        if type(right) in (Unknown, Partly) and node.op == "and":
            return _either_of(node.op, right, left), both
        left = node.op == "or"  # what it is where it decides
    return joining.join(machine, goes_on, right, left, f"`{node.op}`"), both


def _either_of(op: str, unknown: Unknown, known: Any) -> Unknown:
    """One of two operands, of which one is not known."""
    if op == "or" or not isinstance(known, (bool, Cond, Partly)):
        return part_of_one(unknown, known)  # type: ignore[no-any-return]
    return Partly(unknown.reason, known_of(unknown) & known_of(known), (*numbers_of(unknown), *numbers_of(known)))


def _both(op: str, truth: Any, then: Any) -> Any:
    """The truth of two operands, if that of the second is known."""
    if then is None or isinstance(truth, Unknown) or isinstance(then, Unknown):
        return None if then is None else truth if isinstance(truth, Unknown) else then
    return (truth & then) if op == "and" else (truth | then)


def _goes_on(machine: Machine, condition: Any, node: ir.BoolOp) -> Any:
    """The condition under which the right operand is looked at; one that is not known may come out either way."""
    if isinstance(condition, Unknown):
        condition = undecided(machine, node.left, condition)
    return condition if node.op == "and" else negation(condition)


def _joined_masks(machine: Machine, node: ir.BoolOp, left: Grid, env: Environment) -> Any:
    right = evaluate(machine, node.right, env)
    symbol = "&" if node.op == "and" else "|"
    machine.need(MaskConjunction.message(operator=f"`{node.op}`", symbol=symbol), False, node.at)
    return protocols.binary(machine, symbol, left, right, node.at)


def condition_of(machine: Machine, node: ir.Expr, env: Environment) -> Any:
    """The condition under which a test is true: a bool, a Cond or Unknown. Of `and` and `or` only the truth counts."""
    if isinstance(node, ir.Unary) and node.op == "not":
        truth = condition_of(machine, node.operand, env)
        return _denied(truth) if isinstance(truth, Unknown) else negation(truth)
    if not isinstance(node, ir.BoolOp):
        return _noted(machine, node, truth_of(machine, alternatives(machine, node, env), node))
    if isinstance(node.left, (ir.BoolOp, ir.Unary)):
        truth = condition_of(machine, node.left, env)
    else:
        left = alternatives(machine, node.left, env)
        if isinstance(left, Grid):
            return truth_of(machine, _joined_masks(machine, node, left, env), node)
        truth = _noted(machine, node.left, truth_of(machine, left, node.left))
    goes_on = _goes_on(machine, truth, node)
    decided = machine.truth(goes_on)
    if decided is False:
        return node.op == "or"
    right = where(machine, goes_on, lambda: condition_of(machine, node.right, env))
    if decided or right is (node.op == "or"):
        return right
    if isinstance(truth, Unknown) or isinstance(right, Unknown):
        unknown = truth if isinstance(truth, Unknown) else right
        known = known_of(truth) & known_of(right) if node.op == "and" else known_of(truth) | known_of(right)
        return Partly(unknown.reason, known, (*numbers_of(truth), *numbers_of(right)))
    return (truth & right) if node.op == "and" else (truth | right)


def _denied(truth: Unknown) -> Unknown:
    """What is not known, the other way round."""
    return Partly(truth.reason, True, numbers_of(truth))


def _noted(machine: Machine, test: ir.Expr, truth: Any) -> Any:
    """The truth of a test, after it was noted down how the test came out."""
    if machine.in_kernel and machine.functions:
        machine.trace.saw(test, truth, machine.functions[-1])
    return truth
