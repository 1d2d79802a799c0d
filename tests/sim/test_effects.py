"""What operations say that they do to their operands is what their numerics do: whole writes overwrite every element,
others stay, and an element of a source reaches no other elements than those that are said to depend on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import neuronxcc.nki as nki1
import nki
import nki.language as nl
import numpy as np
import pytest

from nkilint_rules.operations import effects as rule
from nkilint_rules.operations import load_operations
from nkilint_rules.operations.form import MOVING
from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.program import running
from reference_sim.observers.undefined import undefined_in
from reference_sim.operations import calls
from reference_sim.operations.dependence import carried
from reference_sim.operations.operands import Operands, in_partitions
from reference_sim.tensors.tensor import Tensor

from .effects_cases import CASES, EXEMPT, MODULES, Case, Gathering, tile
from .numerics import exact_types

RESULT = rule.RESULT
PLACE = Case.__module__  # functions of the cases make arguments; other functions are arguments


def content(shape: tuple[int, ...], dtype: np.dtype[Any], seed: int, limit: int | None = None) -> Any:
    """Values that differ from element to element; integers below `limit`."""
    random = np.random.default_rng(seed)
    size = int(np.prod(shape))
    if dtype.kind in "iu":
        return random.integers(0, limit or (2 if dtype == np.uint8 else 7), shape).astype(dtype)
    if dtype.fields is not None or dtype.itemsize == 1:
        return np.frombuffer(random.integers(0x38, 0x44, size * dtype.itemsize, np.uint8).tobytes(), dtype).reshape(
            shape
        )
    return (random.permutation(size).reshape(shape) / 16).astype(dtype)


TURNS = 3
ENOUGH = 0.3
"""The least share of what is said to depend on an element that three other values of it change."""
SEARCHED = "few values are those that are searched for"
RARELY = {
    ("isa.nc_find_index8", "data"): SEARCHED,
    ("isa.nc_match_replace8", "data"): SEARCHED,
    ("isa.dropout", "prob"): "random numbers fall on either side of few probabilities",
    ("language.dropout", "rate"): "random numbers fall on either side of few probabilities",
    ("language.equal", "x"): SEARCHED,
    ("language.equal", "y"): SEARCHED,
    ("language.not_equal", "x"): SEARCHED,
    ("language.not_equal", "y"): SEARCHED,
    ("language.logical_or", "x"): "most of the other values are true",
    ("language.logical_or", "y"): "most of the other values are true",
}
"""Operands that all of a result depends on as is said, but seldom by much, and why."""


def other(value: Any, dtype: np.dtype[Any], limit: int | None, turn: int) -> Any:
    """Another value of the type, to stand in the place of one."""
    if dtype.kind in "iu":
        return (int(value) + 1 + turn) % limit if limit else 1 if value == 0 else 0 if turn else value + 1
    if dtype.fields is not None or dtype.itemsize == 1:
        return np.frombuffer(bytes((b + 4) & 0x7F for b in value.tobytes()), dtype)[0]
    return np.asarray((0 if value else 2, -float(value) - 0.25, float(value) + 300)[turn], dtype)


class Bench:
    """One call that is made again and again in a kernel, over contents of its tensors that the test sets."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.sources: list[tuple[str, Tensor, int | None]] = []
        self.outputs: dict[str, Tensor] = {}
        self.arguments: dict[str, Any] = {}
        self.seen: list[Operands] = []
        for name, given in case.sources.items():
            items = [self._source(name, item) for item in (given if isinstance(given, list) else [given])]
            self.arguments[name] = items if isinstance(given, list) else items[0]
        for name, (shape, dtype, memory) in case.outputs.items():
            self.outputs[name] = self.arguments[name] = allocated(shape, dtype, memory)
        for name, value in case.rest.items():
            self.arguments[name] = value() if isinstance(value, FunctionType) and value.__module__ == PLACE else value

    def _source(self, name: str, given: Any) -> Tensor:
        if isinstance(given, Gathering):
            table, index = allocated((given.rows, 6), "float32", "shared_hbm"), allocated((4, 1), "uint32", "sbuf")
            places = np.arange(4).reshape(4, 1)
            index.array[...] = np.where(places >= 4 - given.outside, given.rows + 3, (places + 1) % given.rows)
            self.sources.append((name, table, None))
            found: Tensor = table.ap(pattern=[[6, 4], [1, 6]], vector_offset=index, indirect_dim=0)
            return found
        tensor = allocated(*given)
        self.sources.append((name, tensor, self.case.limits.get(name)))
        return tensor

    def reset(self, old: int) -> None:
        """All tensors hold what they held before the first call; outputs one of two contents."""
        for number, (name, tensor, limit) in enumerate(self.sources):
            filled = self.case.filled.get(name)
            values = content(tensor.sizes, tensor.array.dtype, number, limit) if filled is None else filled
            tensor.array[...] = values
        for number, tensor in enumerate(self.outputs.values()):
            tensor.array[...] = content(tensor.sizes, tensor.array.dtype, 50 + 7 * old + number)

    def call(self) -> dict[str, Any]:
        """What the call writes, by operand."""
        current = running()
        assert current is not None
        current.random = np.random.default_rng(3)
        current.registers.clear()
        head, _, leaf = self.case.name.rpartition(".")
        result = getattr(MODULES[self.case.dialect][head], leaf)(**self.arguments)
        found = {name: np.array(tensor.array) for name, tensor in self.outputs.items()}
        if isinstance(result, Tensor) and "dst" not in self.outputs:
            found[RESULT] = np.array(result.array)
        return found


def allocated(shape: tuple[int, ...], dtype: str, memory: str) -> Any:
    current = running()
    assert current is not None
    library = MODULES[current.dialect]["language"]
    kind = getattr(nl, dtype)
    return library.ndarray(shape, dtype=kind, buffer=getattr(library, memory))


def differing(a: Any, b: Any) -> Any:
    """The elements whose bits differ."""
    first, second = (np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, x.dtype.itemsize) for x in (a, b))
    return (first != second).any(axis=-1)


def reach(how: rule.Dependence, marks: Any, shape: tuple[int, ...], operands: Operands) -> Any:
    """All that may depend on marked elements."""
    if isinstance(how, rule.Possible):
        how = how.among
    if isinstance(how, rule.Chosen) and isinstance(how.of, rule.Possible):
        how = how.of.among
    return carried(how, marks, shape, operands)


def looked_at(operands: Operands, name: str, tensor: Tensor) -> Any:
    """The elements of an operand that the call is said to read."""
    where = operands.seen(name, tensor)
    seen = np.zeros(tensor.sizes, bool)
    seen[... if where is None else where] = True
    return seen


def judge(bench: Bench) -> Iterator[str]:
    """What is wrong with the effects of a call."""
    bench.reset(0)
    before = {name: np.array(tensor.array) for name, tensor in bench.outputs.items()}
    first = bench.call()
    operands = bench.seen[-1]
    effects = operands.plan.effects
    if set(effects.writes) != set(first):
        yield f"writes {sorted(first)}, not {sorted(effects.writes)}"
        return
    yield from _writes(bench, operands, before, first)
    reached: Counter[tuple[str, str]] = Counter()
    said: Counter[tuple[str, str]] = Counter()
    for name, tensor, limit in bench.sources:
        for place in np.ndindex(*tensor.sizes):
            poison = np.zeros(tensor.sizes, bool)
            poison[place] = True
            for target, changed in _changed(bench, first, tensor, place, limit).items():
                changed = changed & _given(operands, target, changed.shape)
                allowed = _allowed(operands, name, tensor, target, poison, changed.shape)
                if (changed & ~allowed).any():
                    yield f"element {place} of `{name}` reaches {np.argwhere(changed & ~allowed)[0]} of `{target}`"
                    return
                reached[name, target] += int(changed.sum())
                said[name, target] += int(allowed.sum())
    yield from _too_wide(bench.case, effects, reached, said)


def _changed(bench: Bench, first: Mapping[str, Any], tensor: Tensor, place: Any, limit: int | None) -> dict[str, Any]:
    """What becomes another when one element of an operand does, whatever it becomes."""
    found = {name: np.zeros(values.shape, bool) for name, values in first.items()}
    for turn in range(TURNS):
        bench.reset(0)
        tensor.array[place] = other(tensor.array[place], tensor.array.dtype, limit, turn)
        for name, values in bench.call().items():
            found[name] |= differing(values, first[name])
    return found


def _too_wide(
    case: Case, effects: rule.Effects, reached: Counter[tuple[str, str]], said: Counter[tuple[str, str]]
) -> Iterator[str]:
    """Operands that are said to have a part in much more of a result than they have."""
    for (name, target), count in said.items():
        how = effects.writes[target].sources.get(name)
        share = reached[name, target] / max(count, 1)
        if not count:
            continue
        if isinstance(how, rule.Possible):
            wrong = not share
        else:
            wrong = ((case.name, name) in RARELY) != (share < ENOUGH)
        if wrong:
            yield f"`{name}` reaches {share:.0%} of what is said of `{target}`"


def _given(operands: Operands, target: str, shape: tuple[int, ...]) -> Any:
    """The elements that hold something after the call: in a new tile, what a mask leaves."""
    left = target == RESULT and operands.where is not None and not operands.plan.effects.writes[target].outside
    found = np.zeros(shape, bool)
    found[operands.where if left else ...] = True
    return found


def _allowed(operands: Operands, name: str, source: Tensor, target: str, poison: Any, shape: tuple[int, ...]) -> Any:
    how = operands.plan.effects.writes[target].sources.get(name)
    if how is None:
        return np.zeros(shape, bool)
    given = operands.arguments[name]
    items = given if isinstance(given, list) else [given]
    allowed = np.zeros(shape, bool)
    if name == operands.plan.effects.writes[target].outside:
        allowed = allowed | poison
    for item in items:
        marks = poison
        if (item is not source and item.sizes != source.sizes) or item.access is not None:
            marks = _gathered(item, poison)
        elif item is not source:
            continue
        allowed = allowed | reach(how, marks & looked_at(operands, name, item), shape, operands)
    return allowed


def _gathered(item: Tensor, poison: Any) -> Any:
    """The elements of an indirect access that are marked in the tensor it is to."""
    if item.access is None:
        return np.zeros(item.sizes, bool)
    positions = item.access.positions()  # type: ignore[union-attr]
    inside = positions < poison.size
    return inside & poison.reshape(-1)[np.where(inside, positions, 0)]


def _writes(bench: Bench, operands: Operands, before: Mapping[str, Any], first: Mapping[str, Any]) -> Iterator[str]:
    """Whole writes do not hang on what was there, updates do, and what is not written stays."""
    bench.reset(1)
    again = bench.call()
    for name, tensor in bench.outputs.items():
        written = operands.plan.effects.writes[name]
        where = in_partitions(operands.kept(tensor), written.partitions, tensor)
        chosen = np.zeros(tensor.sizes, bool)
        chosen[... if where is None else where] = True
        if differing(first[name], before[name])[~chosen].any():
            yield f"elements of `{name}` that are not written have changed"
        hangs = differing(first[name], again[name])[chosen]
        if name not in written.sources and hangs.any():
            yield f"`{name}` is said to be overwritten, but hangs on what was there"
        if name in written.sources and not hangs.any():
            yield f"`{name}` is said to be updated, but does not hang on what was there"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_numerics_do_what_effects_say(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    problems: list[str] = []

    def kernel() -> Any:
        bench = Bench(case)

        def seen(*call: Any) -> Operands:
            bench.seen.append(Operands(*call))
            return bench.seen[-1]

        monkeypatch.setattr(calls, "Operands", seen)
        monkeypatch.setattr(Operands, "written", lambda self, name, tensor: self.kept(tensor))  # numerics alone decide
        problems.extend(judge(bench))
        return allocated((1, 1), "float32", "shared_hbm")

    with exact_types(case.target, checks=False):
        (nki1 if case.dialect == BETA1 else nki).jit(kernel)()
    assert problems == []


def test_every_operation_has_a_case_in_its_dialects_or_a_reason() -> None:
    tried = {(case.name, case.dialect) for case in CASES}
    wanted = {
        (name, dialect)
        for name, operation in load_operations().items()
        for dialect in MODULES
        if operation.kind in MOVING and operation.signature(dialect) is not None
        if dialect not in operation.unsupported
    }
    left = {name for name, dialect in wanted - tried}
    assert left == set(EXEMPT), "tests/sim/effects_cases.py has a call of each operation that moves data, or why not"
    assert not {name for name, _ in tried} & set(EXEMPT)


CREATING = [(n, d) for n, o in load_operations().items() for d in MODULES if o.kind == "create" and o.signature(d)]


@pytest.mark.parametrize(("name", "dialect"), CREATING)
def test_what_is_created_holds_what_effects_say(name: str, dialect: str) -> None:
    leaf = name.rpartition(".")[2]
    found: list[bool] = []

    def kernel() -> Any:
        model = allocated(*tile(4, 6))
        first: Any = model if leaf.endswith("_like") else (4, 6)
        first = np.ones((4, 6), np.float32) if leaf == "shared_constant" else first
        rest = {"dtype": nl.float32} if leaf not in ("shared_constant", "shared_identity_matrix") else {}
        rest |= {"fill_value": 2.0} if leaf == "full" else {}
        created = getattr(MODULES[dialect]["language"], leaf)(4 if "identity" in leaf else first, **rest)
        found.append(undefined_in(created) is None)
        library = MODULES[dialect]["language"]
        out = allocated((1, 1), "float32", "shared_hbm")
        library.store(out, library.zeros((1, 1), dtype=nl.float32, buffer=library.sbuf))
        return out

    with exact_types():
        (nki1 if dialect == BETA1 else nki).jit(kernel)()
    assert found == [load_operations()[name].depends != rule.NOTHING]
