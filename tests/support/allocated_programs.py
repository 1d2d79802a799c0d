"""Random kernels over directly allocated tensors, and what happens to their data by brute force.

A program is a list of statements: loops, allocations, writes (loads), reads (stores) and copies of parts of tiles. It
can be spelled as a Beta 1 kernel, and run on a memory that remembers who wrote each byte, and when.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from hypothesis import strategies as st

ITEM = 4  # bytes of a float32
ROWS = 32  # partitions of every tile


@dataclass(frozen=True, slots=True)
class Tensor:
    """`blocks` tiles of `ROWS` x `width`; `placement` is ("mod", base, counts), ("table", bytes by block index) or
    ("formula", an expression over the block index)."""

    name: str
    blocks: tuple[int | str, ...]  # a number, or the name of a size
    width: int
    placement: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """`a*i + b*j + c`."""

    weights: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    def at(self, loops: Mapping[str, int]) -> int:
        return self.constant + sum(w * loops[name] for name, w in self.weights)

    def __str__(self) -> str:
        parts = [name if w == 1 else f"{w} * {name}" for name, w in self.weights]
        return " + ".join([*parts, *([str(self.constant)] if self.constant or not parts else [])])


@dataclass(frozen=True, slots=True)
class Part:
    """Columns `start` to `stop` of one tile, on the first `rows` partitions."""

    tensor: Tensor
    index: tuple[Index, ...]
    start: int
    stop: int
    rows: int = ROWS

    def __str__(self) -> str:
        index = "".join(f"{i}, " for i in self.index)
        return f"{self.tensor.name}[{index}0:{self.rows}, {self.start}:{self.stop}]"


@dataclass(frozen=True, slots=True)
class Make:
    tensor: Tensor


@dataclass(frozen=True, slots=True)
class Write:
    part: Part


@dataclass(frozen=True, slots=True)
class Read:
    part: Part


@dataclass(frozen=True, slots=True)
class Copy:
    target: Part
    source: Part


@dataclass(frozen=True, slots=True)
class Loop:
    variable: str
    trips: int | str
    kind: str
    body: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Program:
    body: tuple[Any, ...]
    sizes: tuple[str, ...] = ()


# --- as a kernel ---------------------------------------------------------------------------------------------------


def kernel(program: Program, name: str) -> str:
    """The source of the program."""
    inputs = "".join(f", {size.lower()}_like" for size in program.sizes)
    specification = "source: float32[32, 8]" + "".join(f", {s.lower()}_like: float32[{s}]" for s in program.sizes)
    lines = [f"# nkilint: {specification}", "@nki.jit", f"def {name}(source{inputs}):"]
    lines += [f"    {size} = {size.lower()}_like.shape[0]" for size in program.sizes]
    lines.append("    output = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.shared_hbm)")
    lines += [f"    {line}" for statement in program.body for line in _lines(statement)]
    return "\n".join([*lines, "    return output", "", ""])


def _lines(statement: Any) -> Iterator[str]:
    if isinstance(statement, Loop):
        yield f"for {statement.variable} in nl.{statement.kind}({statement.trips}):"
        yield from (f"    {line}" for inner in statement.body for line in _lines(inner))
    elif isinstance(statement, Make):
        yield from _allocation(statement.tensor)
    elif isinstance(statement, Write):
        part = statement.part
        yield f"{part} = nl.load(source[0:{part.rows}, {part.start}:{part.stop}])"
    elif isinstance(statement, Read):
        part = statement.part
        yield f"nl.store(output[0:{part.rows}, {part.start}:{part.stop}], value={part})"
    else:
        yield f"{statement.target} = nl.copy({statement.source})"


def _allocation(tensor: Tensor) -> Iterator[str]:
    sizes = "".join(f"{b}, " for b in tensor.blocks)
    if tensor.placement[0] == "mod":
        _, base, counts = tensor.placement
        buffer = f"ncc.sbuf.mod_alloc(base_addr={base}, num_free_tiles=({''.join(f'{c}, ' for c in counts)}))"
    elif tensor.placement[0] == "table":
        yield f"places_{tensor.name} = {dict(tensor.placement[1])!r}"
        buffer = f"ncc.sbuf.alloc(lambda idx, pdim_size, fdim_size: (0, places_{tensor.name}[idx]))"
    else:
        buffer = f"ncc.sbuf.alloc(lambda idx, pdim_size, fdim_size: (0, {tensor.placement[1]}))"
    yield f"{tensor.name} = nl.ndarray(({sizes}nl.par_dim({ROWS}), {tensor.width}), dtype=nl.float32, buffer={buffer})"


HEADER = """\
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl


"""


# --- by brute force ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Memory:
    """Who wrote each byte and when, and when each element of a tile was written last."""

    sizes: Mapping[str, int]
    clock: int = 0
    instances: dict[str, int] = field(default_factory=dict)
    writers: dict[tuple[int, int], list[tuple[Any, int]]] = field(default_factory=dict)  # of each byte, oldest first
    written: dict[tuple[Any, int, int], int] = field(default_factory=dict)
    conflicts: set[tuple[str, str]] = field(default_factory=set)  # tensor that is read, tensor that overwrote it

    def size(self, value: int | str) -> int:
        return value if isinstance(value, int) else self.sizes[value]

    def run(self, body: Sequence[Any], loops: Mapping[str, int]) -> None:
        for statement in body:
            if isinstance(statement, Loop):
                for i in range(self.size(statement.trips)):
                    self.run(statement.body, {**loops, statement.variable: i})
            elif isinstance(statement, Make):
                self.instances[statement.tensor.name] = self.instances.get(statement.tensor.name, 0) + 1
            elif isinstance(statement, Write):
                self.write(statement.part, loops)
            elif isinstance(statement, Read):
                self.read(statement.part, loops)
            else:
                self.read(statement.source, loops)
                self.write(statement.target, loops)

    def elements(self, part: Part, loops: Mapping[str, int]) -> Iterator[tuple[Any, int, int, int]]:
        """Tile, row, column and first byte. One row stands for those that are alike."""
        block = tuple(i.at(loops) for i in part.index)
        tile = (part.tensor.name, self.instances[part.tensor.name], block)
        byte = self.address(part.tensor, block)
        for row in (0, ROWS // 2 - 1, ROWS // 2, ROWS - 1):
            if row < part.rows:
                for column in range(part.start, part.stop):
                    yield tile, row, column, byte + column * ITEM

    def address(self, tensor: Tensor, block: tuple[int, ...]) -> int:
        kind = tensor.placement[0]
        if kind == "table":
            return dict(tensor.placement[1])[block]  # type: ignore[no-any-return]
        if kind == "formula":
            return eval(tensor.placement[1], {"idx": block, "fdim_size": tensor.width * ITEM})  # type: ignore[no-any-return]
        _, base, counts = tensor.placement
        turn = 0
        for i, count in zip(block, counts, strict=True):
            turn = turn * self.size(count) + i % self.size(count)
        return int(base + turn * tensor.width * ITEM)

    def write(self, part: Part, loops: Mapping[str, int]) -> None:
        self.clock += 1
        for tile, row, column, byte in self.elements(part, loops):
            self.written[tile, row, column] = self.clock
            for b in range(byte, byte + ITEM):
                self.writers.setdefault((row, b), []).append((tile, self.clock))

    def read(self, part: Part, loops: Mapping[str, int]) -> None:
        self.clock += 1
        for tile, row, column, byte in self.elements(part, loops):
            mine = self.written.get((tile, row, column))
            if mine is None:
                continue
            for b in range(byte, byte + ITEM):
                for other, when in reversed(self.writers.get((row, b), [])):
                    if when < mine:
                        break
                    if other != tile:
                        self.conflicts.add((tile[0], other[0]))


def conflicts(program: Program, sizes: Mapping[str, int] | None = None) -> set[tuple[str, str]]:
    """The pairs of tensors of which the first is overwritten through the second while it is needed."""
    memory = Memory(sizes or {})
    memory.run(program.body, {})
    return memory.conflicts


# --- at random -----------------------------------------------------------------------------------------------------


@st.composite
def programs(draw: Any, sizes: tuple[str, ...] = ()) -> Program:
    """One to three tensors, used in one to three phases."""
    count = draw(st.integers(1, 3))
    tensors = [draw(tensor(f"t{n}", sizes)) for n in range(count)]
    inside = [draw(st.integers(0, 3)) == 0 and not sizes for _ in tensors]
    hoisted = [t for t, inner in zip(tensors, inside, strict=True) if not inner]
    body: list[Any] = [Make(t) for t in hoisted]
    for phase in range(draw(st.integers(1, 3))):
        body.append(draw(nest(tensors, hoisted, phase, sizes)))
    return Program(tuple(body), sizes)


@st.composite
def tensor(draw: Any, name: str, sizes: tuple[str, ...]) -> Tensor:
    width = draw(st.sampled_from([1, 2, 3]))
    rank = draw(st.sampled_from([0, 1, 1, 1, 2]))
    if sizes:
        blocks: tuple[int | str, ...] = (sizes[0], *(draw(st.integers(1, 3)) for _ in range(rank - 1))) if rank else ()
    else:
        blocks = tuple(draw(st.integers(1, 6 if rank == 1 else 3)) for _ in range(rank))
    base = draw(st.integers(0, 8)) * ITEM
    kind = draw(st.sampled_from(["mod", "mod", "table", "formula"]))
    if kind == "table" and blocks and not sizes:
        indices = list(product(*(range(int(b)) for b in blocks)))
        table = tuple((i, draw(st.integers(0, 8)) * ITEM) for i in indices)
        return Tensor(name, blocks, width, ("table", table))
    if kind == "formula" and rank == 1:
        formula = draw(st.sampled_from(["idx[0] * fdim_size", "idx[0] % 2 * fdim_size", "(idx[0] // 2) * fdim_size"]))
        return Tensor(name, blocks, width, ("formula", f"{base} + {formula}"))
    counts = tuple(draw(st.sampled_from([1, 2, 2, 3, 4, *sizes])) for _ in blocks)
    return Tensor(name, blocks, width, ("mod", base, counts))


@st.composite
def nest(draw: Any, tensors: Sequence[Tensor], hoisted: Sequence[Tensor], phase: int, sizes: tuple[str, ...]) -> Loop:
    """A loop, perhaps with one inside; tensors that are not hoisted are made at its start."""
    outer, inner = f"i{phase}", f"j{phase}"
    kinds = st.sampled_from(["affine_range", "affine_range", "sequential_range"])
    trips = sizes[0] if sizes else draw(st.integers(1, 5))
    trips_inside = draw(st.integers(1, 3))
    local = [t for t in tensors if t not in hoisted]
    body: list[Any] = [Make(t) for t in local]
    around = {outer: trips}
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 3)) == 0:
            deeper = {outer: trips, inner: trips_inside}
            statements = tuple(draw(statement(tensors, deeper, sizes)) for _ in range(draw(st.integers(1, 3))))
            body.append(Loop(inner, trips_inside, draw(kinds), statements))
        else:
            body.append(draw(statement(tensors, around, sizes)))
    return Loop(outer, trips, draw(kinds), tuple(body))


@st.composite
def statement(draw: Any, tensors: Sequence[Tensor], loops: Mapping[str, int | str], sizes: tuple[str, ...]) -> Any:
    kind = draw(st.sampled_from([Write, Write, Read, Read, Copy]))
    first = draw(part(draw(st.sampled_from(tensors)), loops, sizes))
    if kind is not Copy:
        return kind(first)
    other = draw(st.sampled_from(tensors))
    width = min(first.stop - first.start, other.width)
    source = draw(part(other, loops, sizes))
    start = draw(st.integers(0, other.width - width))
    return Copy(
        Part(first.tensor, first.index, first.start, first.start + width, first.rows),
        Part(other, source.index, start, start + width, first.rows),
    )


@st.composite
def part(draw: Any, tensor: Tensor, loops: Mapping[str, int | str], sizes: tuple[str, ...]) -> Part:
    index = tuple(draw(block(size, loops, sizes)) for size in tensor.blocks)
    start = draw(st.integers(0, tensor.width - 1))
    stop = draw(st.integers(start + 1, tensor.width))
    if draw(st.integers(0, 2)):
        start, stop = 0, tensor.width
    return Part(tensor, index, start, stop, draw(st.sampled_from([ROWS, ROWS, ROWS // 2])))


@st.composite
def block(draw: Any, size: int | str, loops: Mapping[str, int | str], sizes: tuple[str, ...]) -> Index:
    """An index within the blocks."""
    choices: list[Index] = []
    if isinstance(size, str):
        choices = [Index(((name, 1),)) for name, trips in loops.items() if trips == size] * 3 + [Index()]
        return draw(st.sampled_from(choices))  # type: ignore[no-any-return]
    names = [(name, trips) for name, trips in loops.items() if isinstance(trips, int)]
    for name, trips in names:
        for weight in (1, 2):
            for constant in range(size):
                if weight * (trips - 1) + constant < size:
                    choices.append(Index(((name, weight),), constant))
    if len(names) == 2:
        (a, n), (b, m) = names
        if (n - 1) * m + m - 1 < size:
            choices += [Index(((a, m), (b, 1)))] * 2
    choices += [Index((), c) for c in range(size)][: 2 if choices else size]
    return draw(st.sampled_from(choices))  # type: ignore[no-any-return]
