"""Counterexamples as messages and reports show them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from nkilint.base.findings import Witness
from nkilint.base.ir import Span
from nkilint.evaluator.kernels.launch import describe
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.python.types.objects import field_option, takes_fields
from nkilint.evaluator.state.trace import AtWitness, Obligation, Reach, Site
from nkilint.evaluator.values.dtypes import SymbolicDType
from nkilint.evaluator.values.host import HostArray
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.objects import Instance
from nkilint.evaluator.values.substitution import in_value
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.atoms import Atom, Ite, Var
from nkilint.symbolic.evaluation import atoms_in, has_more_nodes, variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.rule import Message

from .flags import Flags, chosen
from .values_of_loops import in_values

Model = Mapping[Var, int]
Quote = Callable[[Span], str]
_OPEN = (Sym, InputTensor, Instance)


def message_under(obligation: Obligation, model: Model, flags: Flags, quote: Quote) -> Message:
    """What the rule says of an obligation, under a counterexample."""
    assert isinstance(obligation.about, Message)

    def known(value: Any) -> Any:
        if isinstance(value, Span):
            return " ".join(quote(value).split())
        if isinstance(value, Reach):
            return farthest(chosen(value.value, flags), model, value.masked)
        return _at_witness(value, model, flags) if isinstance(value, AtWitness) else value

    message = obligation.about.map(known)
    if any(_is_long(value) for value in message.values.values()):
        message = message.map(lambda value: _in_numbers(value, model, flags))
    return message.map(lambda value: in_values(value, obligation.site.loops))


_NUMBERED = re.compile(r"\b([A-Za-z_]\w*)(?:\.(\d+))?\b")


def as_written(text: str) -> str:
    """A text with names as the source has them: a number tells apart loops over one name, where there are several."""
    numbers: dict[str, set[str | None]] = {}
    for match in _NUMBERED.finditer(text):
        numbers.setdefault(match[1], set()).add(match[2])
    return _NUMBERED.sub(lambda match: match[1] if len(numbers[match[1]]) == 1 else match[0], text)


LONGEST_NUMBER = 100  # characters of a symbolic number that a message writes out
MOST_ATOMS = 40  # of which it is built, where that may be found out without printing it
MOST_NAMES = 3


def _is_long(value: Any) -> bool:
    """Whether a number, or one of several, takes long to write."""
    if isinstance(value, (tuple, list)):
        return any(map(_is_long, value))
    return isinstance(value, Sym) and (has_more_nodes(value, MOST_ATOMS) or len(str(value)) > LONGEST_NUMBER)


def _in_numbers(value: Any, model: Model, flags: Flags) -> Any:
    """A value of a message as it is in the counterexample; what is long there, too, by what it hangs on."""
    if isinstance(value, (tuple, list)):
        return type(value)([_in_numbers(item, model, flags) for item in value])
    found = _first_at(chosen(value, flags), model) if isinstance(value, Sym) else value
    if not _is_long(found):
        return found
    names = sorted({str(v) for v in variables(found) if v.kind == "input"})
    named = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
    return f"({f'a number of {named}' if named else 'some number'})"


def _at_witness(value: AtWitness, model: Model, flags: Flags) -> Any:
    """What a message gives as it is in the counterexample; an element like a subscript."""
    if isinstance(value.value, tuple):
        return [_first_at(chosen(item, flags), model) for item in value.value]
    return _first_at(chosen(value.value, flags), model)


def _first_at(value: Any, model: Model) -> Any:
    """A number under a witness, at the first element and iteration where the witness leaves them open."""
    found = substitute(value, dict(model.items())) if isinstance(value, Sym) else value
    return _at_most(substitute(found, {v: v.low for v in _axes_in(found) if v.low is not None}))


MOST_OPEN = 4  # conditions that a number hangs on of which both sides are tried


def _at_most(value: Any, tried: int = 0) -> Any:
    """A number that hangs on the dtypes of inputs, for those with which it is largest; where it hangs on many, for all
    decided to one side."""
    choices = [a for a in value.atoms() if isinstance(a, Ite)] if isinstance(value, Sym) and tried < MOST_OPEN else []
    sides: list[Any] = [{c: getattr(c, side) for c in choices if c.condition.key == choices[0].condition.key}
                        for side in ("then", "otherwise")] if choices else []  # fmt: skip
    either = [_at_most(substitute(value, side), tried + 1) for side in sides]
    if either and all(isinstance(n, int) for n in either):
        return max(either)
    ends = [_decided(value, side) for side in ("then", "otherwise")] if isinstance(value, Sym) else []
    return max((n for n in ends if isinstance(n, int)), default=value)


def _decided(value: Any, side: str) -> Any:
    """A number with all choices in it, and in these, decided to one side."""
    while isinstance(value, Sym):
        choices: dict[Atom, Any] = {a: getattr(a, side) for a in atoms_in([value]) if isinstance(a, Ite)}
        if not choices:
            break
        value = substitute(value, choices)
    return value


def at_model(value: Any, model: Model) -> Any:
    """A symbolic number under a witness; what the witness does not fix stays."""
    if not isinstance(value, Sym):
        return value
    found = substitute(value, dict(model.items()))
    open_axes: dict[Atom, Any] = {v: v.high for v in _axes_in(found) if v.high is not None}
    return substitute(substitute(found, open_axes), dict(model.items()))


def farthest(reach: Any, model: Model, masked: bool) -> Any:
    """What an index reaches: at the witness under a mask, else at the end of its loops and axes that it leaves by."""
    seen = at_model(reach, model)
    if masked or not isinstance(seen, int):
        return seen
    upwards = seen >= 0
    value: Any = reach
    for _ in range(8):
        ends: dict[Atom, Any] = {}
        for variable in _axes_in(value):
            step = substitute(value, {variable: Sym({(variable,): 1}, 0) + 1}) - value
            if not isinstance(step, int):
                return seen
            end = variable.high if (step > 0) is upwards else variable.low
            if end is None:
                return seen
            ends[variable] = end
        if not ends:
            break
        value = substitute(value, ends)
    inputs: dict[Atom, Any] = {v: n for v, n in model.items() if v.kind not in ("axis", "loop")}
    value = substitute(value, inputs)
    return value if isinstance(value, int) else seen


def _axes_in(value: Any) -> set[Var]:
    """Element and iteration variables in a symbolic number."""
    return (
        {a for a in value.atoms() if isinstance(a, Var) and a.kind in ("axis", "loop")}
        if isinstance(value, Sym)
        else set()
    )


def witness(run: Run, model: Model, site: Site, flags: Flags, element: Any = None) -> Witness | None:
    """The inputs, iterations and element of a model, as a report shows them."""
    if not model and not run.inputs:
        return None
    touched = touched_on_path(run, site)
    inputs = {name: input_text(value, model, touched) for name, value in run.inputs.items()}
    inputs = {name: flags.get(name, text) if text == "?" else text for name, text in inputs.items()}
    loops = {}
    for loop in site.loops:
        atom = loop.index.variable
        if isinstance(atom, Var) and atom in model:
            given = at_model(loop.value, model)
            loops[loop.name] = given if isinstance(given, int) else model[atom]
    if isinstance(element, AtWitness):
        found = _at_witness(element, model, flags)
        return Witness(inputs, loops, tuple(found) if all(isinstance(i, int) for i in found) else None)
    elements = sorted((v for v in model if v.kind == "axis"), key=lambda v: v.name, reverse=True)
    return Witness(inputs, loops, tuple(model[v] for v in elements) or None)


def touched_on_path(run: Run, site: Site) -> frozenset[int]:
    """The tensors, by identity, that are accessed on the path that leads to a place."""
    events = (event for event in run.trace.events if event.site.facts is site.facts)
    return frozenset(id(access.view.base) for event in events for access in event.accesses)


def seen_as(tensor: InputTensor, touched: frozenset[int]) -> View | None:
    """An input that is a tensor; of several numbers of dimensions, with the one that it has where it is touched."""
    if "view" in tensor.cell:
        return tensor.cell["view"]  # type: ignore[no-any-return]
    ways = [way for name, way in tensor.cell.items() if name.startswith("of rank ")]
    return next((way for way in ways if id(way.base) in touched), None)


def input_text(value: Any, model: Model, touched: frozenset[int] = frozenset()) -> Any:
    """An input under a witness."""
    if isinstance(value, InputTensor):
        if (view := seen_as(value, touched)) is not None:
            sizes = ", ".join(str(at_model(s, model)) for s in view.shape)
            return f"{'' if isinstance(view.dtype, SymbolicDType) else view.dtype}[{sizes}]"
        if "text" in value.cell:
            return repr(value.cell["text"].at(at_model(value.cell["text"].position, model)))
        return at_model(value.cell["number"], model) if "number" in value.cell else "?"
    if isinstance(value, (Sym, HostArray)):
        value = at_model(in_value(value, {}), model) if isinstance(value, Sym) else value
        return value if isinstance(value, int) else describe(value)
    if isinstance(value, Instance) and takes_fields(value.cls):
        return _object_text(value, model)
    return describe(value)


def _object_text(made: Instance, model: Model) -> str:
    """An object with its fields that are inputs."""
    fields = [name for name, default in made.cls.fields if field_option(default, "init") is not False]
    told = [(name, input_text(made.attrs[name], model)) for name in fields if isinstance(made.attrs.get(name), _OPEN)]
    return f"{made.cls.name}({', '.join(f'{name}={text}' for name, text in told if text != '?')})"
