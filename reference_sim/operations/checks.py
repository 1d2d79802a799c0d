"""The rulebook's requirements on the values of one call."""

from __future__ import annotations

from collections.abc import Iterator

from nkilint_rules.catalogue import rules_by_operation
from nkilint_rules.operations.form import Call
from nkilint_rules.rule import Need, Rule, Severity
from nkilint_rules.words.conditions import IsUnknown, Unknown
from reference_sim.report.wording import require


def violations(call: Call) -> Iterator[tuple[Rule, Need]]:
    """The requirements that a call does not meet, less those that a more specific rule speaks of."""
    broken: list[tuple[Rule, Need]] = []
    for rule in rules_by_operation(call.operation.name):
        if rule.dynamic and call.dialect in rule.dialects:
            broken += [(rule, need) for need in _broken(rule, call)]
    codes = {rule.code for rule, _ in broken}
    silenced = {code for code in codes for rule, _ in broken if code in rule.before}
    yield from ((rule, need) for rule, need in broken if rule.code not in silenced)


def _broken(rule: Rule, call: Call) -> Iterator[Need]:
    needs = iter(rule.check(call))
    while True:
        try:
            need = next(needs)
        except StopIteration:
            return
        except IsUnknown:
            return
        condition = need.condition
        if isinstance(condition, Unknown):
            continue
        if not condition and need.message.wording not in rule.unseen:
            yield need


def complain(broken: tuple[Rule, Need]) -> None:
    """Report one broken requirement at the kernel's line."""
    rule, need = broken
    if rule.severity is not Severity.INFO:
        require(need)
