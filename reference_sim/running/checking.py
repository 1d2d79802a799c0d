"""Which checkers listen to a run: all of them, or none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from inspect import isabstract
from typing import Any

from nkilint_rules.words.modules import modules
from reference_sim import observers
from reference_sim.machine.program import Launch, Program
from reference_sim.observers.lost_writes import judge_returned
from reference_sim.observers.outputs import follow_inputs, judge_outputs, returned_tensors
from reference_sim.observers.protocol import Observer, listen
from reference_sim.tensors.tensor import Tensor


@cache
def every_observer() -> tuple[type[Observer], ...]:
    """All checkers, by the names of their modules: none of them counts on another having been told before."""
    found = (value for module in modules(observers) for value in vars(module).values() if isinstance(value, type))
    kinds = (kind for kind in found if issubclass(kind, Observer) and kind is not Observer and not isabstract(kind))
    return tuple(dict.fromkeys(kinds))


def check_program(program: Program) -> None:
    """Tell the checkers of what a program does, if its launch asks for checks."""
    if program.launch.strictness.checks:
        listen(program, [kind(program) for kind in every_observer() if kind.DIALECT in (None, program.dialect)])


def check_inputs(inputs: Sequence[Tensor], launch: Launch, mutable: Collection[str], outputs: Collection[str]) -> None:
    """Follow what a launch does to its arguments: some may be written, and those named as outputs have to be."""
    if launch.strictness.checks:
        follow_inputs(inputs, mutable, outputs)


def check_outputs(result: Any, inputs: Sequence[Tensor], launch: Launch, function: Callable[..., Any]) -> None:
    """Judge what goes back to the host."""
    if launch.strictness.checks:
        for tensor in (*returned_tensors(result), *inputs):
            judge_returned(tensor.storage, launch.strictness)
        judge_outputs(result, inputs, launch, function)
