"""A kernel of a text run once, in the process that is there for it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from math import isfinite
from typing import Any

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint.confirm.sizes import elements
from nkilint.confirm.tasks import Account, Held, Task
from nkilint.confirm.workers import Run, in_parallel
from nkilint.project.discovery import Kernel
from nkilint.run.reading import session_of
from nkilint.run.session import Session
from nkilint_rules.words.dtypes import DTYPES
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.suggestions import suggestion

from .checking import Text
from .results import Output, Seen, Simulated
from .settings import BadRequest

_REST = ("*", "**")
SHOWN = 8  # numbers of an output that are told
_ARRAY = re.compile(r"(\w+)\s*\[\s*([\d\s,]*)\]")


@dataclass(frozen=True, slots=True)
class Call:
    """What a kernel is run with: plain values as they are, arrays as `float32[128, 512]`, dtypes by their names.

    Other values are objects of one key: `{"tuple": [...]}`, `{"dict": {...}}`, `{"name": "numpy.exp"}`,
    `{"member": ["Class", "NAME"]}`, `{"text": "float32"}`. `around` has the parameters of the functions that make the
    kernel, and `outputs` names parameters that it writes and never reads.
    """

    inputs: Mapping[str, Any]
    grid: Sequence[int] = ()
    around: Mapping[str, Any] = field(default_factory=dict)
    outputs: Sequence[str] = ()


def simulated(text: Text, kernel: str | None, call: Call) -> Simulated:
    """What a kernel does when it is called so."""
    session, kernels = session_of(text.paths, text.options, text.overlay)
    if session.failures:
        raise BadRequest(session.failures[0].message)
    chosen = _chosen(kernels, kernel)
    trial = Trial(
        file=os.path.abspath(chosen.module.path),
        function=chosen.function.name,
        outer=tuple(o.name for o in chosen.outer),
        dialect=chosen.dialect,
        target=text.options.target,
        may_write=chosen.may_write,
        grid=_grid(call.grid),
        arguments=_arguments(chosen, call.inputs),
        around={name: _argument(name, value) for name, value in call.around.items()},
        outputs=tuple(call.outputs),
    )
    count = elements(list(trial.arguments.values()))
    if count > text.options.confirm_elements:
        raise BadRequest(f"the inputs have {count} elements; up to {text.options.confirm_elements} are run")
    return _told(chosen, call.inputs, _account(_task(session, trial, text.options, text.overlay)), text)


def _chosen(kernels: Sequence[Kernel], name: str | None) -> Kernel:
    named = [k for k in kernels if name is None or k.name == name]
    if len(named) == 1:
        return named[0]
    names = [k.name for k in kernels]
    if name is not None and not named:
        raise BadRequest(f"there is no kernel `{name}`{suggestion(name, names)}; it has {', '.join(names) or 'none'}")
    raise BadRequest(f"say which kernel: it has {', '.join(names)}" if names else "there is no kernel in the text")


def _grid(grid: Sequence[int]) -> tuple[int, ...]:
    if not all(type(size) is int and size > 0 for size in grid):
        raise BadRequest(f"{list(grid)} is no grid")
    return tuple(grid)


def _arguments(kernel: Kernel, inputs: Mapping[str, Any]) -> dict[str, Any]:
    names = [p.name for p in kernel.function.params]
    for name in inputs:
        if name not in names:
            raise BadRequest(f"`{kernel.name}` has no parameter `{name}`{suggestion(name, names)}")
    missing = [
        p.name for p in kernel.function.params if p.default is None and p.kind not in _REST and p.name not in inputs
    ]
    if missing:
        raise BadRequest(f"there is no input for {', '.join(f'`{name}`' for name in missing)}")
    return {name: _argument(name, value) for name, value in inputs.items()}


def _argument(name: str, value: Any) -> Any:
    """A value of JSON as the argument of a trial."""
    if isinstance(value, str):
        array = _ARRAY.fullmatch(value.strip())
        if array is not None and array[1] in DTYPES:
            return {"array": [array[1], [int(size) for size in array[2].split(",") if size.strip()]]}
        if array is not None:
            raise BadRequest(f"`{name}` is of no known dtype: {value}{suggestion(array[1], list(DTYPES))}")
        return {"dtype": value} if value in DTYPES else value
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [_argument(name, item) for item in value]}
    if isinstance(value, Mapping) and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "text":
            return content
        if kind in ("name", "member"):
            return value
        if kind == "tuple":
            return {kind: [_argument(name, item) for item in content]}
        if kind == "dict":
            return {kind: {key: _argument(name, item) for key, item in content.items()}}
    if value is None or isinstance(value, (bool, int, float)):
        return value
    raise BadRequest(f"`{name}` is neither an array such as `float32[128, 512]` nor a plain value")


def _task(session: Session, trial: Trial, options: Options, overlay: Mapping[str, bytes]) -> Task:
    return Task(
        trial=trial,
        module=session.project.run_as(trial.file),
        roots=session.project.search_path(os.path.dirname(trial.file)),
        marks=(),
        dtype="float32",
        truth=True,
        steps=options.confirm_steps,
        memory=options.confirm_memory << 20,
        seconds=float(options.confirm_seconds),
        contained=options.confirm == "sandboxed",
        results=True,
        overlay={os.path.abspath(k): v.decode("utf-8", "surrogateescape") for k, v in overlay.items()},
        prelude=options.prelude,
    )


def _account(task: Task) -> Account:
    found: list[Account] = []

    def piece(run: Run) -> None:
        found.append(run(task))

    in_parallel([piece], 1)
    return found[0] if found else Account(problem="the run was interrupted")


def _told(kernel: Kernel, inputs: Mapping[str, Any], account: Account, text: Text) -> Simulated:
    problem = account.problem
    if account.stopped is not None and not problem:
        stop = account.stopped
        problem = f"it stops on line {stop.row}: {stop.kind}{': ' * bool(stop.message)}{stop.message}"
    seen = tuple(Seen(s.code, s.message, s.row, text.file(s.file)) for s in account.seen)
    return Simulated(kernel.name, dict(inputs), problem, seen, tuple(map(_output, account.results)), account.steps)


def _output(held: Held) -> Output:
    numbers = [float(n) for n in held.values()[:SHOWN]] if held.step == 1 else []
    shown = tuple(n if isfinite(n) else None for n in numbers)
    return Output(held.name, held.dtype, held.shape, held.digest, shown)
