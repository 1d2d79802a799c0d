"""The memory map of a kernel: what stands where on the chip, statement by statement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from nkilint.base.findings import MemoryMap, Resident, Step
from nkilint.evaluator.device.placement.extent import physical_tiles, spots
from nkilint.evaluator.device.placement.place import Placement, places
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Trace, over_ranges
from nkilint.prover import Prover
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.formulas import Formula, attempted
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.placing.places import limit
from nkilint_rules.words.conditions import Unknown, product
from nkilint_rules.words.memory import PSUM, SBUF
from nkilint_rules.words.records import dataclass

from .lives import Life, lives

Model = Mapping[Var, int]
Shown = Callable[[Any, Model], Any]
LARGER = (512, 128, 8, 2)  # sizes of inputs to draw the map for, where the kernel admits them
MOST_SPOTS = 64  # places of one tensor that are given as formulas
ITEMSIZE = 4  # bytes of an element, where nothing tells the dtype


@dataclass(slots=True)
class _Line:
    """A statement: its file and row, the names of the loops around it, and its positions in the trace."""

    file: str
    row: int
    loops: tuple[str, ...]
    positions: list[int] = field(default_factory=list)


def memory_map(
    run: Run, prover: Prover, contract: Sequence[Cond], lost: Collection[tuple[int, int]], shown: Shown
) -> MemoryMap | None:
    """The map of one evaluation, for some of the inputs that it stands for; None where nothing is on chip.

    These keep to `contract` where that can be. `lost` says on which rows a tensor (by its id) is read after it was
    overwritten; `shown` puts an input into words.
    """
    trace = run.trace
    found = lives(trace)
    if not found or trace.target is None or run.request is None:
        return None
    placed = places(trace)
    sample = _sample(trace, prover, contract, placed.values(), found)
    lines = _lines(trace, sorted({p for life in found for p in (*life.writes, *life.reads)}))
    residents = [_resident(life, placed.get(id(life.base)), lines, sample.model, lost, trace) for life in found]
    inputs = {name: shown(value, sample.model) for name, value in run.inputs.items()} | sample.given
    return MemoryMap(
        str(trace.target),
        inputs,
        {memory: limit(memory, trace.target, run.request.dialect) for memory in (SBUF, PSUM)},
        trace.target.psum_bank_bytes,
        tuple(Step(line.row, line.loops, line.file) for line in lines),
        tuple(r for r in residents if r is not None),
        sample.sizes,
        sample.itemsizes,
        tuple((str(c), f) for c in sample.admitted if (f := attempted(c)) is not None),
    )


# --- numbers ---


@dataclass(frozen=True, slots=True)
class _Sample:
    """Numbers for inputs that meet the conditions `admitted`. `given` are those that nothing but the map fixes."""

    model: Model
    admitted: Sequence[Cond]
    given: dict[str, int]
    sizes: dict[str, int]
    itemsizes: dict[str, int]


def _sample(
    trace: Trace, prover: Prover, contract: Sequence[Cond], placed: Collection[Placement], found: Sequence[Life]
) -> _Sample:
    """Numbers for the inputs that the kernel admits, not the smallest ones if it admits larger ones too."""
    last = trace.events[-1].site.conditions()
    known = [c for c in last if isinstance(c, Cond)]
    wanted = [*known, *contract] if prover.decide(False, [*known, *contract]).model else known
    facts = [c for c in wanted if all(v.kind == "input" for v in variables(c))]
    sizes = [n for life in found for n in life.base.shape]
    starts = [n for place in placed for n in (place.partition, place.byte)]
    widths = [getattr(life.base.dtype, "itemsize", 1) for life in found]
    needed = {v: None for n in (*sizes, *starts, *widths) if isinstance(n, Sym) for v in variables(n)}
    free = [v for v in needed if v.kind == "input"]
    model = _model(prover, facts, [v for v in free if not _is_itemsize(v)])
    chosen = {
        v: ITEMSIZE if _is_itemsize(v) else (v.low if isinstance(v.low, int) else 1) for v in free if v not in model
    }
    whole = {**chosen, **model}
    open_sizes = {v.name: whole[v] for v in free if not _is_itemsize(v)}
    itemsizes = {v.name: whole[v] for v in free if _is_itemsize(v)}
    return _Sample(whole, facts, {v.name: n for v, n in chosen.items()}, open_sizes, itemsizes)


def _is_itemsize(variable: Var) -> bool:
    return variable.name.startswith("itemsize(")


def _model(prover: Prover, facts: Sequence[Cond], free: Sequence[Var]) -> Model:
    """Numbers that meet the facts; one input after the other gets the largest of `LARGER` that it can reach."""
    known = list(facts)
    model: Model = dict(prover.decide(False, known).model)
    for variable in free:
        for least in LARGER:
            enough = Sym({(variable,): 1}, 0) >= least
            found = prover.decide(False, [*known, enough]).model if isinstance(enough, Cond) else {}
            if found:
                model, known = dict(found), [*known, enough]
                break
    return model


def _number(value: Any, model: Model) -> Any:
    return substitute(value, dict(model.items())) if isinstance(value, Sym) else value


def _product(sizes: Sequence[Any], model: Model) -> int:
    """The product of sizes; 0 where one is no number."""
    total = 1
    for size in sizes:
        number = _number(size, model)
        total = total * number if isinstance(number, int) else 0
    return total


# --- statements ---


def _lines(trace: Trace, positions: Sequence[int]) -> list[_Line]:
    """The statements; what stands on one row in one go is one."""
    lines: list[_Line] = []
    before: Any = None
    for position in positions:
        site = trace.events[position].site
        key = (site.at.row, site.callers, site.loops, over_ranges(site.unrolled))
        if key != before:
            lines.append(_Line(site.at.file, site.at.row, tuple(loop.name for loop in site.loops)))
        lines[-1].positions.append(position)
        before = key
    return lines


def _resident(
    life: Life,
    place: Placement | None,
    lines: Sequence[_Line],
    model: Model,
    lost: Collection[tuple[int, int]],
    trace: Trace,
) -> Resident | None:
    """The tensor in the map; None for a result that its own statement uses up."""
    base = life.base
    marks = "".join(_marks(life, lines, lost))
    if base.kind == "result" and len(marks.strip()) <= 1:
        return None
    itemsize = getattr(base.dtype, "itemsize", 0)
    extent = () if isinstance(itemsize, Unknown) else (*base.shape[base.blocks + 1 :], itemsize)
    known = physical_tiles(place, model) if place is not None else None
    open_spots = spots(place, MOST_SPOTS) if known and place is not None else None
    return Resident(
        base.name or _made_by(life, trace),
        base.at,
        str(base.memory),
        tuple((r.byte, r.end, r.partition, r.last) for r in known or ()),
        _product(base.shape[: base.blocks], model),
        _product(extent, model) if extent else 0,
        marks,
        attempted(product((*base.shape[: base.blocks], *extent))) if extent else None,
        _formulas(open_spots),
    )


def _formulas(spots: Sequence[Sequence[Any]] | None) -> Formula:
    """The places as formulas, where all have one."""
    found = [tuple(map(attempted, spot)) for spot in spots or ()]
    return tuple(found) if found and all(None not in spot for spot in found) else None


def _marks(life: Life, lines: Sequence[_Line], lost: Collection[tuple[int, int]]) -> Iterator[str]:
    for line in lines:
        if not life.reads.isdisjoint(line.positions):
            gone = (id(life.base), line.row) in lost
            yield "!" if gone else "R" if life.writes.isdisjoint(line.positions) else "W"
        elif not life.writes.isdisjoint(line.positions):
            yield "W"
        else:
            yield "-" if life.start <= line.positions[-1] < life.end else " "


def _made_by(life: Life, trace: Trace) -> str:
    """The operation whose result a tensor without a name is."""
    operation = trace.events[min(life.writes)].operation
    return operation.leaf if operation is not None else ""
