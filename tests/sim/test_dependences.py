"""Accesses whose boxes are called apart share no element where the order of iterations matters."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nkilint_rules.words.dtypes import FLOAT32
from nkilint_rules.words.memory import SBUF
from reference_sim.machine.memory import Storage
from reference_sim.observers.accesses import READ, WRITE, Access, History
from reference_sim.observers.dependences import are_apart

SUM = 2
SPANS = st.tuples(st.integers(0, 5), st.integers(1, 6)).map(lambda s: slice(s[0], min(6, s[0] + s[1])))
EVENTS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([READ, WRITE, SUM]), SPANS, SPANS), min_size=1)

Event = tuple[int, int, slice, slice]


def history_of(shape: tuple[int, ...], events: list[Event]) -> History:
    storage = Storage(np.zeros(shape, np.float32), FLOAT32, SBUF)
    history = History(storage)
    array: Any = storage.array
    for number, kind, rows, columns in events:
        history.accesses.append(Access(0, kind, (array[rows, columns], None), None, None))
        history.numbers.append(number)
    return history


def clash(a: Event, b: Event) -> bool:
    """Whether two accesses share an element, and their order matters."""
    shared = all(max(x.start, y.start) < min(x.stop, y.stop) for x, y in zip(a[2:], b[2:], strict=True))
    return shared and a[0] != b[0] and (a[1] != b[1] or a[1] == WRITE)


@given(events=EVENTS)
@settings(deadline=None)
def test_what_is_called_apart_is_apart(events: list[Event]) -> None:
    if are_apart(history_of((6, 6), events)):
        assert not any(clash(a, b) for a, b in itertools.combinations(events, 2))


def test_many_columns_of_different_iterations_are_apart() -> None:
    events: list[Event] = []
    for number in range(3000):
        column = slice(number, number + 1)
        events += [(number, READ, slice(0, 4), column), (number, WRITE, slice(0, 4), column)]
    assert are_apart(history_of((4, 3000), events))
    assert not are_apart(history_of((4, 3000), [*events, (7, WRITE, slice(0, 1), slice(8, 9))]))
