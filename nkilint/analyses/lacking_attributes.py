"""Attributes that tensors lack, of which parameters are asked that turn out to be tensors."""

from __future__ import annotations

from collections.abc import Iterator

from nkilint.base import ir
from nkilint.base.names import bound_names
from nkilint.base.walk import walk
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Obligation
from nkilint_rules.operands.unknown_api import UnknownApi

from .registry import states


@states(UnknownApi)
def state_lacking(run: Run) -> Iterator[Obligation]:
    """NKI208 where operations take elements of the parameter: other objects may have such attributes."""
    tensors = set(_operands(run)) if run.trace.lacking else set()
    for (parameter, name), site in run.trace.lacking.items():
        if parameter in tensors:
            yield Obligation(UnknownApi.message(name=f"{parameter}.{name}"), False, site)


def _operands(run: Run) -> Iterator[str]:
    """The names whose elements the kernel hands to operations, and which it binds to nothing else."""
    assert run.request is not None
    body = run.request.function.body
    calls = {e.site.at for e in run.trace.events if e.operation is not None and not e.site.callers}
    bound = {name for statement in body for name in bound_names(statement)}
    for node in walk(body):
        if isinstance(node, ir.Call) and node.at in calls:
            for _, value in node.args:
                if isinstance(value, ir.Index) and isinstance(value.value, ir.Name) and value.value.id not in bound:
                    yield value.value.id
