"""One run of a kernel, in the process that is there for it."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import reference_sim
from nkilint_rules.operation import BETA1

from .inputs import NoInput, made
from .slices import Sources, rows_of
from .tasks import Account, Seen, Stopped, Task

CODES: Mapping[str, tuple[type[BaseException], ...]] = {
    "NKI208": (AttributeError,),
    "NKI806": (ZeroDivisionError,),
    "NKI808": (NameError,),
    "NKI809": (TypeError,),
}
"""Findings that are exceptions of Python itself."""


def run(task: Task, refused: list[str]) -> Account:
    """Load what the kernel needs, run it, and tell what happened."""
    reached: list[bool] = []
    sources = Sources(task.roots, task.overlay, (task.file, task.row), lambda: reached.append(True))
    sys.meta_path.insert(0, sources)
    problem, observation = "", None
    try:
        function = _kernel(task, sources)
        arguments = made(task.trial.arguments, task.dtype, task.truth)
    except NoInput as error:
        problem = str(error)
    except ImportError as error:
        problem = f"it needs `{error.name}`, which is not installed" if error.name else str(error)
    except SystemExit:
        problem = "its module ends the program when it is imported"
    except Exception as error:  # the module is anyone's code, and what it raises belongs to the account
        problem = f"its module cannot be loaded: {type(error).__name__}: {str(error)[:200]}"
    if not problem:
        try:
            observation = _observed(task, function, arguments)
        except SystemExit:
            problem = "it ends the program"
    files = {path: hashlib.sha256(data).hexdigest() for path, data in sources.read.items()}
    account = Account((), None, bool(reached), tuple(refused), problem, False, files)
    return account if observation is None else _account(observation, account, sources, task)


def _kernel(task: Task, sources: Sources) -> Callable[..., Any]:
    trial = task.trial
    if trial.outer:
        raise NoInput(f"the kernel is made inside `{trial.outer[-1]}`")
    sources.undecorate(trial.file, trial.function)
    function = getattr(sources.load(task.module, trial.file), trial.function)
    if not callable(function):
        raise NoInput(f"`{trial.function}` is no function")
    return function  # type: ignore[no-any-return]


def _observed(task: Task, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    trial = task.trial
    return reference_sim.observe(
        function,
        kwargs=arguments,
        dialect=trial.dialect,
        grid=trial.grid,
        target=trial.target or None,
        immutable=trial.dialect == BETA1 and not trial.may_write,
        strictness=reference_sim.Strictness(collect=True, warnings=reference_sim.Strictness().warnings),
    )


def _is_api(value: Any) -> bool:
    """Whether a value is a module of NKI."""
    return isinstance(value, ModuleType) and value.__name__.partition(".")[0] in ("neuronxcc", "nki")


def _account(observation: Any, account: Account, sources: Sources, task: Task) -> Account:
    rows = rows_of(sources.tree(task.file), task.row) if task.file in sources.read else range(task.row, task.row + 1)

    def here(at: Any) -> bool:
        return at.file == task.file and at.row in rows

    seen = [
        Seen(f.code, f.at.file, f.at.row, f.message, dict(f.iterations), tuple(f.program), here(f.at))
        for f in observation.findings
    ]
    stopped = None
    if observation.stopped is not None:
        error, at = observation.stopped.error, observation.stopped.at
        stopped = Stopped(type(error).__name__, str(error)[:500], at.file, at.row, here(at))
        for code, kinds in CODES.items():
            if isinstance(error, kinds) and (not isinstance(error, AttributeError) or _is_api(error.obj)):
                seen.append(Seen(code, at.file, at.row, f"{type(error).__name__}: {error}", here=here(at)))
    too_large = stopped is not None and stopped.kind == "MemoryError"
    return replace(account, seen=tuple(seen), stopped=stopped, too_large=too_large)
