"""Attributes that tensors lack, of which parameters are asked that turn out to be tensors."""

from __future__ import annotations

from collections.abc import Iterator

from nkilint.base import ir
from nkilint.base.names import bound_names
from nkilint.base.walk import walk
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Obligation
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations.tensor_methods import VIEWS

from .registry import states


@states(UnknownApi)
def state_lacking(run: Run) -> Iterator[Obligation]:
    """NKI208 where operations take elements of the parameter: other objects may have such attributes."""
    tensors = set(_operands(run)) if run.trace.lacking else set()
    for (parameter, name), site in run.trace.lacking.items():
        if parameter in tensors:
            yield Obligation(UnknownApi.message(name=f"{parameter}.{name}"), False, site)


def _operands(run: Run) -> Iterator[str]:
    """The parameters whose elements the kernel hands to operations, or that it has moved whole; those that it binds to
    something else are left out."""
    assert run.request is not None
    body = run.request.function.body
    calls = {e.site.at: e.operation for e in run.trace.events if e.operation is not None and not e.site.callers}
    bound = {name for statement in body for name in bound_names(statement)}
    for node in walk(body):
        operation = calls.get(node.at) if isinstance(node, ir.Call) else None
        if isinstance(node, ir.Call) and operation is not None:
            for _, value in node.args:
                held = value if operation.kind == "dma" else None
                if isinstance(value, ir.Index):
                    held = value.value
                elif isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and value.func.name in VIEWS:
                    held = value.func.value
                if isinstance(held, ir.Name) and held.id not in bound:
                    yield held.id
