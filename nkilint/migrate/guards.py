"""Conditions under which operations happen at all, from masks that hold for all elements or for none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .destinations import Pending
from .layout import wrapped
from .nodes import Undecided

if TYPE_CHECKING:
    from .rewriting import Rewriter


def is_own(r: Rewriter, node: ast.AST) -> bool:
    """Whether an operation is all that a statement does with its result, so that the statement may stand under the
    operation's condition."""
    statement = r.source.parents[node]
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        return len(statement.targets) == 1 and isinstance(target, (ast.Name, ast.Subscript))
    return isinstance(statement, (ast.Expr, ast.AnnAssign, ast.AugAssign)) and statement.value is node


def contained(r: Rewriter, node: ast.expr, found: str | Pending, before: int) -> str | Pending:
    """What an operation became, with the conditions behind `before` that are its own: inside of an expression it
    happens under them alone, before the statement."""
    new = [g for g in dict.fromkeys(r.guards[before:]) if g not in r.guards[:before]]
    if not new or is_own(r, node):
        return found
    if not isinstance(found, Pending) and _is_named(r, node):
        return found  # what is computed where the mask is false is undefined
    del r.guards[before:]
    if not isinstance(found, Pending):
        raise Undecided("a mask that may leave nothing, on an operation inside of an expression")
    check_order(r, node)
    indent = r.source.indent(r.statement) if r.statement is not None else None
    if indent is None:
        raise Undecided("a mask without an index, where nothing can stand around the statement")
    name = r.fresh(f"{found.leaf}_tile")
    r.declare(name, found)
    deeper = r.source.deeper
    written = found.into_new(name)
    call = wrapped(written, indent + deeper, deeper)
    call = call.replace("\n", f"\n{deeper}") if call == written else call
    r.pending.append(f"if {' and '.join(new)}:\n{indent}{deeper}{call}")
    return name


def _is_named(r: Rewriter, node: ast.expr) -> bool:
    """Whether a name gets what operations alone make of a result."""
    around: ast.AST = r.source.parents[node]
    while isinstance(around, ast.BinOp) or (isinstance(around, ast.Call) and r.api(around.func) is not None):
        node, around = around, r.source.parents[around]
    target = around.targets[0] if isinstance(around, ast.Assign) else getattr(around, "target", None)
    return isinstance(target, ast.Name) and is_own(r, node)


def check_order(r: Rewriter, node: ast.AST) -> None:
    """What is computed before the statement may not be so where a function of the project runs earlier in it, which may
    change the tiles that it gets."""
    place = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
    for other in ast.walk(r.statement) if r.statement is not None and not hasattr(r.statement, "body") else ():
        if (
            not isinstance(other, ast.Call)
            or (other.lineno, other.col_offset) >= place
            or r.api(other.func) is not None
        ):
            continue
        given = [*other.args, *(k.value for k in other.keywords)]
        if any(r.is_tensor(a) for a in given) and not any(n is node for n in ast.walk(other)):
            raise Undecided(f"`{r.source.text_of(other.func)}` runs before this, and may change what it is computed of")


def guarded(r: Rewriter, statement: ast.stmt, parts: list[str], indent: str | None) -> list[str]:
    """Statements under the conditions of their mask; a name is bound all the same."""
    if indent is None:
        raise Undecided("a mask without an index, where nothing can stand around the statement")
    if not _may_be_skipped(r, statement):
        raise Undecided("a mask that may leave nothing, in a statement that does more than that")
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    target = statement.target if isinstance(statement, ast.AnnAssign) else target
    begins = (f"{target.id} = ", f"{target.id}:", f"{target.id} :") if isinstance(target, ast.Name) else ()
    free = [part for part in parts if part.startswith(begins)]
    bound = [part for part in parts if part not in free]
    if not bound:
        return parts  # what is computed where the mask is false is undefined
    deeper = r.source.deeper
    parts = [wrapped(part, indent, deeper) for part in bound]
    lines = [deeper + part.replace("\n", f"\n{deeper}") for part in parts]
    conditions = " and ".join(dict.fromkeys(r.guards))
    return [*free, "\n".join([f"if {conditions}:", *(f"{indent}{line}" for line in lines)])]


def _may_be_skipped(r: Rewriter, statement: ast.stmt) -> bool:
    """Whether a statement does nothing but an operation, or a copy between elements."""
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Call) and is_own(r, value):
        return r.api(value.func) is not None or isinstance(statement, ast.AugAssign)
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and (
        value is not None and is_own(r, value)
    )
