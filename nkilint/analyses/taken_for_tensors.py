"""What raises of parameters that turn out to be tensors: attributes that tensors lack, and calls of their shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nkilint.base import ir
from nkilint.base.names import bound_names
from nkilint.base.walk import walk
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Obligation
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations.form import Operation
from nkilint_rules.operations.tensor_methods import VIEWS
from nkilint_rules.words.records import dataclass

from .registry import states

DEPTH = 3  # helpers that hand a tensor on to one another


@states(UnknownApi, CallSignature)
def state_raised(run: Run) -> Iterator[Obligation]:
    """NKI208 and NKI809 where operations take elements of the parameter: other objects may have such attributes."""
    if not run.trace.of_tensors:
        return
    assert run.request is not None
    tensors = set(_Operands.of(run).in_function(run.request.function, DEPTH))
    for (parameter, _), (message, site) in run.trace.of_tensors.items():
        if parameter in tensors:
            yield Obligation(message, False, site)


@dataclass(frozen=True, slots=True)
class _Operands:
    """The operations that were reached, by their calls, and the functions of the kernel's file."""

    calls: Mapping[ir.Span, Operation]
    functions: Mapping[str, ir.FunctionDef]

    @classmethod
    def of(cls, run: Run) -> _Operands:
        assert run.request is not None
        statements = run.request.module.body
        return cls(
            {e.site.at: e.operation for e in run.trace.events if e.operation is not None},
            {s.name: s for s in statements if isinstance(s, ir.FunctionDef)},
        )

    def in_function(self, function: ir.FunctionDef, depth: int) -> Iterator[str]:
        """The parameters whose elements the function hands to operations, or that it has moved whole, by itself or by
        helpers; those that it binds to something else are left out."""
        bound = {name for statement in function.body for name in bound_names(statement)}
        for node in walk(function.body):
            if isinstance(node, ir.Call):
                for held in self._held(node, bound, depth):
                    if isinstance(held, ir.Name) and held.id not in bound:
                        yield held.id

    def _held(self, call: ir.Call, bound: set[str], depth: int) -> Iterator[ir.Expr]:
        """What holds the tensors that a call takes."""
        operation = self.calls.get(call.at)
        if operation is not None:
            for _, value in call.args:
                if isinstance(value, ir.Index):
                    yield value.value
                elif isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and value.func.name in VIEWS:
                    yield value.func.value
                elif operation.kind == "dma":
                    yield value
        elif depth and isinstance(call.func, ir.Name) and call.func.id not in bound:
            helper = self.functions.get(call.func.id)
            taken = set(self.in_function(helper, depth - 1)) if helper is not None else set()
            names = [p.name for p in helper.params] if helper is not None else []
            for number, (name, value) in enumerate(call.args):
                if (name or (names[number] if number < len(names) else "")) in taken:
                    yield value
