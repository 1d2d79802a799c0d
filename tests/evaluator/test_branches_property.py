"""Random kernels with branches, early returns and assertions: verdict and contract against enumeration of sizes."""

from __future__ import annotations

from textwrap import indent
from types import SimpleNamespace
from typing import Any
from unittest import mock

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, example, given, settings

from nkilint.run import verification
from nkilint.symbolic.evaluation import holds, variables
from nkilint.verdicts.decide import Decisions

from ..support.checking import report_on

SIZES = range(1, 25)
HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    N, columns = x.shape
    assert columns == 2
    output = nl.ndarray((N, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 2), dtype=nl.float32, buffer=nl.sbuf)
"""
CHECKED = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
    phases=(Phase.explicit, Phase.generate),
)

SAME_LIMIT = """\
if N <= 6:
    nl.store(output, value=tile[0:N, :])
    return output
assert N > 1
nl.store(output[0:6, :], value=tile[0:6, :])"""

conditions = st.one_of(
    st.builds("N {} {}".format, st.sampled_from(("<=", "<", ">", ">=", "==", "!=")), st.integers(0, 9)),
    st.builds("N % {} {} 0".format, st.integers(2, 4), st.sampled_from(("==", "!="))),
)


@st.composite
def stores(draw: st.DrawFn) -> str:
    first, width = draw(st.integers(0, 5)), draw(st.integers(1, 6))
    kind = draw(st.sampled_from(("rows", "rows", "floor", "ceil", "whole", "guarded")))
    if kind == "rows":
        return f"nl.store(output[{first}:{first + width}, :], value=tile[0:{width}, :])"
    if kind == "whole":
        return "nl.store(output, value=tile[0:N, :])"
    trips = f"N // {width}" if kind == "floor" else f"(N + {width - 1}) // {width}"
    store = f"nl.store(output[i * {width}:(i + 1) * {width}, :], value=tile[0:{width}, :])"
    if kind == "guarded":
        store = f"if (i + 1) * {width} <= N:\n    {store}"
        if draw(st.booleans()):
            store += f"\nelse:\n    nl.store(output[i * {width}:N, :], value=tile[0:N - i * {width}, :])"
    return f"for i in nl.affine_range({trips}):\n{indent(store, '    ')}"


@st.composite
def blocks(draw: st.DrawFn, depth: int) -> str:
    return "\n".join(draw(statements(depth)) for _ in range(draw(st.integers(1, 3))))


@st.composite
def statements(draw: st.DrawFn, depth: int) -> str:
    kind = draw(st.sampled_from(("store", "store", "if", "if-else", "return", "assert") if depth else ("store",)))
    if kind == "store":
        return draw(stores())
    if kind == "assert":
        return f"assert {draw(conditions)}"
    test = f"if {draw(conditions)}:\n"
    inside = indent(draw(blocks(depth - 1)), "    ")
    if kind == "return":
        return f"{test}{inside}\n    return output"
    if kind == "if-else":
        return f"{test}{inside}\nelse:\n{indent(draw(blocks(depth - 1)), '    ')}"
    return test + inside


class _Output:
    def __init__(self, size: int) -> None:
        self.size, self.rows, self.inside = size, set[int](), True

    def __getitem__(self, key: Any) -> list[int]:
        rows = key[0] if isinstance(key, tuple) else slice(None)
        low, high = rows.start or 0, self.size if rows.stop is None else rows.stop
        return list(range(low, high))

    def store(self, where: Any) -> None:
        rows = self[:] if where is self else where
        self.inside &= all(0 <= r < self.size for r in rows)
        self.rows |= set(rows)


def right(source: str, size: int) -> bool | None:
    """Whether the kernel stays inside and fills its output; None where it rejects this size."""
    output = _Output(size)
    nl = SimpleNamespace(
        ndarray=lambda shape, **_: output, zeros=lambda shape, **_: _Output(128), affine_range=range,
        store=lambda where, value: output.store(where), float32=0, shared_hbm=0, sbuf=0,
    )  # fmt: skip
    names = {"nl": nl, "nki": SimpleNamespace(jit=lambda f: f)}
    exec(source.split("nl\n", 1)[1], names)
    try:
        names["kernel"](SimpleNamespace(shape=(size, 2)))  # type: ignore[operator]
    except AssertionError:
        return None
    return output.inside and output.rows >= set(range(size))


def judged(source: str) -> Decisions:
    found: list[Decisions] = []
    original = verification.decide_run

    def decide_run(*args: Any, **kwargs: Any) -> Decisions:
        found.append(original(*args, **kwargs))
        return found[-1]

    with mock.patch.object(verification, "decide_run", decide_run):
        report_on(source, select=("NKI3", "NKI7"))
    return found[-1]


def source_of(body: str) -> str:
    return f"{HEAD}{indent(body, '    ')}\n    return output\n"


@CHECKED
@given(blocks(2))
@example(SAME_LIMIT)
def test_what_is_proved_under_the_contract_holds(body: str) -> None:
    source = source_of(body)
    decisions = judged(source)
    if decisions.verdict not in ("verified", "conditional") or decisions.unstated():
        return
    for size in SIZES:
        admitted = all(holds(c, {v: size if v.name == "N" else 2 for v in variables(c)}) for c in decisions.contract)
        assert right(source, size) is not False or not admitted, (size, decisions.contract, source)


@CHECKED
@given(blocks(2))
def test_what_misses_an_exact_precondition_goes_wrong(body: str) -> None:
    source = source_of(body)
    decisions = judged(source)
    for found in decisions.conditional:
        precondition = found.decision.precondition
        for size in SIZES if precondition is not None else ():  # what misses an exact precondition goes wrong
            if found.decision.exact and not holds(precondition, dict.fromkeys(variables(precondition), size)):
                assert right(source, size) is not True, (size, precondition, source)
