"""Each rule that judges calls, on single calls of real operations: the first bad value and the last good one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import sym
from nkilint_rules.catalogue import rules
from nkilint_rules.operations.form import Call, Result
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dtypes import FLOAT32, UINT16, UINT32
from nkilint_rules.words.memory import SBUF

from ..support.calls_limits import LIMITS
from ..support.calls_operands import OPERANDS
from ..support.fake_calls import (
    F32,
    Fake,
    call,
    findings,
    sb,
)

CASES = [*LIMITS, *OPERANDS]


@pytest.mark.parametrize(
    ("code", "bad", "operand", "message", "good"),
    CASES,
    ids=[f"{code}-{bad.operation.leaf}-{bad.dialect}" for code, bad, *_ in CASES],
)
def test_first_bad_value_and_last_good_one(code: str, bad: Call, operand: str | None, message: str, good: Call) -> None:
    assert (operand, message) in findings(code, bad)
    assert findings(code, good) == []


def test_each_rule_that_judges_calls_has_a_case() -> None:
    judging = {code for code, rule in rules().items() if rule.judges_calls}
    assert judging == {code for code, *_ in CASES}


GOOD = [good for *_, good in CASES]


@pytest.mark.parametrize("good", GOOD, ids=[f"{c[0]}-{c[-1].operation.leaf}" for c in CASES])
def test_good_calls_are_good_by_every_rule_or_fail_for_another_reason(good: Call) -> None:
    """No rule stumbles over a call that another rule is tested with."""
    for code, rule in rules().items():
        if rule.judges_calls and (not rule.ops or good.operation.name in rule.ops):
            for need in rule().check(good):
                assert isinstance(need.condition, bool), (code, need)


def test_an_unknown_memory_is_an_unknown_obligation() -> None:
    (need,) = rules()["NKI201"]().check(call("language.exp", Fake((128, 8), memory=Unknown("the buffer is not known"))))
    assert need.condition.reason == "the buffer is not known"


def test_a_dtype_of_an_input_is_asked_rather_than_compared() -> None:
    class Input:
        itemsize = 4
        is_float, is_integer, packed = True, False, 1

        def __init__(self) -> None:
            self.asked: list[frozenset[Any]] = []

        def in_set(self, allowed: frozenset[Any]) -> bool:
            self.asked.append(allowed)
            return True

    dtype = Input()
    assert list(rules()["NKI202"]().check(call("isa.local_gather", sb(16, 4), sb(16, 4, dtype=dtype)))) == []
    assert dtype.asked[0] == frozenset({UINT16})


def test_unsigned_32_bit_values_have_their_range() -> None:
    assert findings("NKI212", call("isa.memset", (128, 8), 2**32 - 1, UINT32)) == []
    assert findings("NKI212", call("isa.memset", (128, 8), 2**32, UINT32)) != []


def test_block_dimensions_do_not_count_as_partitions() -> None:
    made = call("language.zeros", (256, 128, 512), F32)
    made.result = Result((256, 128, 512), FLOAT32, SBUF, blocks=1)
    assert findings("NKI101", made) == []


def with_symbolic_sizes(made: Call) -> Call:
    """The same call with every size of its tiles, and every first partition, replaced by a symbol."""
    count = iter(range(1000))

    def symbolic(value: Any) -> Any:
        if not isinstance(value, Fake):
            return value
        shape = tuple(sym(f"n{next(count)}", "input", 1, None) for _ in value.shape)
        start = sym(f"s{next(count)}", "input", 0, 127)
        return replace(value, shape=shape, start_partition=start, dtype=value.dtype)

    arguments = {name: symbolic(value) for name, value in made.arguments.items()}
    result = Call(made.operation, made.dialect, made.target, arguments, made.given)
    try:
        result.result = made.operation.result(result) if made.operation.result is not None else None
    except IsUnknown:
        result.result = None
    return result


@pytest.mark.parametrize("made", [c[1] for c in CASES], ids=[f"{c[0]}-{c[1].operation.leaf}" for c in CASES])
def test_symbolic_sizes_give_conditions(made: Call) -> None:
    """Rules state conditions over symbols; they do not decide on them."""
    for rule in rules().values():
        if rule.judges_calls and (not rule.ops or made.operation.name in rule.ops):
            try:
                for need in rule().check(with_symbolic_sizes(made)):
                    assert isinstance(need.condition, (bool, Cond, Unknown))
                    assert need.message.text()
            except IsUnknown:
                pass
