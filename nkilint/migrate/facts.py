"""What the evaluator knows of every expression in the kernels of some files."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from nkilint.base import ir
from nkilint.base.options import Options
from nkilint.base.source import SourceError
from nkilint.evaluator.device.placement.place import ARGUMENT, block_variables
from nkilint.evaluator.kernels.hostrun import find_launches
from nkilint.evaluator.kernels.kernel import evaluate_kernel
from nkilint.evaluator.kernels.likely_ranks import likely_ranks
from nkilint.evaluator.kernels.open_numbers import open_numbers
from nkilint.evaluator.kernels.requests import Request, Run, Variation, launch_problem
from nkilint.evaluator.kernels.variants import Coverage, opened, strings_looked_for
from nkilint.evaluator.state.modules import Modules
from nkilint.evaluator.state.trace import Event, Site
from nkilint.evaluator.values.containers import ListValue
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.objects import Instance
from nkilint.evaluator.values.tensors import View
from nkilint.project.callers import called_by_kernels
from nkilint.project.discovery import Kernel, discover
from nkilint.project.imports import Imports
from nkilint.project.specs import Specification
from nkilint.prover import Prover
from nkilint.run.engine import RECURSION
from nkilint.run.requests import launched_ranks, request_for
from nkilint.symbolic.atoms import start_afresh
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.targets import DEFAULT_TARGET, TARGETS

from .aligned import Places, lacking
from .masks import lets_some_through
from .questions import Asking, named

Place = tuple[int, int, int, int]
"""Row and column of begin and end, as in `Span`."""

_LAUNCHES = 4  # of one kernel that are looked at
_VARIANTS = 6  # times that a kernel is evaluated with other values than its defaults
_STRINGS = 3  # that a parameter is compared with, with each of which a kernel is evaluated
DEFAULTS, VARIED, LAUNCHED, ALONE = 1, 2, 1000, 2000
"""Ranks of evaluations besides the one for all inputs: with the numbers that are defaults, which that one has open;
from there on, of kernels with other values than defaults; of launches, whose sizes are not those of others; and from
there on, of kernels that others call, as if nobody did. Of all but launches, even ranks have these numbers open, and
each has the one behind it with them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The value that an expression had, and in what evaluation: `rank` is 0 for all inputs, then see above, and `run`
    counts them. `some` says of a mask that it is proved to let through some element of each axis that it bounds."""

    value: Any
    rank: int
    run: int
    some: bool = False
    site: Site | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an evaluation put the tiles of a tensor: partition and byte over the indices of its blocks, or why that is
    not known."""

    rank: int
    blocks: tuple[Any, ...]
    place: Any


@dataclass
class Facts:
    """By absolute path and place, the values that expressions take; why the evaluation of a kernel stopped."""

    seen: dict[str, dict[Place, list[Seen]]] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    inner: set[tuple[str, str]] = field(default_factory=set)  # kernels that others call, by file and name
    launched: set[tuple[str, str]] = field(default_factory=set)  # kernels that the host calls
    reached: dict[tuple[str, str], set[tuple[str, int]]] = field(default_factory=dict)  # by kernel, files and rows
    grids: dict[tuple[str, str], set[tuple[Any, ...]]] = field(default_factory=dict)  # by kernel, those of its launches
    open_grids: set[tuple[str, str]] = field(default_factory=set)  # kernels launched on grids that are not known
    sites: dict[tuple[str, str], set[tuple[str, int]]] = field(default_factory=dict)  # by kernel, its launches
    devices: set[tuple[str, str]] = field(default_factory=set)  # functions that run on the device
    kernels: tuple[Kernel, ...] = ()
    outputs: dict[tuple[str, int, int], set[bool]] = field(default_factory=dict)
    """By creation of a tensor, whether a kernel of the host returns it, in each evaluation."""
    placed: dict[str, dict[Place, list[Placed]]] = field(default_factory=dict)  # by creation of a tensor
    runs: int = 0

    @cached_property
    def prover(self) -> Prover:
        """For questions about what was seen."""
        return Prover(Options().solver_budget)

    def everywhere(self, file: str, place: Place) -> list[Seen]:
        """What was seen of an expression in all evaluations."""
        return [s for s in self.seen.get(file, {}).get(place, ()) if not isinstance(s.value, Unknown)]

    def by_defaults(self, file: str, place: Place) -> bool:
        """Whether numbers that are defaults tell what an expression is, and where they are open nothing does."""
        return self._doubted(file, place) and not any(
            s.rank % 2 == 0 and s.rank != LAUNCHED for s in self.everywhere(file, place)
        )

    def partly_by_defaults(self, file: str, place: Place) -> bool:
        """Whether that is so where some other default has another value, at least."""
        return self._doubted(file, place)

    def _doubted(self, file: str, place: Place) -> bool:
        seen = self.seen.get(file, {}).get(place, ())
        known = {s.rank for s in seen if not isinstance(s.value, Unknown)}
        open_ = {s.rank for s in seen if s.rank % 2 == 0 and s.rank != LAUNCHED} - known
        return any(rank + DEFAULTS in known for rank in open_)

    def of(self, file: str, place: Place, rank: int | None = None) -> list[Seen]:
        """What was seen of an expression, in the evaluations of that rank or else in those that say most; nothing
        unknown is among it."""
        found = self.everywhere(file, place)
        ranks = {s.rank for s in found}
        chosen = rank if rank in ranks else min(ranks, default=0)
        return [s for s in found if s.rank == chosen]


def gather(
    paths: Iterable[Path], options: Options, overlay: Mapping[str, bytes], through: Collection[str] | None = None
) -> Facts:
    """What is known of the expressions in all kernels of `paths`, and in the functions that they call; where some files
    are given, of kernels of `nki` in those alone that run through these."""
    facts, found = _gathered(paths, options, overlay, {}, through)
    return _gathered(paths, options, overlay, found, through)[0] if found else facts


def _gathered(
    paths: Iterable[Path],
    options: Options,
    overlay: Mapping[str, bytes],
    wanting: Places,
    through: Collection[str] | None,
) -> tuple[Facts, Places]:
    """What is known where the subscripts at some places get an axis, and at which ones grids lack it."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    project = Asking([str(p) for p in paths], overlay, options.search_paths, wanting)
    imports, modules, facts = Imports(project), [], Facts()
    for file in project.targets():
        try:
            modules.append(project.module(file))
        except SourceError:
            continue
    kernels = facts.kernels = discover(imports, modules).kernels
    called = called_by_kernels(kernels, [imports.scope(m) for m in modules])
    target = TARGETS[options.target or DEFAULT_TARGET]
    values = Modules(project.resolve)
    names = frozenset(k.function.name for k in kernels)
    launches: dict[int, list[Any]] = {}
    for module in modules:
        start_afresh()
        for launch in find_launches(module, values, target, names)[0]:
            launches.setdefault(id(launch.function.node), []).append(launch)
    for kernel in sorted(kernels, key=lambda k: id(k.function) in called):  # callers say what those called are given
        place = os.path.abspath(kernel.module.path), kernel.function.name
        facts.devices.add(place)
        facts.inner |= {place} if id(kernel.function) in called else set()
        given = launches.get(id(kernel.function), [])
        facts.launched |= {place} if given else set()
        grids = [tuple(getattr(n, "size", n) for n in launch.grid) for launch in given]
        facts.open_grids |= {place} if any(not isinstance(n, int) for g in grids for n in g) else set()
        facts.grids.setdefault(place, set()).update(g for g in grids if all(isinstance(n, int) for n in g))
        facts.sites.setdefault(place, set()).update(
            (os.path.abspath(launch.at.file), launch.at.row) for launch in given
        )
        inner = id(kernel.function) in called
        request, _ = request_for(kernel, options, imports, inner)
        request = replace(request, ranks=launched_ranks(request, given))
        request = replace(request, function=_annotated(request.function, facts)) if inner else request
        evaluation = _Evaluation(kernel, values, target, options, facts, through)
        evaluation.of_all(request, ALONE if inner else 0)
        for each in _launched(request, given):
            evaluation.of(each, LAUNCHED)
    return facts, lacking(modules, facts, project.helpers)


def _annotated(function: ir.FunctionDef, facts: Facts) -> ir.FunctionDef:
    """A function with the classes of the objects that its callers hand to it."""
    return replace(function, params=tuple(_with_class(p, facts) for p in function.params))


def _with_class(parameter: ir.Param, facts: Facts) -> ir.Param:
    at = named(parameter)
    place = (at.row, at.column, at.end_row, at.end_column)
    seen = [s.value for s in facts.everywhere(os.path.abspath(at.file), place) if s.rank < ALONE]
    given = [value for value in seen if not isinstance(value, InputTensor)]
    classes = {value.cls.name for value in given if isinstance(value, Instance) and value.cls.kind == "dataclass"}
    if parameter.annotation is not None or len(classes) != 1 or not all(isinstance(v, Instance) for v in given):
        return parameter
    return replace(parameter, annotation=ir.Name(parameter.at, classes.pop()))


def _launched(request: Request, launches: Iterable[Any]) -> Iterable[Request]:
    """The first launches of a kernel."""
    for launch in list(launches)[:_LAUNCHES]:
        concrete = replace(request, launch=launch, specification=Specification())
        if launch_problem(concrete) is None:
            yield concrete


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """One kernel, evaluated for what it may be given; `facts` take in what is seen."""

    kernel: Kernel
    values: Modules
    target: Any
    options: Options
    facts: Facts
    through: Collection[str] | None

    def of(self, request: Request, rank: int) -> Run | None:
        """The run for a request; None where this tool fails on it."""
        run = self._run(request, rank)
        if run is not None:
            self._note(run, rank)
        return run

    def _run(self, request: Request, rank: int, ranks: Mapping[str, int] | None = None) -> Run | None:
        facts, options, start = self.facts, self.options, f"{self.kernel.module.path}::{self.kernel.name}"
        start_afresh()
        implied = Prover(options.solver_budget).implied
        whole = self.kernel.function.whole
        rows = facts.reached.setdefault((os.path.abspath(self.kernel.module.path), self.kernel.name), set())
        rows.update((os.path.abspath(whole.file), row) for row in range(whole.row, whole.end_row + 1))
        try:
            return evaluate_kernel(
                request, self.values, self.target, implied, options.nki_version, options.step_budget, ranks
            )
        except Exception as fault:  # what is known of other kernels serves all the same
            if rank == 0:
                return None
            facts.stopped[start] = f"{type(fault).__name__} in the evaluation"
            return None

    def _note(self, run: Run, rank: int) -> None:
        """What is seen in a run."""
        facts, start = self.facts, f"{self.kernel.module.path}::{self.kernel.name}"
        facts.runs += 1
        prover = Prover(self.options.solver_budget)
        if run.trace.stopped and rank == DEFAULTS:
            facts.stopped[start] = run.trace.stopped
        place = os.path.abspath(self.kernel.module.path), self.kernel.name
        rows = facts.reached[place]
        rows.update(
            (os.path.abspath(e.site.at.file), row)
            for e in run.trace.events
            if e.kind == "reveal"
            for row in range(e.site.at.row, e.site.at.end_row + 1)
        )
        outside = self.through is not None and not any(file in self.through for file, _ in rows)
        if outside and self.kernel.dialect == NKI:
            return
        returned = set() if place in facts.inner else {id(t.base) for t in _tensors(run.returned)}
        for event in run.trace.events:
            if event.kind == "allocation":
                base, at = event.arguments["tensor"].base, event.site.at
                made = os.path.abspath(at.file), at.row, at.column
                facts.outputs.setdefault(made, set()).add(id(base) in returned)
            if event.kind == "allocation" and ARGUMENT in event.arguments:
                _note_place(event, facts, rank)
            if event.kind == "reveal":
                _note(event, facts, rank, prover)

    def of_all(self, request: Request, rank: int) -> None:
        """All inputs: of any number where there is one that is a default, then with the defaults, and with other values
        that only reach something; `rank` is that of the first."""
        run = self._run(request, rank + DEFAULTS)
        if run is None:
            return
        evaluate = partial(self._run, request, rank + DEFAULTS)
        if likely := likely_ranks(run, evaluate):
            request = replace(request, ranks={**request.ranks, **likely})
            run = self._run(request, rank + DEFAULTS) or run
        self._note(run, rank + DEFAULTS)
        opened = open_numbers(run, request.function)
        if opened:
            self.of(replace(request, varied=opened), rank)
        self.of_variants(run, rank + VARIED, opened)

    def of_variants(self, run: Run, rank: int, opened: tuple[Variation, ...]) -> None:
        """Runs with other values than defaults, for what only these reach, and with any numbers for those `opened`;
        `rank` is that of the first."""
        assert run.request is not None
        if run.trace.stopped or run.rejected is not None:
            return
        specified = frozenset(run.request.specification.params)
        coverage = Coverage()
        coverage.learn(run, specified)
        for number, varied in enumerate(self._choices(run, coverage, specified)):
            first = rank + 2 * number
            other = self.of(replace(run.request, varied=varied), first + DEFAULTS)
            if other is not None and other.rejected is None:
                coverage.learn(other, specified)
            given = {(v.parameter, v.attribute) for v in varied}
            if more := tuple(o for o in opened if (o.parameter, o.attribute) not in given):
                self.of(replace(run.request, varied=(*varied, *more)), first)

    def _choices(self, run: Run, coverage: Coverage, specified: frozenset[str]) -> Iterator[tuple[Variation, ...]]:
        """Strings that the kernel looks for in what its callers give it, then other values than its defaults, one by
        one and as many as can be left open at once."""
        for name, strings in strings_looked_for(self.kernel.function).items():
            if name not in specified and isinstance(run.inputs.get(name), InputTensor):
                yield from ((Variation(name, "", string, ""),) for string in strings[:_STRINGS])
        for _ in range(_VARIANTS):
            varied = coverage.next()
            if varied is None:
                break
            yield varied
        if together := tuple(replace(v, value=_other_number(run.inputs[v.parameter], v.value)) for v in opened(run)):
            yield together


def _tensors(value: Any) -> Iterator[View]:
    """The tensors that a kernel returns."""
    items = value.items if isinstance(value, ListValue) else value if isinstance(value, tuple) else ()
    yield from (tensor for item in items for tensor in _tensors(item))
    if isinstance(value, View):
        yield value


def _other_number(default: Any, value: Any) -> Any:
    """What is given instead of a default: another float, or `value`, which leaves it open."""
    return default + 0.5 if isinstance(default, float) else value


def settled(value: Any) -> Any:
    """A parameter as what it turned out to be: a tensor, or a number."""
    cell = value.cell if isinstance(value, InputTensor) else {}
    return cell.get("view", cell.get("number", value))


def _note(event: Event, facts: Facts, rank: int, prover: Prover) -> None:
    at = event.site.at
    place = (at.row, at.column, at.end_row, at.end_column)
    seen = facts.seen.setdefault(os.path.abspath(at.file), {}).setdefault(place, [])
    value = event.arguments["value"]
    some = lets_some_through(value, partial(prover.shows, facts=event.site.conditions(), deep=True))
    seen.append(Seen(value, rank, facts.runs, some, event.site))


def _note_place(event: Event, facts: Facts, rank: int) -> None:
    at = event.site.at
    placed = facts.placed.setdefault(os.path.abspath(at.file), {})
    known = placed.setdefault((at.row, at.column, at.end_row, at.end_column), [])
    known.append(Placed(rank, block_variables(event.arguments["tensor"].base), event.arguments[ARGUMENT]))
