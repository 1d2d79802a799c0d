"""On random nests of loops, runs tell of lost writes (NKI708) only where a model of every element does: it knows what
each element is, from which writes it comes, by way of which others, and in which iterations those were."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reference_sim

FILE = "<nests>"
TILES = ("a", "b", "c")
PARTS = {"": (0, 1), "[:, 0:4]": (0,), "[:, 4:8]": (1,)}
HEAD = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    output = nl.ndarray((3, 128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
"""


@dataclass(frozen=True)
class Statement:
    """`dst = sources` in a part of the tiles, of a row of the input that may depend on the innermost loop."""

    dst: str
    sources: tuple[str, ...]
    part: str
    row: str = "0"

    def text(self, loops: int) -> str:
        dst = self.dst + self.part
        if not self.sources:
            row = self.row if loops or self.row == "0" else "0"
            return f"nisa.dma_copy(dst={dst}, src=x[{'ijk'[loops - 1] if row == 'loop' else 0}]{self.part})"
        if len(self.sources) == 1:
            return f"nisa.tensor_copy(dst={dst}, src={self.sources[0]}{self.part})"
        first, second = self.sources
        return f"nisa.tensor_tensor(dst={dst}, data1={first}{self.part}, data2={second}{self.part}, op=nl.add)"


Body = tuple[Any, ...]

STATEMENTS = st.one_of(
    st.builds(
        Statement, st.sampled_from(TILES), st.just(()), st.sampled_from(list(PARTS)), st.sampled_from(["0", "loop"])
    ),
    st.builds(
        Statement,
        st.sampled_from(TILES),
        st.lists(st.sampled_from(TILES), min_size=1, max_size=2).map(tuple),
        st.sampled_from(["", "", "[:, 0:4]", "[:, 4:8]"]),
    ),
)
INNER = st.lists(STATEMENTS, min_size=1, max_size=4).map(tuple)
BODIES = st.lists(st.one_of(STATEMENTS, STATEMENTS, INNER), min_size=1, max_size=4).map(tuple)
PROGRAMS = st.lists(st.one_of(STATEMENTS, BODIES), min_size=1, max_size=3).map(tuple)


def lines(body: Body, loops: int = 0) -> Iterator[tuple[str, Any]]:
    """The source of a body, each line with its statement."""
    indent = "    " * (loops + 1)
    for item in body:
        if isinstance(item, Statement):
            yield indent + item.text(loops), item
        else:
            yield f"{indent}for {'ijk'[loops]} in range(3):", None
            yield from lines(item, loops + 1)


@dataclass
class Element:
    """Half of a tile: what it holds, and the writes that have part in it."""

    value: Any
    writes: frozenset[int] = frozenset()


@dataclass
class Model:
    """Runs a nest element by element."""

    x: Any
    held: dict[str, list[Element]] = field(default_factory=dict)
    paths: list[dict[int, int]] = field(default_factory=list)  # of each write: the iteration of each loop around
    path: dict[int, int] = field(default_factory=dict)
    executed: dict[tuple[int, int], list[tuple[int, bytes, bool]]] = field(default_factory=dict)
    seen: dict[int, set[str]] = field(default_factory=dict)  # by loop: the tiles that are read in it
    places: dict[int, tuple[str, str]] = field(default_factory=dict)  # by row: the tile and its part
    left: dict[int, set[int]] = field(default_factory=dict)  # by row: the elements that a loop left for others to read
    lost: set[int] = field(default_factory=set)

    def run(self, body: Body, rows: list[Any], loops: int = 0) -> None:
        for item, row in zip(body, rows, strict=True):
            if isinstance(item, Statement):
                self.step(item, row)
                continue
            loop = len(self.seen)
            self.seen[loop] = set()
            for iteration in range(3):
                self.path[loop] = iteration
                self.run(item, row, loops + 1)
            del self.path[loop]
            self.end(loop)

    def take(self, tile: str, part: str) -> list[Element]:
        for loop in self.path:
            self.seen[loop].add(tile)
        found = [self.held[tile][n] for n in PARTS[part]]
        self.lost |= {
            row for row, places in self.left.items() if self.places[row][0] == tile and places & {*PARTS[part]}
        }
        return found

    def step(self, one: Statement, row: int) -> None:
        taken = [self.take(tile, one.part) for tile in one.sources]
        here = len(self.paths)
        self.paths.append(dict(self.path))
        writes = frozenset(w for elements in taken for e in elements for w in e.writes)
        innermost = max(self.path, default=None)
        number = self.path[innermost] if one.row == "loop" and innermost is not None else 0
        for n in PARTS[one.part]:
            sources = [elements[PARTS[one.part].index(n)] for elements in taken]
            own = frozenset(w for e in sources for w in e.writes) | {here}
            values = [e.value for e in sources] or [self.x[number, :, 4 * n : 4 * n + 4]]
            self.held[one.dst][n] = Element(values[0] if len(values) == 1 else values[0] + values[1], own)
        value = b"".join(self.held[one.dst][n].value.tobytes() for n in PARTS[one.part])
        for loop, iteration in self.path.items():
            carried = any(self.paths[w].get(loop, iteration) < iteration for w in writes)
            self.executed.setdefault((loop, row), []).append((iteration, value, carried))
        self.places[row] = one.dst, one.part
        for other, places in self.left.items():
            if self.places[other][0] == one.dst:
                places -= {*PARTS[one.part]}

    def end(self, loop: int) -> None:
        for (of, row), events in self.executed.items():
            if of == loop and self.overwritten(events):
                tile, part = self.places[row]
                if tile not in self.seen[loop]:
                    self.left[row] = {*PARTS[part]}

    @staticmethod
    def overwritten(events: list[tuple[int, bytes, bool]]) -> bool:
        pairs = [(a, b) for a, b in itertools.pairwise(events) if a[0] != b[0]]
        return any(a[1] != b[1] for a, b in pairs) and not any(b[2] for _, b in pairs)


def numbered(body: Body, rows: Iterator[int]) -> list[Any]:
    """The row of each statement, in the form of the body; the line of a loop has one of its own."""
    found: list[Any] = []
    for item in body:
        row = next(rows)
        found.append(row if isinstance(item, Statement) else numbered(item, rows))
    return found


def rows_told(source: str, x: Any, words: str = "each iteration") -> set[int]:
    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    space: dict[str, Any] = {"__name__": "kernels", "__file__": FILE}
    exec(compile(source, FILE, "exec"), space)
    seen = reference_sim.observe(space["kernel"], [x], target="trn2")
    assert seen.stopped is None
    return {f.at.row for f in seen.findings if f.code == "NKI708" and words in f.message}


SUM = Statement("a", ("a", "b"), "")
LOAD = Statement("b", (), "", "loop")
FIRST = Statement("b", (), "")


@given(program=PROGRAMS)
@example(program=((LOAD, Statement("a", ("b",), "")),))
@example(program=((LOAD, SUM, Statement("c", ("a",), "")),))
@example(program=((Statement("c", ("b",), ""), LOAD),))
@example(program=(((LOAD, Statement("c", ("b",), "")),),))
@example(program=((FIRST, (Statement("a", ("b",), ""), Statement("b", (), "[:, 0:4]"))),))
@settings(max_examples=60, deadline=None)
def test_what_a_run_calls_lost_is_lost(program: Body) -> None:
    begin = [f"    {t} = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)" for t in TILES]
    begin += [f"    nisa.memset(dst={t}, value=0.0)" for t in TILES]
    end = [f"    nisa.dma_copy(dst=output[{n}], src={t})" for n, t in enumerate(TILES)]
    body = [text for text, _ in lines(program)]
    source = HEAD + "\n".join([*begin, *body, *end, "    return output", ""])
    first = HEAD.count("\n") + len(begin) + 1
    rows = iter(range(first, first + len(body)))
    x = np.random.default_rng(0).random((3, 128, 8), np.float32)
    zeros = np.zeros((128, 4), np.float32)
    model = Model(x, {t: [Element(zeros), Element(zeros)] for t in TILES})
    model.run(program, numbered(program, rows))
    for tile in TILES:
        model.take(tile, "")
    told = rows_told(source, x)
    assert told <= model.lost, source
    if all(s.part == "" for _, s in lines(program) if s is not None):
        assert told == model.lost, source


@dataclass
class Straight:
    """Which writes are overwritten by another statement, element by element, before anything reads them."""

    here: dict[tuple[str, int], int] = field(default_factory=dict)  # by element: the number of the execution
    rows: list[int] = field(default_factory=list)  # by execution
    left: list[set[tuple[str, int]]] = field(default_factory=list)  # by execution: its elements that are still there
    is_kept: list[bool] = field(default_factory=list)

    def run(self, body: Body, rows: list[Any]) -> None:
        for item, row in zip(body, rows, strict=True):
            if isinstance(item, Statement):
                self.step(item, row)
                continue
            for _ in range(3):
                self.run(item, row)

    def take(self, tile: str, part: str) -> None:
        for n in PARTS[part]:
            if (tile, n) in self.here:
                self.is_kept[self.here[tile, n]] = True

    def step(self, one: Statement, row: int) -> None:
        for tile in one.sources:
            self.take(tile, one.part)
        for n in PARTS[one.part]:
            if (one.dst, n) in self.here:
                before = self.here[one.dst, n]
                self.left[before].discard((one.dst, n))
                self.is_kept[before] = self.is_kept[before] or self.rows[before] == row
            self.here[one.dst, n] = len(self.rows)
        self.rows.append(row)
        self.left.append({(one.dst, n) for n in PARTS[one.part]})
        self.is_kept.append(False)

    def always_lost(self) -> set[int]:
        kept = {row for row, left, is_kept in zip(self.rows, self.left, self.is_kept, strict=True) if left or is_kept}
        return set(self.rows) - kept


@given(program=PROGRAMS)
@example(program=(Statement("a", (), "[:, 0:4]"), Statement("a", (), "")))
@example(program=(FIRST, Statement("a", ("b",), ""), Statement("a", ("b", "b"), "")))
@example(program=(FIRST, Statement("b", ("b", "b"), ""), FIRST))
@settings(max_examples=60, deadline=None)
def test_what_a_run_calls_overwritten_unread_is(program: Body) -> None:
    begin = [f"    {t} = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)" for t in TILES]
    begin += [f"    nisa.memset(dst={t}, value=0.0)" for t in TILES]
    end = [f"    nisa.dma_copy(dst=output[{n}], src={t})" for n, t in enumerate(TILES)]
    body = [text for text, _ in lines(program)]
    source = HEAD + "\n".join([*begin, *body, *end, "    return output", ""])
    first = HEAD.count("\n") + len(begin) + 1
    model = Straight()
    model.run(program, numbered(program, iter(range(first, first + len(body)))))
    for tile in TILES:
        model.take(tile, "")
    x = np.random.default_rng(0).random((3, 128, 8), np.float32)
    assert rows_told(source, x, "before anything reads it") <= model.always_lost(), source


def test_a_run_tells_of_what_is_overwritten_unread() -> None:
    source = HEAD + dedent(
        """\
        a = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x[0])
        nisa.dma_copy(dst=a, src=x[1])
        nisa.dma_copy(dst=output[0], src=a)
        return output
        """
    ).replace("\n", "\n    ").join(("    ", "\n"))
    row = HEAD.count("\n") + 2
    assert rows_told(source, np.random.default_rng(0).random((3, 128, 8), np.float32), "before") == {row}
