"""One run of a kernel, in the process that is there for it."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import reference_sim
from nkilint_rules.catalogue import rules
from nkilint_rules.words.dialects import BETA1
from reference_sim.report import errors
from reference_sim.report.budget import Budget, OutOfBudget
from reference_sim.running.loops import Rounds, block
from reference_sim.running.ranges import is_api

from .hoisting import MADE, CannotHoist, hoist
from .inputs import NoInput, argument_values
from .marks import BLOCK, REACHED, ROUNDS, STEP, rows_of
from .results import held
from .slices import Sources
from .tasks import OVER, Account, Seen, Stopped, Task

_LONGEST_NAME = 60
_SIMULATOR = os.path.join(os.path.dirname(reference_sim.__file__ or ""), "")


def run(task: Task) -> Account:
    """Load what the kernel needs, run it, and tell what happened."""
    reached: dict[int, None] = {}
    memory = task.memory // 4  # besides the data there are their shadows, and the simulator itself
    budget = Budget(task.steps, memory, lambda finding: places.complete(finding))
    given = {REACHED: reached.setdefault, STEP: budget.spend, BLOCK: block, ROUNDS: Rounds}
    sources = Sources(task.roots, task.overlay, task.marks, given, task.prelude)
    places = _Places(task, sources)
    sys.meta_path.insert(0, sources)
    problem, observation, exceeded = "", None, ""
    try:
        function = _kernel(task, sources)
        arguments = _arguments(task, {**task.trial.arguments, **_positional(task)}, sources)
    except (NoInput, CannotHoist) as error:
        problem = str(error)
    except ImportError as error:
        problem = _missing(error, sources)
    except OutOfBudget as error:
        exceeded = str(error)
    except SystemExit:
        problem = "its module ends the program when it is imported"
    except Exception as error:  # the module is anyone's code, and what it raises belongs to the account
        problem = f"its module cannot be loaded: {_told(error, task)}"
    if not problem and not exceeded:
        try:
            observation = _observed(task, function, arguments, budget)
            exceeded = observation.exceeded
        except SystemExit:
            problem = "it ends the program"
    if exceeded:
        problem = OVER[exceeded].format(steps=task.steps, megabytes=task.memory >> 20)
    files = {path: hashlib.sha256(data).hexdigest() for path, data in sources.read.items()}
    left_out = sources.left_out()
    account = Account((), None, tuple(reached), (), problem, bool(exceeded), left_out, budget.spent, files=files)
    if observation is None:
        return account
    if task.results and observation.stopped is None:
        account = replace(account, results=held(observation.results, _written(task, arguments)))
    return _account(observation, account, places)


def _written(task: Task, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays among the arguments that the kernel may have written to."""
    return {n: a for n, a in arguments.items() if isinstance(a, np.ndarray)} if task.trial.may_write else {}


def _kernel(task: Task, sources: Sources) -> Callable[..., Any]:
    trial = task.trial
    sources.undecorate(trial.file, trial.function)
    if trial.outer:
        names = hoist(sources.tree(trial.file), trial.file, trial.outer, trial.function)
        around = {n: trial.around.get(n, {"unknown": f"it belongs to `{trial.outer[-1]}`"}) for n in names}
        arguments = _arguments(task, around, sources)
        function = getattr(sources.load(task.module, trial.file), MADE)(**arguments)
    else:
        function = getattr(sources.load(task.module, trial.file), trial.function)
    if not callable(function):
        raise NoInput(f"`{trial.function}` is no function")
    return function  # type: ignore[no-any-return]


def _positional(task: Task) -> dict[str, Any]:
    return {str(number): value for number, value in enumerate(task.trial.positional)}


def _arguments(task: Task, wanted: Mapping[str, Any], sources: Sources) -> dict[str, Any]:
    def named(name: str) -> Any:
        try:
            return getattr(sys.modules.get(task.module) or sources.load(task.module, task.trial.file), name)
        except AttributeError:
            raise NoInput(f"the file of the kernel has no `{name}`") from None

    return argument_values(wanted, task.dtype, task.truth, named, task.signed)


def _observed(task: Task, function: Callable[..., Any], arguments: dict[str, Any], budget: Budget) -> Any:
    trial = task.trial
    return reference_sim.observe(
        function,
        [arguments.pop(number) for number in _positional(task)],
        arguments,
        dialect=trial.dialect,
        grid=trial.grid,
        target=trial.target or None,
        immutable=trial.dialect == BETA1 and not trial.may_write,
        strictness=reference_sim.Strictness(collect=True, precise=True if task.results else None),
        outputs=trial.outputs,
        budget=budget,
    )


class _Places:
    """The places of a task's marks, and which of them findings of the simulator have met."""

    def __init__(self, task: Task, sources: Sources) -> None:
        self.task, self.sources = task, sources
        self.open = set(range(len(task.marks)))
        self.rows: dict[tuple[str, int], range] = {}

    def here(self, at: Any) -> tuple[int, ...]:
        """The marks whose statement a place is in."""
        files = ((n, row) for n, (file, row, _) in enumerate(self.task.marks) if file == at.file)
        return tuple(n for n, row in files if at.row in self._rows(at.file, row))

    def _rows(self, file: str, row: int) -> range:
        if file not in self.sources.read:
            return range(row, row + 1)
        if (file, row) not in self.rows:
            self.rows[file, row] = rows_of(self.sources.tree(file), row)
        return self.rows[file, row]

    def complete(self, finding: Any) -> bool:
        """Note a finding; whether each mark has met one with its code now, and nothing else is asked for."""
        self.open -= {n for n in self.here(finding.at) if finding.code in self.task.marks[n][2]}
        return not self.open and not self.task.results


def _told(error: BaseException, task: Task) -> str:
    """An exception as a report shows it."""
    return ": ".join(part for part in (_kind(error), _text(error, task)) if part)


def _kind(error: BaseException) -> str:
    """The name of its type, as far as a name in a program goes."""
    name = type(error).__name__
    return name if name.isidentifier() and len(name) <= _LONGEST_NAME else "an exception"


def _text(error: BaseException, task: Task) -> str:
    """What it says, where that is the simulator's own; other texts may hold anything that a kernel can read."""
    return str(error)[:500] if task.texts or _is_ours(error) else ""


def _is_ours(error: BaseException) -> bool:
    """Whether the simulator raised it: an error of its own, in its own code."""
    if not isinstance(error, (reference_sim.NkiError, reference_sim.CannotSimulate)):
        return False
    steps = list(traceback.walk_tb(error.__traceback__))
    return bool(steps) and steps[-1][0].f_code.co_filename.startswith(_SIMULATOR)


def _missing(error: ImportError, sources: Sources) -> str:
    """What to say of an import that failed: names are told that stand in the source."""
    names = {n for tree in sources.trees.values() for node in ast.walk(tree) for n in _imported(node)}
    if (
        isinstance(error, ModuleNotFoundError)
        and error.name
        and any(name == error.name or name.startswith(f"{error.name}.") for name in names)
    ):
        return f"it needs `{error.name}`, which is not installed"
    return "an import of it fails"


def _imported(node: ast.AST) -> Iterator[str]:
    """The names of the modules that an import asks for, as they stand there."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def _advises(finding: errors.Finding) -> bool:
    return finding.severity == "info"


def _account(observation: Any, account: Account, places: _Places) -> Account:
    here = places.here
    seen = [
        Seen(f.code, f.at.file, f.at.row, f.message, dict(f.iterations), tuple(f.program), here(f.at), _advises(f))
        for f in observation.findings
    ]
    stopped = None
    if observation.stopped is not None:
        error, at = observation.stopped.error, observation.stopped.at
        if isinstance(error, ModuleNotFoundError):
            return replace(account, seen=tuple(seen), problem=_missing(error, places.sources))
        stopped = Stopped(_kind(error), _text(error, places.task), at.file, at.row)
        for rule in rules().values():
            own = rule.exception is not None and isinstance(error, rule.exception)
            if own and (not isinstance(error, AttributeError) or is_api(error.obj)):
                seen.append(Seen(rule.code, at.file, at.row, _told(error, places.task), here=here(at)))
    too_large = account.too_large or (stopped is not None and stopped.kind == "MemoryError")
    return replace(account, seen=tuple(seen), stopped=stopped, too_large=too_large)
