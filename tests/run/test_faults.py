"""A fault of this tool costs the answer that it was about: the other findings on the kernel stand, and it is told."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint.analyses import outputs
from nkilint.base import ir
from nkilint.base.findings import Report
from nkilint.evaluator.device import operations
from nkilint.evaluator.python import interpreter
from nkilint.prover import Prover
from nkilint.run.verification import Verification
from nkilint.verdicts.reporter import Reporter
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.limits.partition_limit import PartitionLimit
from nkilint_rules.operands.wrong_memory import WrongMemory

from ..support.checking import report_on

SOURCE = """\
import {dialect} as nki
import {dialect}.isa as nisa
import {dialect}.language as nl


@nki.jit
def kernel(x):
    output = nl.ndarray((x.shape[0], 512), dtype=x.dtype, buffer=nl.shared_hbm)
    wide = nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf)
    other = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset({target}value=0.0{more})
    for i in range(x.shape[0] // 128):
        {copy}
    return output
"""
SOURCES = [
    SOURCE.format(
        dialect="neuronxcc.nki",
        target="shape=(128, 512), ",
        more=", dtype=nl.float32",
        copy="nl.store(output[nl.ds(128 * i, 128), :], value=nl.load(x[nl.ds(128 * i, 128), 0:512]))",
    ),
    SOURCE.format(
        dialect="nki",
        target="dst=other, ",
        more="",
        copy="nisa.dma_copy(dst=output[nl.ds(128 * i, 128), :], src=x[nl.ds(128 * i, 128), 0:512])",
    ),
]
EXPECTED = {"NKI101", "NKI301", "NKI703"}


def broken(*args: Any, **kwargs: Any) -> Any:
    raise AttributeError("a mistake")


def outlived(report: Report, *lost: str) -> None:
    """All findings are there but for those that were lost, and the fault is told once."""
    assert (
        EXPECTED - set(lost) <= {d.code for d in report.findings} <= EXPECTED | {"NKI003", "NKI204", "NKI210", "NKI709"}
    )
    assert not set(lost) & {d.code for d in report.findings}
    (failure,) = report.failures
    assert "nkilint failed on `kernel`: AttributeError" in failure.message
    assert [k.name for k in report.kernels] == ["kernel"]


@pytest.fixture(params=SOURCES, ids=["neuronxcc", "nki"])
def source(request: pytest.FixtureRequest) -> str:
    assert {d.code for d in report_on(request.param).findings} >= EXPECTED
    assert report_on(request.param).failures == ()
    return str(request.param)


def test_a_fault_in_a_rule_about_calls(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PartitionLimit, "check", broken)
    outlived(report_on(source), "NKI101")


def test_a_fault_in_another_rule(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WrongMemory, "check", broken)
    outlived(report_on(source))


def test_a_fault_in_what_an_operation_does(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original = operations.effects_of

    def failing(call: Any) -> Any:
        return broken() if call.operation.leaf == "memset" else original(call)

    monkeypatch.setattr(operations, "effects_of", failing)
    outlived(report_on(source), "NKI703")  # the statement may have written anything


def test_a_fault_in_an_analysis(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "element_of", broken)
    outlived(report_on(source), "NKI703")


def test_a_fault_in_one_decision(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decide = Prover.decide

    def failing(self: Prover, goal: Any, facts: Any, *more: Any, **named: Any) -> Any:
        if "x.shape[1]" in str(goal):
            broken()
        return decide(self, goal, facts, *more, **named)

    monkeypatch.setattr(Prover, "decide", failing)
    report = report_on(source)
    assert {"NKI101", "NKI703"} <= {d.code for d in report.findings}
    assert report.failures


def test_a_fault_in_the_contract(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Prover, "contract", broken)
    assert {d.code for d in report_on(source).findings} >= {"NKI101"}


def test_a_fault_in_the_words_of_a_finding(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OutOfBounds.message, "text", broken)
    outlived(report_on(source), "NKI301")


def test_a_fault_in_what_is_said_of_conditions(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reporter, "conditions", broken)
    outlived(report_on(source), "NKI301", "NKI703")


def test_a_fault_in_the_meaning_of_a_statement(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original = interpreter._EXPRESSIONS[ir.Binary]

    def failing(machine: Any, node: Any, env: Any) -> Any:
        return broken() if node.op == "//" else original(machine, node, env)

    monkeypatch.setitem(interpreter._EXPRESSIONS, ir.Binary, failing)
    report = report_on(source)
    assert "NKI101" in {d.code for d in report.findings}
    assert report.failures


def test_a_fault_in_a_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SOURCES[1] + "\n\nimport numpy as np\n\nkernel(np.zeros((256, 512), dtype=np.float32))\n"
    monkeypatch.setattr(Verification, "_instance", broken)
    outlived(report_on(source))
