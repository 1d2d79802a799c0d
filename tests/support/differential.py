"""Runs one kernel twice, in Python on numbers and in the evaluator on symbols, and compares what `reveal` is given.

In Python, `nl` is the small stand-in below: tensors there know which elements of which tensor a view shows, and whether
a subscript left its bounds. From the evaluator come symbolic values at symbolic iterations under path conditions; they
are put to the numbers of the Python run, iteration by iteration.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import dedent, indent
from types import SimpleNamespace
from typing import Any

import numpy as np

from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Event
from nkilint.evaluator.values.choices import Either
from nkilint.evaluator.values.containers import DictValue, ListValue, RangeValue
from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.grown import GrowingItems, GrownItems, LongTuple
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.objects import Instance
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic import Cond, Sym, Var
from nkilint.symbolic.evaluation import evaluate, holds, variables
from nkilint_rules.words.conditions import Unknown

from .checking import evaluations, report_on, reveal_events, text_of

Numbers = dict[Var, int]

HEAD = """\
import math
import numpy as np
import functools
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

"""


def kernel_source(body: str, module: str = "", grid: bool = False) -> str:
    """A file whose kernel has `n` and `m`, the sizes of its input, as free numbers."""
    first = "    p, q = nl.program_id(0), nl.num_programs(0)\n" if grid else ""
    return (
        f"{HEAD}{dedent(module)}\n@nki.jit\ndef kernel(a):\n    n, m = a.shape\n{first}"
        f"{indent(dedent(body), '    ')}\n    return a\n"
    )


# --- in Python ---


ITSELF = ("itself",)  # what a container holds that stands in itself


class Open(Exception):
    """A value has no number: the evaluator does not know it."""


@dataclass
class Tile:
    """A view of a tensor: for each of its dimensions the positions shown, and which of them left the bounds."""

    base: str
    places: tuple[np.ndarray[Any, Any], ...]
    outside: np.ndarray[Any, Any]

    @staticmethod
    def whole(name: str, shape: tuple[int, ...]) -> Tile:
        return Tile(name, tuple(np.indices(shape)), np.zeros(shape, bool))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.places[0].shape)

    def __getitem__(self, key: Any) -> Tile:
        parts = list(key) if isinstance(key, tuple) else [key]
        if Ellipsis in [p for p in parts if p is Ellipsis]:
            at = next(i for i, p in enumerate(parts) if p is Ellipsis)
            parts[at : at + 1] = [slice(None)] * (len(self.shape) - len(parts) + 1)
        parts += [slice(None)] * (len(self.shape) - len(parts))
        if any(isinstance(p, np.ndarray) for p in parts):
            chosen = np.broadcast_arrays(*(_positive(p, n) for p, n in zip(parts, self.shape, strict=True)))
        else:
            chosen = self._slices(parts)
        beyond = [(c < 0) | (c >= n) for c, n in zip(chosen, self.shape, strict=True)]
        inside = tuple(np.clip(c, 0, max(n - 1, 0)) for c, n in zip(chosen, self.shape, strict=True))
        if 0 in self.shape:
            raise IndexError("a tensor without elements")
        return Tile(
            self.base, tuple(p[inside] for p in self.places), np.logical_or.reduce([self.outside[inside], *beyond])
        )

    def _slices(self, parts: list[Any]) -> list[np.ndarray[Any, Any]]:
        ranges = []
        for position, (part, size) in enumerate(zip(parts, self.shape, strict=True)):
            if isinstance(part, slice):
                start = _counted(0 if part.start is None else part.start, size)
                stop = _counted(size if part.stop is None else part.stop, size)
                ranges.append(np.arange(start, max(stop, start), part.step or 1))
            else:
                where = np.array([_counted(part, size)])
                ranges.append(where if position == 0 else where[0])  # the partition dimension stays
        kept = [r for r in ranges if np.ndim(r)]
        shape = [len(r) for r in kept]
        while len(shape) < 2:
            shape.append(1)
        found, axis = [], 0
        for r in ranges:
            if not np.ndim(r):
                found.append(np.full(shape, r))
                continue
            index = [1] * len(shape)
            index[axis] = len(r)
            found.append(np.broadcast_to(r.reshape(index), shape))
            axis += 1
        return found

    def reshape(self, shape: Any) -> Tile:
        return Tile(self.base, tuple(p.reshape(tuple(shape)) for p in self.places), self.outside.reshape(tuple(shape)))


def _counted(position: int, size: int) -> int:
    return size + position if position < 0 else position


def _positive(position: Any, size: int) -> Any:
    return position if isinstance(position, np.ndarray) else np.array(_counted(position, size))


class Stop(Exception):
    """The kernel raised."""


@dataclass
class PythonRun:
    """What `reveal` was given, by row."""

    seen: dict[int, list[Any]] = field(default_factory=dict)
    raised: BaseException | None = None


def run_in_python(source: str, shape: tuple[int, ...], program: int = 0, programs: int = 1) -> PythonRun:
    """The kernel on an input of this shape."""
    run = PythonRun()

    def reveal(value: Any) -> Any:
        import sys

        row = sys._getframe(1).f_lineno
        run.seen.setdefault(row, []).append(plain(value))
        return value

    count = itertools.count()
    nl = SimpleNamespace(
        affine_range=range, sequential_range=range, static_range=range, par_dim=lambda n: n, float32="float32",
        ds=lambda start, size: slice(start, start + size), arange=np.arange, mgrid=_Mesh(), sbuf="sbuf",
        ndarray=lambda shape, **_: Tile.whole(f"tensor {next(count)}", tuple(shape)),
        program_id=lambda axis: program, num_programs=lambda axis: programs,
        tile_size=SimpleNamespace(pmax=128, psum_fmax=512, gemm_stationary_fmax=128, gemm_moving_fmax=512),
    )  # fmt: skip
    text = source.replace("import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n", "\n\n")
    names: dict[str, Any] = {
        "nl": nl,
        "nki": SimpleNamespace(jit=lambda f: f),
        "reveal": reveal,
        "__name__": "builtins",
    }
    try:
        exec(compile(text, "example.py", "exec", dont_inherit=True), names)
        names["kernel"](Tile.whole("a", shape))
    except (AssertionError, ZeroDivisionError, IndexError, KeyError, TypeError, ValueError, UnboundLocalError) as error:
        run.raised = error
    return run


class _Mesh:
    def __getitem__(self, key: Any) -> Any:
        grids = np.mgrid[key]
        return _Grids(grids)


class _Grids(list):  # type: ignore[type-arg]
    def __init__(self, grids: Any) -> None:
        super().__init__(grids)
        for name, grid in zip("pxyz", grids, strict=False):
            setattr(self, name, grid)


def plain(value: Any, around: tuple[int, ...] = ()) -> Any:
    """A value of the Python run in a form that can be compared; `around` are the containers that it stands in."""
    if id(value) in around:
        return ITSELF
    around = (*around, id(value))
    if isinstance(value, Tile):
        outside = ("outside",) if value.outside.any() else tuple(map(_array, value.places))
        return ("tile", value.shape, outside)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.ndarray):
        return ("grid", *_array(value))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__ if type(value) in (list, tuple) else "tuple", *(plain(v, around) for v in value))
    if isinstance(value, dict):
        return ("dict", *((plain(k), plain(v, around)) for k, v in value.items()))
    if isinstance(value, (set, frozenset)):
        return ("set", *sorted(map(plain, value), key=repr))
    if isinstance(value, slice):
        return ("slice", value.start, value.stop, value.step)
    if isinstance(value, range):
        return ("range", *value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, float):
        return ("float",)
    return value


def _array(value: Any) -> tuple[Any, ...]:
    array = np.asarray(value)
    if array.dtype == bool:
        return (array.shape, tuple(bool(v) for v in array.ravel()))
    return (array.shape, tuple(int(v) for v in array.ravel()))


# --- in the evaluator ---


@dataclass(frozen=True)
class Evaluated:
    """The evaluator's run, and how its report puts it."""

    run: Run
    unknown: tuple[str, ...]


def evaluate_symbolically(source: str) -> Evaluated:
    with evaluations() as found:
        report = report_on(source, "example.py")
    runs = [run for request, run in found if request.launch is None]
    assert not report.failures, report.failures[0].message
    about_python = (u for k in report.kernels for u in k.unknown if u.row)  # of the device these kernels ask nothing
    unknown = tuple(f"{u.code} on line {u.row}: {u.reason}" for u in about_python)
    return Evaluated(runs[-1], unknown)


def at_numbers(run: Run, shape: tuple[int, ...], program: int = 0, programs: int = 1) -> dict[int, list[Any]]:
    """What `reveal` is given for those inputs, by row."""
    numbers = inputs(run, shape)
    seen: dict[int, list[Any]] = {}
    for event in reveal_events(run):
        known = {**numbers, **_programs(event, program, programs)}
        for here in iterations(event, known):
            if all(truth(c, here) for c in event.site.conditions()):
                seen.setdefault(event.site.at.row, []).append(concrete(event.arguments["value"], here))
    return seen


def inputs(run: Run, shape: tuple[int, ...]) -> Numbers:
    numbers: Numbers = {}
    tensor = run.inputs["a"]
    if isinstance(tensor, InputTensor) and "view" in tensor.cell:
        for size, number in zip(tensor.cell["view"].shape, shape, strict=True):
            for variable in variables(size):
                numbers[variable] = number
    return numbers


def _programs(event: Event, program: int, programs: int) -> Numbers:
    found: Numbers = {}
    values = [event.arguments["value"], *event.site.conditions(), *(loop.trips for loop in event.site.loops)]
    for value in values:
        for variable in variables(*_symbolic(value), through_bounds=True):
            if variable.kind == "program":
                found[variable] = program
            elif variable.name.startswith("num_programs"):
                found[variable] = programs
    return found


def _symbolic(value: Any) -> Iterator[Any]:
    """The symbolic parts of a value."""
    if isinstance(value, (Sym, Cond)):
        yield value
    elif isinstance(value, View):
        yield from _symbolic((value.shape, value.index))
        yield from _symbolic(tuple((b.reach, b.size) for b in value.bounds))
    elif isinstance(value, Grid):
        yield from _symbolic((value.value, value.shape))
    elif isinstance(value, (ListValue, DictValue)) and isinstance(value.cell["items"], Unknown):
        return
    elif isinstance(value, ListValue):
        items = value.cell["items"]
        if isinstance(items, GrownItems):
            yield from _symbolic((items.before, items.added, items.trips))
        else:
            yield from _symbolic(items)
    elif isinstance(value, GrownItems):
        yield from _symbolic((value.before, value.added, value.trips))
    elif isinstance(value, DictValue):
        yield from _symbolic(tuple(value.items.values()))
    elif isinstance(value, tuple):
        for item in value:
            yield from _symbolic(item)
    elif isinstance(value, slice):
        yield from _symbolic((value.start, value.stop, value.step))
    elif isinstance(value, RangeValue):
        yield from _symbolic((value.start, value.stop, value.step))


def iterations(event: Event, numbers: Numbers) -> Iterator[Numbers]:
    """The numbers of each iteration of the loops around an event."""

    def nest(depth: int, known: Numbers) -> Iterator[Numbers]:
        if depth == len(event.site.loops):
            yield known
            return
        loop = event.site.loops[depth]
        for i in range(_number(loop.trips, known)):
            index = loop.index.variable
            assert isinstance(index, Var)
            yield from nest(depth + 1, {**known, index: i})

    return nest(0, numbers)


def truth(condition: Any, numbers: Mapping[Var, int]) -> bool:
    try:
        return holds(condition, numbers)
    except KeyError as error:
        raise Open(f"a condition has no truth: {error}") from None  # all of which may be too long to print


def _number(value: Any, numbers: Mapping[Var, int]) -> int:
    if isinstance(value, Unknown):
        raise Open(value.reason)
    try:
        return evaluate(value, numbers)
    except KeyError as error:
        raise Open(f"a value has no number: {error}") from None


def concrete(value: Any, numbers: Numbers) -> Any:
    """A value of the evaluator at these numbers, in the form of `plain`."""
    if isinstance(value, Either):
        return concrete(value.then if truth(value.condition, numbers) else value.otherwise, numbers)
    if isinstance(value, Unknown):
        raise Open(value.reason)
    if isinstance(value, InputTensor):
        value = value.cell.get("view", Unknown("an input of which nothing asked how many dimensions it has"))
        return concrete(value, numbers)
    if isinstance(value, View):
        return _view(value, numbers)
    if isinstance(value, Grid):
        shape = tuple(_number(s, numbers) for s in value.shape)
        return ("grid", shape, tuple(concrete(value.value, here) for here in _elements(shape, value.shape, numbers)))
    if isinstance(value, Sym):
        return _number(value, numbers)
    if isinstance(value, Cond):
        return truth(value, numbers)
    if isinstance(value, tuple):
        return ("tuple", *_all(value, numbers))
    if isinstance(value, LongTuple):
        return ("tuple", *_grown(value.items, numbers))
    if isinstance(value, (ListValue, DictValue)):
        return _content(value, value.cell["items"], numbers)
    if isinstance(value, slice):
        return ("slice", *_all((value.start, value.stop, value.step), numbers))
    if isinstance(value, RangeValue):
        return ("range", *range(*(_number(p, numbers) for p in (value.start, value.stop, value.step))))
    if isinstance(value, Instance) and value.cls.kind == "namedtuple":
        return ("tuple", *(concrete(value.attrs[name], numbers) for name, _ in value.cls.fields))
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, float) or text_of(value) in ("a Real", "a Quotient"):
        return ("float",)
    raise Open(f"{text_of(value)} has no Python value")


_entered: set[int] = set()  # the containers around the value at hand


def _content(container: ListValue | DictValue, items: Any, numbers: Numbers) -> Any:
    """What a list, a dict or a set holds."""
    if id(container.cell) in _entered:
        raise Open("a container that holds itself")
    _entered.add(id(container.cell))
    try:
        return _held(container, items, numbers)
    finally:
        _entered.discard(id(container.cell))


def _held(container: ListValue | DictValue, items: Any, numbers: Numbers) -> Any:
    if isinstance(items, GrowingItems):
        raise Open("a list that a loop extends")
    if isinstance(items, Either):
        return _held(container, items.then if truth(items.condition, numbers) else items.otherwise, numbers)
    if isinstance(items, Unknown):
        raise Open(items.reason)
    if isinstance(container, ListValue):
        return ("list", *(_grown(items, numbers) if isinstance(items, GrownItems) else _all(items, numbers)))
    if not container.is_set:
        return ("dict", *((concrete(k, numbers), concrete(v, numbers)) for k, v in items.items()))
    return ("set", *sorted(_all(tuple(items), numbers), key=repr))


def _all(values: tuple[Any, ...], numbers: Numbers) -> list[Any]:
    return [concrete(v, numbers) for v in values]


def _grown(items: GrownItems, numbers: Numbers) -> Iterator[Any]:
    yield from _grown(items.before, numbers) if isinstance(items.before, GrownItems) else _all(items.before, numbers)
    for i in range(_number(items.trips, numbers)):
        here = {**numbers, items.index.variable: i}
        yield from _grown(items.added, here) if isinstance(items.added, GrownItems) else _all(items.added, here)


def _elements(shape: tuple[int, ...], sizes: tuple[Any, ...], numbers: Numbers) -> Iterator[Numbers]:
    """The axis variables of each element, in row-major order."""
    from nkilint.evaluator.values.axes import axis

    axes = [axis(len(sizes) - 1 - d, n) for d, n in enumerate(sizes)]
    for place in itertools.product(*map(range, shape)):
        yield {**numbers, **{a.variable: i for a, i in zip(axes, place, strict=True) if isinstance(a, Sym)}}


def _view(view: View, numbers: Numbers) -> Any:
    if view.problem:
        raise Open(view.problem)
    if view.base.kind == "merged":
        raise Open(f"`{view.base.name}` is one of several tensors")
    shape = tuple(_number(s, numbers) for s in view.shape)
    elements = list(_elements(shape, view.shape, numbers))
    for bound in view.bounds:
        for here in elements:
            if not 0 <= _number(bound.reach, here) < _number(bound.size, here):
                return ("tile", shape, ("outside",))
    layout = tuple(_number(s, numbers) for s in view.layout)
    base = tuple(_number(s, numbers) for s in view.base.shape)
    places = []
    for here in elements:
        flat = 0
        for where, size in zip(view.index, layout, strict=True):
            flat = flat * size + _number(where, here)
        places.append(np.unravel_index(flat, base))
    columns = tuple((shape, tuple(int(p[d]) for p in places)) for d in range(len(base)))
    return ("tile", shape, columns)


# --- the comparison ---


@dataclass
class Outcome:
    """How the two runs compare: `wrong` where they differ, `open` where the evaluator does not know."""

    wrong: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


def compare(source: str, shapes: list[tuple[int, ...]], grid: bool = False) -> Outcome:
    """Python and the evaluator on the same kernel, for each shape of the input."""
    outcome = Outcome()
    evaluated = evaluate_symbolically(source)
    for shape in shapes:
        for program, programs in [(0, 2), (1, 2)] if grid else [(0, 1)]:
            wanted = run_in_python(source, shape, program, programs)
            try:
                found = at_numbers(evaluated.run, shape, program, programs)
            except Open as reason:
                outcome.open.append(f"{shape}: {reason}")
                continue
            for row in sorted({*wanted.seen, *found}):
                a, b = Counter(map(repr, wanted.seen.get(row, []))), Counter(map(repr, found.get(row, [])))
                if a != b:
                    missing, extra = list((a - b).elements()), list((b - a).elements())
                    outcome.wrong.append(f"{shape} line {row}: Python has {missing[:3]}, the evaluator {extra[:3]}")
    outcome.open += evaluated.unknown
    return outcome


def check_same(body: str, module: str = "", shapes: Any = None, grid: bool = False, known: bool = True) -> None:
    """Both runs agree; with `known`, the evaluator leaves nothing open."""
    source = kernel_source(body, module, grid)
    outcome = compare(source, shapes or [(1, 1), (2, 3), (3, 5), (4, 4), (7, 2), (128, 4)], grid)
    assert not outcome.wrong, "\n".join([*outcome.wrong, source])
    if known:
        assert not outcome.open, "\n".join([*outcome.open, source])


__all__ = ["check_same", "compare", "kernel_source", "math"]
