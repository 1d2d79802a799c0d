"""What to evaluate a kernel for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Any

from nkilint.base import ir
from nkilint.project.host_grids import HostGrid
from nkilint.project.specs import Specification
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.records import dataclass

from ..state import joining
from ..state.trace import Assertion, Trace
from ..values.host import HostArray
from ..values.inputs import InputTensor
from .launch import Launch


@dataclass(frozen=True, slots=True)
class Variation:
    """Another value for a parameter than its default, or for a field of the object that it is, or of one in that
    (`tiling.fused`); for `**kwargs`, what they hold. `kept` says, in the words of a precondition, that it does not have
    that value, and `default` that it has its default: of other values yet nothing is known."""

    parameter: str
    attribute: str
    value: Any = field(compare=False)  # or OPEN
    kept: str
    default: str = ""


OPEN = object()
"""In place of a value: an input of which nothing is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What to evaluate: a kernel, with the inputs that a specification or a launch gives."""

    module: ir.Module
    function: ir.FunctionDef
    outer: tuple[ir.FunctionDef | ir.ClassDef, ...]
    dialect: str
    may_write: bool
    inner: bool = False  # other kernels call it: its tensors may be on chip
    specification: Specification = field(default_factory=Specification)
    launch: Launch | None = None
    names: Mapping[str, tuple[int | str, ...]] = field(default_factory=dict)  # shapes that the docstring gives
    ranks: Mapping[str, int] = field(default_factory=dict)  # in all launches that are known
    options: tuple[tuple[str | None, ir.Expr], ...] = ()  # what `nki.jit` is given
    grids: tuple[HostGrid, ...] = ()  # of all launches that are not known, as functions of the inputs
    varied: tuple[Variation, ...] = ()
    like: AbstractSet[int] = frozenset()  # ids of loops that were summarised for all inputs, and are to be here
    opened: bool = False  # nothing is to be known that functions may change before a launch


@dataclass(slots=True)
class Run:
    """The evaluation of a request."""

    trace: Trace
    inputs: dict[str, Any]  # parameter -> InputTensor, symbol or plain value
    grid: tuple[Any, ...]
    returned: Any = None
    rejected: Assertion | None = None  # the assertion that no input passes
    ends: bool = False  # it does not come to its end
    request: Request | None = None
    defaulted: list[str] = field(default_factory=list)  # parameters that have their defaults
    version: str = ""  # of `nki`, as configured
    around: dict[str, Any] = field(default_factory=dict)  # parameters of the functions that make the kernel
    free: frozenset[str] = frozenset()  # parameters that are inputs in spite of their defaults
    supposed: Mapping[str, int] = field(default_factory=dict)  # how many dimensions tensors have of which nothing tells
    opened: bool = False  # there is something that functions may change before a launch, and it is not known here
    stated: bool = False  # what the trace as a whole owes is among its obligations
    any_rank: bool = False  # it ends where it does with other ranks, too, than were guessed
    only_rank: bool = False  # of those that one tensor might have it fails with all others than is supposed in this one
    unsupposed: Run | None = None  # one without the ranks that are supposed in this one, or with others

    @property
    def never(self) -> bool:
        """Whether certainly no input passes the assertion: nothing was assumed to come to it, or nothing can matter."""
        guessed = self.trace.ranks_guessed or self.trace.ranks_used
        if self.rejected is None or (guessed and not self.any_rank):
            return False
        assumed = [a for a in self.trace.assumptions if not a.endswith((" dimensions", " are in bounds"))]
        return not assumed or (self.request is not None and _comes_to(self.request.function, self.rejected.test))


def _comes_to(function: ir.FunctionDef, test: ir.Expr) -> bool:
    """Whether nothing but a constant decides that `function` ends at an assertion: no statement before it chooses."""
    for statement in function.body:
        if isinstance(statement, ir.Assert) and statement.test is test:
            return isinstance(test, ir.Const) and not test.value
        if not isinstance(statement, (ir.Assign, ir.AnnAssign, ir.Assert, ir.ExprStmt)):
            return False
    return False


def admits(general: Run, instance: Run) -> bool:
    """Whether the inputs of `instance` are among those that `general` was evaluated for: tensors of the same ranks, any
    numbers where it has symbols, and otherwise the same values."""
    numbers: dict[Any, Any] = {}
    return all(
        name in general.inputs and _admits(general.inputs[name], value, numbers)
        for name, value in instance.inputs.items()
    )


def _admits(general: Any, value: Any, numbers: dict[Any, Any]) -> bool:
    if isinstance(general, InputTensor) and isinstance(value, InputTensor):
        shape, given = (t.cell["view"].shape if "view" in t.cell else () for t in (general, value))
        return len(shape) == len(given) > 0 and all(
            joining.same(numbers.setdefault(n.key, m), m) if isinstance(n, Sym) else n == m
            for n, m in zip(shape, given, strict=True)
        )
    if isinstance(general, InputTensor):
        return "number" in general.cell and isinstance(value, int) and not isinstance(value, bool)
    return joining.same(general, value)


def launch_arguments(request: Request) -> dict[str, Any]:
    if request.launch is None:
        return {}
    names = [p.name for p in request.function.params if p.kind in ("positional", "positional-only", "keyword")]
    return {**dict(zip(names, request.launch.args, strict=False)), **request.launch.kwargs}


def launch_problem(request: Request) -> str | None:
    """Why a launch cannot be evaluated, if so."""
    launch = request.launch
    assert launch is not None
    for name, value in (*enumerate(launch.args), *launch.kwargs.items()):
        if isinstance(value, Unknown):
            return f"argument {name} is not known: {value.reason}"
        if isinstance(value, HostArray) and not all(isinstance(s, int) for s in value.shape):
            return f"argument {name} has a size that is not known"
    return None
