"""Every example of every rule goes through the verifier: code, span, message and precondition."""

from __future__ import annotations

import pytest

from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Example

from ..support.checking import quoted, shown
from ..support.example_source import source_of
from ..support.known import report_of_example

INVALID = [(code, e) for code, rule in rules().items() for e in rule.invalid]
VALID = [(code, e) for code, rule in rules().items() for e in rule.valid]


def identified(cases: list[tuple[str, Example]]) -> list[str]:
    seen: dict[str, int] = {}
    names = []
    for code, _ in cases:
        seen[code] = seen.get(code, 0) + 1
        names.append(f"{code}-{seen[code]}")
    return names


@pytest.mark.parametrize(("code", "example"), INVALID, ids=identified(INVALID))
def test_invalid_example_is_found_where_it_is_marked(code: str, example: Example) -> None:
    source, span = source_of(example)
    findings = report_of_example(example).findings
    told = "\n".join([*map(shown, findings), source])
    found = [d for d in findings if d.code == code]
    assert len(found) == 1, told
    assert span is not None
    assert quoted(source, found[0].at) == quoted(source, span), told
    assert found[0].at == span, told
    if example.message is not None:
        assert found[0].message.partition(", unless")[0] == example.message, told
    assert found[0].precondition == example.precondition, told
    assert [d.code for d in findings if d.code not in (code, "NKI003")] == [], told


@pytest.mark.parametrize(("code", "example"), VALID, ids=identified(VALID))
def test_valid_example_is_silent(code: str, example: Example) -> None:
    source, _ = source_of(example)
    report = report_of_example(example)
    assert report.findings == (), "\n".join([*map(shown, report.findings), source])
    assert all(kernel.obligations.unknown == 0 for kernel in report.kernels)
