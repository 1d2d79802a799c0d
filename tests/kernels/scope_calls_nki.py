"""Names, calls and comparisons of tools around kernels: tables of launches, wrappers, generators, classes that inherit."""

from __future__ import annotations

import abc
import contextlib
import itertools
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, Protocol

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, COLUMNS = 128, 512
CASES = [(rows, columns) for rows in (64, ROWS) for columns in (COLUMNS,)]


class Mode(Enum):
    FAST = 1
    EXACT = 2


class Tensor(Protocol):
    shape: tuple[int, ...]


class Report(abc.ABC):
    def __init__(self, title, *, width=80):
        self.title, self.width = title, width

    @abc.abstractmethod
    def lines(self) -> Iterator[str]: ...

    def show(self, stream=sys.stdout):
        for line in self.lines():
            print(line[: self.width], file=stream)


    def header(self, *words):
        return self.joined(words)

    def joined(self, words):
        return self.width * "-" + " ".join(words)

    def footer(self, mark):
        return self.header() + self.trimmed(mark, 3)

    def trimmed(self, mark):
        return mark[: self.width]


class Short(Report):
    def trimmed(self, mark, count):
        return mark[:count]


class Table(Report):
    def __init__(self, title, rows):
        super().__init__(title, width=120)
        self.rows = rows

    def lines(self):
        for name, value in self.rows:
            yield f"{name:20} {value}"


@dataclass(frozen=True)
class Case:
    rows: int
    columns: int
    mode: Mode = Mode.FAST
    seeds: tuple[int, ...] = field(default=(0,))

    @property
    def shape(self):
        return self.rows, self.columns


@dataclass(frozen=True)
class Slow(Case):
    timeout: float = 10.0


def timed(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def run(kernel, x, repeat=1, *, warmup=0):
    for _ in range(repeat + warmup):
        result = kernel(x)
    return result


# --- found ---


def in_an_f_string(case):
    return f"{case.rows}x{case.columns}: {elapsed:.3f} ms"  # expect: NKI808


def in_a_walrus(values):
    if len(values) > 3 and (first := values[0]):
        print(first)
    return first  # expect-warning: NKI808


def in_a_lambda(values):
    return sorted(values, key=lambda case: case.rows * colums)  # expect: NKI808


def in_a_decorator(functions):
    @registered  # expect: NKI808
    def inner(x):
        return x

    return [inner, *functions]


def in_a_match(case):
    match case.mode:
        case Mode.FAST:
            tolerance = 1e-2
        case Mode.EXACT:
            pass
    return tolerance  # expect-warning: NKI808


def of_an_exception_group(runs):
    try:
        for one in runs:
            one()
    except ValueError as problem:
        print(problem)
    print(problem)  # expect: NKI808


def after_a_finally(path):
    handle = None
    try:
        handle = open(path)
        lines = handle.readlines()
    except FileNotFoundError:
        pass
    finally:
        if handle:
            handle.close()
    return lines  # expect-warning: NKI808


def from_two_loops(cases, names):
    for case in cases:
        for name in names:
            pair = case, name
        print(pair)  # expect-warning: NKI808


async def in_a_coroutine(queue):
    item = await queue.get()
    return item, depht  # expect: NKI808


def too_many_for_a_case():
    return Case(128, 512, Mode.FAST, (0, 1), 3)  # expect: NKI809


def base_field_forgotten():
    return Slow(128, timeout=1.0)  # expect: NKI809


def wrong_keyword_of_a_function(kernel, x):
    return run(kernel, x, repeats=3)  # expect: NKI809


def keyword_only_by_place(kernel, x):
    return run(kernel, x, 3, 1)  # expect: NKI809


def of_a_class_that_inherits(rows):
    return Table("times", rows, width=40)  # expect: NKI809


def method_of_a_base(rows):
    table = Table("times", rows)
    table.show(sys.stderr, True)  # expect: NKI809
    return table


def property_of_the_same(case):
    if case.shape != case.shape:  # expect-warning: NKI810
        raise ValueError(case)
    return np.zeros(case.shape)


def method_of_the_class(rows):
    table = Table("times", rows)
    table.show()
    return list(table.lines(3))  # expect: NKI809


def all_close_of_itself(kernel, x, want):
    got = run(kernel, x)
    np.testing.assert_array_equal(got, got)  # expect-warning: NKI810
    return want


def after_a_raise(values):
    raise NotImplementedError("no such thing")
    return values  # expect-warning: NKI810


def after_all_branches(values):
    if values:
        return 1
    else:
        return 2
    print("never")  # expect-warning: NKI810


# --- silent ---


def annotated_with_a_text(kernel: Callable[[Any], Any], x: Tensor) -> "Case":
    return Case(*kernel(x).shape)


def annotated(kernel: Callable[[Any], Any], x: Tensor) -> Case:
    del kernel
    return Case(*x.shape)


def counted_by_kind(cases):
    kinds = defaultdict(list)
    for case in cases:
        kinds[case.mode].append(case)
    return {mode: len(found) for mode, found in kinds.items()}


def nested_scopes(values):
    total = 0

    class Counter:
        step = 1

        def add(self):
            nonlocal total
            total += self.step

    counter = Counter()
    for _ in values:
        counter.add()
    return total


def matched_in_full(mode):
    match mode:
        case Mode.FAST:
            tolerance = 1e-2
        case Mode.EXACT:
            tolerance = 1e-5
        case other:
            raise ValueError(other)
    return tolerance


def matched_with_a_value_before(case):
    tolerance = 0.0
    match case.mode:
        case Mode.FAST:
            tolerance = 1e-2
        case Mode.EXACT:
            pass
    return tolerance


def matched_twice(case):
    match case.mode:
        case Mode.FAST:
            tolerance = 1e-2
        case Mode.EXACT:
            pass
    match case.mode:
        case Mode.FAST:
            return tolerance
    return None


def left_in_one_branch(values):
    if values:
        return 1
    elif values is None:
        print("none")
    else:
        raise ValueError(values)
    return 2


def method_of_what_a_with_gives(rows):
    with Table("times", rows) as table:
        table.show(sys.stderr, True)


def method_of_one_of_two(rows, other):
    table = Table("times", rows)
    if other is not None:
        table = other
    table.show(sys.stderr, True)


def method_of_a_part(rows):
    table, *_ = Table("times", rows)
    table.show(sys.stderr, True)


def methods_of_a_table(rows):
    table = Table(rows=rows, title="times")
    table.show(stream=sys.stderr)
    return table.lines()


def closed_after(path):
    handle = open(path)
    try:
        lines = handle.readlines()
    finally:
        handle.close()
    return lines


def suppressed_and_set_before(path):
    lines = []
    with contextlib.suppress(OSError):
        lines = open(path).readlines()
    return lines


def partial_of_a_function(kernel, x):
    twice = partial(run, repeat=2)
    return twice(kernel, x, warmup=1)


def wrapped(x):
    return timed(run)(x, x, repeat=2)


def replaced(case):
    return Slow(case.rows, case.columns, timeout=2.0), Case(rows=1, columns=2, seeds=(1, 2))


def global_set_later():
    global LATEST
    LATEST = 3
    return LATEST


def reads_the_global():
    return LATEST


def retried(kernel, x):
    for attempt in range(3):
        try:
            result = kernel(x)
        except RuntimeError:
            if attempt == 2:
                raise
            continue
        break
    else:
        raise RuntimeError("never")
    return result


def self_compared_numbers(value, step):
    return value != value or step() == step()


# nkilint: x: float32[128, 64]
@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
