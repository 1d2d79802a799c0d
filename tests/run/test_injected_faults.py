"""A fault in a rule, in its words, or in an analysis costs the answers of that rule or analysis alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from nkilint.analyses import registry, whole_trace
from nkilint.analyses.registry import TraceAnalysis, TraceStatement
from nkilint.analyses.text import findings, subset
from nkilint.base.findings import Report
from nkilint.base.store import Memory
from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Example, Rule

from ..support.checking import report_on
from ..support.example_source import is_whole_file, source_of
from ..support.known import report_of_example

SPARE = "\nspare = nl.ndarray((130, 4), dtype=nl.float32, buffer=nl.sbuf)"  # NKI101
LOST = "\nlost = nl.nothing(output)"  # NKI208


def broken(*args: Any, **kwargs: Any) -> Any:
    raise AttributeError("a mistake")


@pytest.fixture(autouse=True)
def _remembers_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "_JUDGED", Memory(limit=0))


@cache
def examples_of(rule: type[Rule]) -> tuple[Example, ...]:
    """Examples that report a rule, one of each kind: of a dialect, whole files and pieces of a kernel, and those with
    another defect behind them."""
    more = LOST if rule.code == "NKI101" else SPARE
    given = [e if is_whole_file(e.code) else replace(e, code=e.code.rstrip() + more) for e in rule.invalid]
    found: dict[tuple[str, bool, bool], Example] = {}
    for e in (*given, *rule.invalid):
        kind = (e.dialect, is_whole_file(e.code), e.code.endswith(more))
        if kind not in found and rule.code in {code for code, _ in told(report_of_example(e))}:
            found[kind] = e
    return tuple(found.values())


def reported(example: Example) -> Report:
    return report_on(source_of(example)[0], target=example.target, nki_version=example.version)


def told(report: Report) -> set[tuple[str, int]]:
    """The rules that are reported, with their rows; what is left open changes with a fault."""
    return {(d.code, d.at.row) for d in report.findings if d.code != "NKI003"}


def keeps_the_rest(examples: Sequence[Example], lost: set[str], breaking: Callable[[], None]) -> None:
    """With a fault everything is found that was found before but what these rules say, and the fault is told where
    it is met, which one of the examples does."""
    sound = [report_of_example(example) for example in examples]
    breaking()
    met = 0
    for example, before in zip(examples, sound, strict=True):
        faulty = reported(example)
        assert {d for d in told(before) if d[0] not in lost} <= told(faulty)
        assert [k.name for k in faulty.kernels] == [k.name for k in before.kernels]
        assert all("AttributeError" in failure.message for failure in faulty.failures)
        met += bool(faulty.failures)
        if not met:
            assert told(before) <= told(faulty)
    assert met


def of(concerned: Iterable[type[Rule]]) -> list[Example]:
    return [example for rule in concerned for example in examples_of(rule)[:1]]


ON_CALLS = [rule for rule in rules().values() if "check" in vars(rule)]
SAID = [rule for rule in rules().values() if not rule.code.startswith("NKI0")]


@pytest.mark.parametrize("rule", ON_CALLS, ids=lambda rule: rule.code)
def test_a_fault_in_a_rule(rule: type[Rule], monkeypatch: pytest.MonkeyPatch) -> None:
    keeps_the_rest(examples_of(rule), {rule.code}, lambda: monkeypatch.setattr(rule, "check", broken))


@pytest.mark.parametrize("rule", SAID, ids=lambda rule: rule.code)
def test_a_fault_in_the_words_of_a_rule(rule: type[Rule], monkeypatch: pytest.MonkeyPatch) -> None:
    def speechless() -> None:
        for said in rule.wordings.values():
            monkeypatch.setattr(said, "text", broken)

    keeps_the_rest(examples_of(rule)[:2], {rule.code}, speechless)


@pytest.mark.parametrize("analysis", registry.analyses(), ids=lambda a: f"{a.check.__module__}.{a.check.__name__}")
def test_a_fault_in_an_analysis(analysis: TraceAnalysis, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = tuple(replace(a, check=broken) if a is analysis else a for a in registry.analyses())
    lost = {rule.code for rule in analysis.rules}
    keeps_the_rest(of(analysis.rules), lost, lambda: monkeypatch.setattr(whole_trace, "analyses", lambda: faulty))


@pytest.mark.parametrize("statement", registry.statements(), ids=lambda s: f"{s.state.__module__}.{s.state.__name__}")
def test_a_fault_in_a_statement(statement: TraceStatement, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = tuple(replace(s, state=broken) if s is statement else s for s in registry.statements())
    lost = {rule.code for rule in statement.rules}
    keeps_the_rest(of(statement.rules), lost, lambda: monkeypatch.setattr(whole_trace, "statements", lambda: faulty))


TEXT = """\
import nki
import nki.isa as nisa
import nki.language as nl

FACTOR = 2.0


def set_factor(value):
    global FACTOR
    FACTOR = value


def takes_one(a):
    return nowhere


def reads(values):
    for value in values:
        last = value
    assert values == values
    takes_one()
    return last


@nki.jit
def kernel(x):
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    wide = nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf)
    parts = [1, 2]
    parts[0], parts[1] = parts[1], parts[0]
    size = 1 << 40
    if nisa.get_nc_version() == nisa.nc_version.gen3:
        nisa.memset(dst=wide, value=FACTOR)
    return output
"""
OF_TEXT = {"NKI803", "NKI808", "NKI809", "NKI810", "NKI812", "NKI813"}
CHECKS = [
    *((findings, name, {"NKI808"}) for name in ("unbound", "undefined")),
    *((findings, name, {"NKI810"}) for name in ("compared_with_itself", "unreachable")),
    *((findings, "exact_generations", {"NKI813"}), (findings, "rebound_allocations", {"NKI411"})),
    (findings, "misfits", {"NKI809"}),
    *((subset, "_rejected", {"NKI803"}), (subset, "_changing", {"NKI812"}), (subset, "_beyond", {"NKI803"})),
]


@pytest.mark.parametrize(("module", "name", "lost"), CHECKS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_fault_in_a_check_of_texts(module: Any, name: str, lost: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    sound = report_on(TEXT)
    assert {code for code, _ in told(sound)} >= OF_TEXT | {"NKI101", "NKI702"}
    monkeypatch.setattr(module, name, broken)
    faulty = report_on(TEXT)
    assert {d for d in told(sound) if d[0] not in lost} <= told(faulty)
    assert "AttributeError" in faulty.failures[0].message
