"""From the counterexample of an obligation to a run of the kernel that should show it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nkilint.base.findings import Trial
from nkilint.evaluator.kernels.launch import Launch
from nkilint.evaluator.kernels.requests import Request, Run
from nkilint.evaluator.python.types.objects import takes_fields
from nkilint.evaluator.state.trace import GRID_RANK, Obligation, entered
from nkilint.evaluator.values.containers import DictValue, ListValue
from nkilint.evaluator.values.dtypes import SymbolicDType, named_in, read_fact, sources_of
from nkilint.evaluator.values.host import HostArray
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.intervals import CHOSEN
from nkilint.evaluator.values.objects import Api, External, Instance, SomeMember
from nkilint.evaluator.values.substitution import in_value
from nkilint.prover import Prover
from nkilint.symbolic.atoms import Atom, Var
from nkilint.symbolic.conditions import Cond, Opaque
from nkilint.symbolic.evaluation import opaques, over_inputs, variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DTYPES, DType
from nkilint_rules.words.targets import Target

from .flags import NO_FLAGS, Flags
from .witnesses import seen_as, touched_on_path

Model = Mapping[Var, int]
PREFERRED = (
    "float32",
    "bfloat16",
    "float16",
    "int32",
    "uint32",
    "int16",
    "uint16",
    "int8",
    "uint8",
    "float8_e4m3",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e5m2_x4",
    "float8_e4m3fn_x4",
    "float4_e2m1fn_x4",
)
UNUSED = 128  # sizes of a tensor that the kernel never looks at


def trial(
    run: Run,
    model: Model,
    obligation: Obligation | None,
    prover: Prover,
    flags: Flags = NO_FLAGS,
    contract: Sequence[Cond] = (),
    *,
    any_float: bool = False,
) -> Trial | None:
    """The run for a counterexample; sizes that it leaves open are the smallest that the facts admit, and if possible
    the rest of the kernel's contract, so that nothing else goes wrong on the way. With `any_float`, dtypes that may be
    each of the usual floats stay open, too."""
    request = run.request
    if request is None:
        return None
    facts = obligation.site.conditions() if obligation is not None else []
    values = dict(model)
    if request.launch is None:
        likely = entered(obligation.site.loops) if obligation is not None else []
        values = _completed(run, values, facts, likely, prover, _unbroken(contract, values))
    told = {**{o.name: not o.negated for o in opaques(*facts) if o.kind == "dtype"}, **flags}
    false = [name for name, truth in told.items() if not truth]
    known = [name for name, truth in told.items() if truth and not _rejects(name, false)]
    touched = touched_on_path(run, obligation.site) if obligation is not None else frozenset[int]()
    giver = _Giver(values, [*run.trace.assumptions, *known], _chosen_dtypes(run), flags, touched, any_float=any_float)
    giver.exclude(false)
    arguments = {name: giver.given(value) for name, value in run.inputs.items() if name not in run.defaulted}
    names = {o.name for o in opaques(*facts) if o.kind == "input"} - set(arguments)
    names |= {variable.name for variable in model if variable.source == CHOSEN}
    return Trial(
        file=os.path.abspath(request.module.path),
        function=request.function.name,
        outer=tuple(o.name for o in request.outer),
        dialect=request.dialect,
        target="" if run.trace.target is None else run.trace.target.name,
        may_write=request.may_write,
        grid=_grid(run, values),
        arguments=arguments,
        open=tuple(sorted(names)),
        outputs=_outputs(run) if request.may_write else (),
        around={name: giver.given(value) for name, value in run.around.items()},
    )


def _outputs(run: Run) -> tuple[str, ...]:
    """The parameters that the kernel writes and never reads."""
    accesses = [a for event in run.trace.events for a in event.accesses if a.view.base.kind == "input"]
    read = {a.view.base.name for a in accesses if a.role != "write"}
    return tuple(sorted({a.view.base.name for a in accesses if a.role == "write"} - read))


def launch_trial(request: Request, launch: Launch, target: Target) -> Trial:
    """The run for a call whose arguments do not fit the kernel's parameters."""
    giver = _Giver({}, [])
    return Trial(
        file=os.path.abspath(request.module.path),
        function=request.function.name,
        outer=tuple(o.name for o in request.outer),
        dialect=request.dialect,
        target=target.name,
        may_write=request.may_write,
        grid=tuple(s for s in launch.grid if isinstance(s, int)),
        arguments={name: giver.given(value) for name, value in launch.kwargs.items()},
        positional=tuple(giver.given(value) for value in launch.args),
    )


def _unbroken(contract: Sequence[Cond], values: dict[Var, int]) -> list[Cond]:
    """The conditions that a counterexample does not fail."""
    known: dict[Atom, Sym | int] = {variable: value for variable, value in values.items()}  # noqa: C416
    return [c for c in contract if isinstance(substitute(c, known), Cond)]


def _completed(
    run: Run, values: dict[Var, int], facts: list[Any], likely: list[Any], prover: Prover, contract: list[Cond]
) -> dict[Var, int]:
    """Values for every size that inputs and the launch grid have; they meet the `likely` conditions, too, and tensors
    have elements, where that is possible."""
    sizes = [e for value in (*run.inputs.values(), *run.around.values()) for e in _sizes(value)]
    sizes += run.trace.grid_sizes.values()
    missing = [v for v in variables(*sizes) if v.kind == "input" and v not in values]
    if not missing:
        return values
    fixed = [Sym({(v,): 1}, 0) == n for v, n in values.items() if v.kind == "input"]
    usual = [Sym({(v,): 1}, -1) >= 0 for v in missing]  # a number that nothing bounds is more likely 1 than 0
    more = [*likely, *_with_elements(run)]
    choices = (
        [*fixed, *usual, *more, *contract],
        [*fixed, *usual, *more],
        [*fixed, *usual, *likely],
        [*fixed, *usual],
        fixed,
    )
    found = next((w for more in choices if (w := prover.witness(False, [*facts, *more], missing))), {})
    return {**{v: n for v, n in found.items() if v.kind in ("input", "program")}, **values}


def _with_elements(run: Run) -> list[Cond]:
    """That the tensors which the kernel makes have elements: of an empty one, nothing is touched."""
    made = [e.arguments["tensor"] for e in run.trace.events if e.kind == "allocation"]
    sizes = [size for view in made for size in view.base.shape if isinstance(size, Sym) and over_inputs(size)]
    return list({c.key: c for c in (size >= 1 for size in sizes) if isinstance(c, Cond)}.values())


def _sizes(value: Any) -> list[Any]:
    if isinstance(value, InputTensor):
        if "view" in value.cell:
            return list(value.cell["view"].shape)
        text = (value.cell["text"].position,) if "text" in value.cell else ()
        return [v for v in (value.cell.get("number"), *value.cell.get("items", ()), *text) if v is not None]
    if isinstance(value, (tuple, ListValue)):
        return [e for item in (value if isinstance(value, tuple) else value.items) for e in _sizes(item)]
    if isinstance(value, Instance) and takes_fields(value.cls):
        return [e for name, _ in value.cls.fields for e in _sizes(value.attrs.get(name))]
    return [value] if isinstance(value, Sym) else []


def _grid(run: Run, values: Mapping[Var, int]) -> tuple[int, ...]:
    """The launch grid; one that nothing gives is as small as the counterexample allows."""
    if run.request is not None and run.request.launch is not None:
        return tuple(s for s in run.grid if isinstance(s, int))
    rank = next((number for variable, number in values.items() if variable.name == GRID_RANK), None)
    sizes = [1] * (run.trace.grid_axes if rank is None else rank)
    for variable, number in values.items():
        for axis in range(len(sizes)):
            if variable.name == f"num_programs({axis})":
                sizes[axis] = max(sizes[axis], number)
            elif variable.name.rstrip("'") == f"program_id({axis})":
                sizes[axis] = max(sizes[axis], number + 1)
    return tuple(sizes)


class _Giver:
    """Values of the evaluator as the arguments of a trial."""

    def __init__(
        self,
        values: Model,
        assumptions: list[str],
        dtypes: frozenset[str] = frozenset(),
        flags: Flags = NO_FLAGS,
        touched: frozenset[int] = frozenset(),
        *,
        any_float: bool = False,
    ) -> None:
        self.values, self.dtypes, self.flags, self.touched, self.any_float = values, dtypes, flags, touched, any_float
        self.equal, self.allowed = assumed_dtypes(assumptions)
        self.alike = _alike(assumptions)
        _hand_on(self.alike, self.equal, self.allowed)
        self.excluded: list[str] = []
        self.named = {v.name: n for v, n in values.items()}

    def exclude(self, facts: list[str]) -> None:
        """Take it that these equations of dtypes do not hold."""
        self.excluded = facts
        for left, equals, right in (fact.partition(" == ") for fact in facts):
            sides = [side for side in (left, right) if equals and side not in DTYPES and side not in self.equal]
            if len(sides) > 1:
                first, second = (usual_of(self.allowed.get(side, ())) for side in sides)
                apart = next(((one, other) for other in second for one in first if one != other), ())
                self.equal.update(zip(sides, apart, strict=False))

    def given(self, value: Any) -> Any:
        if isinstance(value, InputTensor):
            return self._input(value)
        if isinstance(value, HostArray):
            return self._array("" if value.dtype is None else str(value.dtype), value.shape)
        if isinstance(value, Sym):
            number = self._number(in_value(value, {}))
            return {"unknown": f"`{value}` is not fixed"} if number is None else number
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, DType):
            return {"dtype": value.name}
        if isinstance(value, (Api, External)):
            prefix = f"{value.dialect}." if isinstance(value, Api) else ""
            return {"name": ("neuronxcc.nki." if prefix == "neuronxcc." else prefix) + value.name}
        if isinstance(value, (tuple, ListValue)):
            items = value if isinstance(value, tuple) else value.items
            return {"tuple" if isinstance(value, tuple) else "list": [self.given(item) for item in items]}
        if isinstance(value, DictValue) and value.kind == "dict" and all(isinstance(k, str) for k in value.items):
            return {"dict": {k: self.given(v) for k, v in value.items.items()}}
        if isinstance(value, Opaque):
            if value.name in self.flags:
                return self.flags[value.name] != value.negated
            return {"either": value.name}
        if isinstance(value, SomeMember):
            position = self._number(in_value(value.position, {}))
            return self.given(value.members[position or 0])
        if isinstance(value, Instance) and value.cls.kind == "enum":
            return {"member": [value.cls.name, value.attrs["name"]]}
        if isinstance(value, Instance) and takes_fields(value.cls):
            fields = {name: self.given(value.attrs[name]) for name, _ in value.cls.fields if name in value.attrs}
            return {"object": [value.cls.name, fields]}
        return {"unknown": value.reason if isinstance(value, Unknown) else f"a {type(value).__name__}"}

    def _input(self, tensor: InputTensor) -> Any:
        if (view := seen_as(tensor, self.touched)) is not None:
            return self._array(self._dtype(view.dtype), view.shape)
        if any(tensor.name in known for known in (self.dtypes, self.equal, self.allowed)):
            return {"dtype": self._dtype(SymbolicDType(tensor.name))}
        if "number" in tensor.cell:
            return self.given(tensor.cell["number"])
        if "text" in tensor.cell:
            return tensor.cell["text"].at(self._number(tensor.cell["text"].position))
        if "items" in tensor.cell:
            return self.given(tensor.cell["items"])
        if tensor.name in self.flags and not tensor.ranks:
            return self.flags[tensor.name]
        rank = tensor.ranks[0] if tensor.ranks else 2
        dtype = self._dtype(tensor.cell["dtype"]) if "dtype" in tensor.cell else ""
        return {"array": [dtype, [UNUSED] * rank]}

    def _array(self, dtype: str, shape: tuple[Any, ...]) -> Any:
        sizes = [self._number(s) for s in shape]
        if None in sizes:
            return {"unknown": "a size that the witness does not fix"}
        return {"array": [dtype, sizes]}

    def _number(self, value: Any) -> int | None:
        found = substitute(value, dict(self.values.items())) if isinstance(value, Sym) else value
        if isinstance(found, Sym):
            found = substitute(found, {v: max(int(v.bounds[0]), 1) for v in variables(found) if v.bounds[0] > 0})
        return found if isinstance(found, int) else None

    def _dtype(self, dtype: Any) -> str:
        """A dtype that what was assumed about it admits; empty where nothing was."""
        if not isinstance(dtype, SymbolicDType):
            return str(dtype)
        if dtype.source in self.equal:
            return self.equal[dtype.source]
        allowed = self.allowed.get(dtype.source, ())
        size = self.named.get(f"itemsize({dtype.source})")
        usual = {4: "float32", 2: "bfloat16"}.get(size or 0, "float8_e4m3")
        if size is not None and all(usual in names for names in allowed):
            return usual
        same = {dtype.source}.union(*(sides for sides in self.alike if dtype.source in sides))
        excluded = set().union(*(_excluded(source, self.excluded) for source in same))
        if not allowed and PREFERRED[0] not in excluded:
            return ""
        fitting = [name for name in usual_of(allowed) if name not in excluded]
        return fitting[0] if fitting and not (self.any_float and fitting[:2] == list(PREFERRED[:2])) else ""


def usual_of(admitted: Iterable[frozenset[str]]) -> list[str]:
    """Those of the dtypes that inputs get where nothing says one which all of some sets admit; usual ones first."""
    sets = list(admitted)
    return [name for name in PREFERRED if all(name in names for names in sets)]


def _excluded(source: str, facts: Iterable[str]) -> set[str]:
    """The dtypes that something does not have where these facts do not hold."""
    return {name for fact in facts if source in sources_of(fact) for name in named_in(fact)}


def _rejects(fact: str, false: Sequence[str]) -> bool:
    """Whether a fact names dtypes of which none is left where the `false` ones do not hold."""
    named = set(named_in(fact))
    return bool(named) and any(named <= _excluded(source, false) for source in sources_of(fact))


def _chosen_dtypes(run: Run) -> frozenset[str]:
    """What tensors of the run have as their dtype: among it the parameters that say one."""
    views = (a.view for event in run.trace.events for a in event.accesses)
    return frozenset(v.dtype.source for v in views if isinstance(v.dtype, SymbolicDType))


def assumed_dtypes(assumptions: Iterable[str]) -> tuple[dict[str, str], dict[str, list[frozenset[str]]]]:
    """By what has them, the dtypes that assumptions equate it to, and those that they admit."""
    equal: dict[str, str] = {}
    allowed: dict[str, list[frozenset[str]]] = {}
    for text in filter(None, map(_to_meet, assumptions)):
        sides, admitted = read_fact(text)
        name = next((side for side in sides if side in DTYPES), None) if len(sides) > 1 else None
        if name is not None:
            for side in sides:
                equal.setdefault(side, name)
        if admitted:
            allowed.setdefault(sides[0], []).append(admitted)
    return equal, allowed


def _to_meet(text: str) -> str:
    """An assumption; of several of which one has to hold, the first, or nothing where floats meet one of them."""
    alternatives = text.split(" or ")
    open_ = len(alternatives) > 1 and any(map(_is_met_by_floats, alternatives))
    return "" if open_ else alternatives[0]


def _is_met_by_floats(text: str) -> bool:
    """Whether a fact about a dtype holds of those that inputs have where nothing says one."""
    _, excluding, names = text.partition(" not in (")
    found = set(names[:-1].split(", ")) if excluding else read_fact(text)[1]
    return not found & set(PREFERRED[:2]) if excluding else found >= set(PREFERRED[:2])


def _alike(assumptions: Iterable[str]) -> list[list[str]]:
    """What has one dtype together."""
    sides = [[side for side in read_fact(text)[0] if side not in DTYPES] for text in assumptions]
    return [each for each in sides if len(each) > 1]


def _hand_on(alike: list[list[str]], equal: dict[str, str], allowed: dict[str, list[frozenset[str]]]) -> None:
    """Give what has the same dtype as something else what is known of that."""
    for sides in alike * len(alike):
        name = next((equal[side] for side in sides if side in equal), None)
        admitted = list(dict.fromkeys(names for side in sides for names in allowed.get(side, ())))
        for side in sides:
            if name is not None:
                equal.setdefault(side, name)
            if admitted:
                allowed[side] = admitted
