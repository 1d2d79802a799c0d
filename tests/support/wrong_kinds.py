"""Calls of all operations with arguments of a wrong kind, one after the other in the midst of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from nkilint.base import ir
from nkilint.evaluator.state import protocols
from nkilint.evaluator.state.machine import Fault, Machine, Stop
from nkilint.evaluator.state.trace import AtWitness, Reach
from nkilint.evaluator.values.objects import Api, External
from nkilint_rules.operations import load_operations
from nkilint_rules.operations.form import Operation
from nkilint_rules.rule import Message
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.memory import HBM, PSUM
from nkilint_rules.words.names import MISSING

from .checking import report_on

VALUES = (
    *("t", "p", "x", "w", "(t, t)", "(x, t)", "[[t]]", "(1, 2)", "((1, 2), 3)", "[[1, 2, 3]]", "()", "[()]", "[]"),
    *("(None,)", "('a', 'b')", "'a'", "b'x'", "None", "True", "0", "-3", "3", "1.5", "3j", "...", "{'a': t}", "{1: 2}"),
    *("helper", "lambda i: i", "len", "Holder", "Holder()", "t.reshape", "x.float32", "nl.float32", "x.dtype"),
    *(
        "nl.add",
        "nl.sbuf",
        "nl",
        "nisa.engine",
        "np",
        "np.zeros((4, 4))",
        "range(4)",
        "slice(0, 2)",
        "nl.ds(0, 4)",
        "iter([1])",
        "{1, 2}",
    ),
    *("x.shape", "w.shape[0]", "[1] * w.shape[1]", "tuple(range(w.shape[1]))", "t[0:64]"),
)
HEAD = """\
import probing
import numpy as np
import {package} as nki
import {package}.isa as nisa
import {package}.language as nl


def helper(a):
    return a


class Holder:
    pass


@nki.jit
def kernel(x, w):
    assert x.shape == (128, 512)
"""
TILES = {
    BETA1: "    t = nl.load(x)\n    p = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)\n",
    NKI: "    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n    nisa.dma_copy(dst=t, src=x)\n"
    "    p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)\n    nisa.memset(dst=p, value=0.0)\n",
}
USUAL: dict[str, Any] = {"shape": (128, 512), "dims": (0, 1), "pattern": ((512, 128), (1, 512)), "start": 0, "end": 4}
USUAL |= {"dim": 1, "axis": 1, "size": 4, "start_dim": 0, "end_dim": 1, "value": 1.5}
NAMED = {"dtype": "nl.float32", "op": "nl.add", "op0": "nl.add", "op1": "nl.add", "buffer": "nl.sbuf"}


@dataclass
class Told:
    """What is said, each with a call of which it is said; and what went wrong in the evaluator."""

    texts: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    calls: int = 0


def told_of_wrong_kinds(dialect: str) -> Told:
    """What is said of each operation of a dialect with each of `VALUES` in the place of each argument."""
    told = Told()
    entry = protocols.calls.entry(External)

    def probe(machine: Machine, called: External, args: list[Any], *rest: Any) -> Any:
        if called.name != "probing.probe":
            return entry(machine, called, args, *rest)
        if not told.calls:
            values = dict(zip(VALUES, args, strict=True))
            machine.memo["probed"] = values["t"]
            for operation in load_operations().values():
                for given, named in _arguments(operation, dialect, values):
                    told.calls += 1
                    _try(machine, dialect, operation, given, named, told, rest[1])
        return None

    package = {BETA1: "neuronxcc.nki", NKI: "nki"}[dialect]
    source = f"{HEAD.format(package=package)}{TILES[dialect]}    probing.probe({', '.join(VALUES)})\n    return x\n"
    with mock.patch.dict(protocols.calls.entries, {External: probe}):
        protocols.calls._found.clear()
        report = report_on(source)
    protocols.calls._found.clear()
    told.faults |= {failure.message: "" for failure in report.failures}
    return told


def _arguments(
    operation: Operation, dialect: str, values: dict[str, Any]
) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Positional and named arguments, all of one kind and one of them of each kind."""
    signature = operation.signature(dialect)
    if signature is None:
        return
    positional = [name for name in signature.positional if name != "self"]
    operands = operation.operands_in(dialect)
    usual: dict[str, Any] = {}
    for parameter in signature.parameters:
        if parameter.default is MISSING and parameter.name != "self":
            operand = operands.get(parameter.name)
            tile = operand and values["x" if operand.memories == {HBM} else "p" if operand.memories == {PSUM} else "t"]
            one = values[NAMED[parameter.name]] if parameter.name in NAMED else USUAL.get(parameter.name, True)
            usual[parameter.name] = one if operand is None else (tile,) if operand.many else tile
    yield [], {}
    yield [1] * 20, {}
    for value in values.values():
        yield [value] * len(positional), {}
        if signature.star is not None:
            yield from (([value] * count, {}) for count in (1, 2, 4))
        for parameter in signature.parameters:
            if parameter.name != "self":
                yield [], {**usual, parameter.name: value}


def _try(
    machine: Machine, dialect: str, operation: Operation, given: list[Any], named: dict[str, Any], told: Told, node: Any
) -> None:
    at, trace = node.at, machine.trace
    written = [(None, ir.Name(at, "v")) for _ in given] + [(name, ir.Name(at, "v")) for name in named]
    call = ir.Call(at, ir.Attr(at, ir.Name(at, "t"), operation.leaf), tuple(written))
    state = machine.facts, machine.loops
    ends, faults = (len(trace.obligations), len(trace.events)), set(trace.faults)
    what = f"{operation.name}({', '.join(map(repr, given))}; {named})"
    texts = list[str]()
    try:
        if operation.name.startswith("tensor."):
            result = protocols.call_method(machine, machine.memo["probed"], operation.leaf, given, named, call)
        else:
            result = protocols.call(machine, Api(dialect, operation.name), given, named, call)
        texts += [result.reason] if isinstance(result, Unknown) else []
    except (IsUnknown, Fault, Stop) as end:
        texts.append(str(end))
    except Exception as mistake:  # what the evaluation of a kernel would end with
        told.faults[f"{type(mistake).__name__}: {mistake}"] = what
    told.faults |= dict.fromkeys(trace.faults.keys() - faults, what)
    for made in trace.obligations[ends[0] :]:
        goal, about = made.goal, made.about
        if isinstance(goal, Unknown):
            texts.append(goal.reason)
        elif isinstance(about, Message):
            texts.append(about.map(_looked_up).text())
    del trace.obligations[ends[0] :], trace.events[ends[1] :]
    machine.facts, machine.loops, machine.steps = *state, 0
    for text in texts:
        told.texts.setdefault(text, what)


def _looked_up(value: Any) -> Any:
    """A value as its reader would have it: places in the source are what is written there."""
    if isinstance(value, ir.Span):
        return "v"
    return getattr(value, "value", 0) if isinstance(value, (AtWitness, Reach)) else value
