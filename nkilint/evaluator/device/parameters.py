"""What Python's operations do to parameters of which it is not known yet what they are, and to their shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import walk
from nkilint.symbolic.conditions import Opaque
from nkilint.symbolic.integers import Sym, sym
from nkilint.symbolic.printing import ANOTHER, NAMES
from nkilint_rules.operations import lookup
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.shapes import Sizes

from ..state import protocols
from ..state.machine import Machine, explained
from ..state.paths import demand
from ..state.protocols import Args, Keywords
from ..state.refusals import not_callable
from ..values.containers import ListValue
from ..values.dtypes import SymbolicDType
from ..values.inputs import ChosenText, InputTensor, ShapeOf
from ..values.numbers import REAL
from ..values.objects import Api, ClassValue, Environment, External, FunctionValue, Instance, SomeMember
from ..values.tensors import View
from ..values.wording import in_words
from . import tensors
from .inputs import (
    as_number,
    as_sequence,
    as_tensor,
    input_dtype,
    known_rank,
    no_length,
    no_rank,
    rank_symbol,
    shape_of,
    size_of,
)
from .slicing import tensor_subscript

protocols.truths.of(ShapeOf)(lambda machine, value, node: True)
protocols.subscripts.of(InputTensor)(tensor_subscript)
protocols.subscripts_set.of(InputTensor)(tensors.store)


@protocols.truths.of(InputTensor)
def _truth(machine: Machine, value: InputTensor, node: ir.Expr) -> Any:
    if value.view is not None:
        return True
    if "text" in value.cell:
        return _is_not_empty(machine, value)
    return as_number(machine, value) != 0 if "number" in value.cell else Opaque(value.name, "input")


# --- items ---


@protocols.lengths.of(ShapeOf)
def _rank(machine: Machine, value: ShapeOf) -> Any:
    tensor = value.tensor
    if (tensor.ranks and not tensor.guessed) or tensor.view is not None or known_rank(machine, tensor):
        return len(as_tensor(machine, tensor).shape)
    return rank_symbol(tensor) if tensor.by_path else Unknown(no_rank(machine, tensor.name))


@protocols.iterated.of(ShapeOf)
def _sizes(machine: Machine, value: ShapeOf, at: Span | None, count: int | None) -> list[Any]:
    return list(shape_of(machine, value.tensor, count))


@protocols.iterated.of(InputTensor)
def _items(machine: Machine, value: InputTensor, at: Span | None, count: int | None) -> list[Any]:
    if count is None:
        raise IsUnknown(no_length(machine, value) if value.is_tuple else "iteration over a tensor")
    return list(as_sequence(machine, value, count))


@protocols.lengths.of(InputTensor)
def _length(machine: Machine, value: InputTensor) -> Any:
    return Unknown(no_length(machine, value) if value.is_tuple else "length of a tensor")


@protocols.subscripts.of(ShapeOf)
def _size(machine: Machine, value: ShapeOf, key: Any, node: ir.Index) -> Any:
    return key if isinstance(key, Unknown) else size_of(machine, value.tensor, key)


# --- attributes ---


@protocols.attributes.of(InputTensor)
def _attribute(machine: Machine, tensor: InputTensor, name: str, node: ir.Attr) -> Any:
    if tensor.view is not None:
        return tensors.attribute(machine, tensor.view, name, node)
    if name == "shape":
        return ShapeOf(tensor)
    if name == "dtype":
        return input_dtype(machine, tensor)
    if name not in tensors.ATTRIBUTES and name != "T" and lookup(machine.dialect, f"tensor.{name}") is None:
        machine.trace.fields_asked.setdefault(f"{tensor.name}.{name}", None)
        tensors.note_lacking(machine, tensor.name, name, node.at)
        return Unknown(f"`{tensor.name}.{name}`: nothing says what `{tensor.name}` is")
    return tensors.attribute(machine, as_tensor(machine, tensor), name, node)


@protocols.attributes.of(ShapeOf)
def _attribute_of_shape(machine: Machine, value: ShapeOf, name: str, node: ir.Attr) -> Unknown:
    return Unknown(f"`.{name}` of a shape")


@protocols.calls.of(ShapeOf)
def _call_of_shape(
    machine: Machine, shape: ShapeOf, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    """`tensor.shape()`: objects that are no tensors may have such a method."""
    tensor = shape.tensor
    if node is not None and (tensor.view is not None or (tensor.ranks and not tensor.guessed)):
        demand(machine, "TypeError", not_callable(node, _TUPLE), False, node.at)
        return explained(f"a call of {in_words(shape)}")
    if node is not None and not any(isinstance(cls.lookup("shape"), FunctionValue) for cls in _classes(machine)):
        tensors.raises_if_tensor(machine, tensor.name, "shape()", "TypeError", not_callable(node, _TUPLE), node.at)
    return protocols.calls.otherwise(machine, shape, args, kwargs, node, env)


_TUPLE = in_words(())


def _classes(machine: Machine) -> Iterator[ClassValue]:
    """The classes of the modules that are known, whose objects callers may hand over."""
    for module in machine.modules.values.values():
        yield from (value for value in module.env.vars.values() if isinstance(value, ClassValue))


# --- operators ---


@protocols.arithmetic.of(InputTensor, rank=9)
def with_input(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """An argument of unknown kind in arithmetic: a tensor where the other side is one, else a number."""
    pair = _of_one_kind(machine, left, right)
    return protocols.binary(machine, op, pair[0], pair[1], at)


def _of_one_kind(machine: Machine, left: Any, right: Any) -> list[Any]:
    other = left if isinstance(left, View) else right
    if isinstance(other, View) and (other.memory != HBM or other.base.memory_open):
        pair = [REAL if isinstance(v, InputTensor) and _may_be_number(v) else v for v in (left, right)]
        return [as_tensor(machine, v) if isinstance(v, InputTensor) else v for v in pair]
    if isinstance(other, View):
        return [as_tensor(machine, v) if isinstance(v, InputTensor) else v for v in (left, right)]
    return [as_number(machine, v) if isinstance(v, InputTensor) else v for v in (left, right)]


def _may_be_number(tensor: InputTensor) -> bool:
    return "view" not in tensor.cell and not tensor.ranks


_NO_NUMBERS = (DType, Instance, SomeMember, ClassValue, Api, External)
"""What a parameter that is compared with it is neither a number nor a tensor for."""


@protocols.elementwise.of(InputTensor, rank=9)
def _compare(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if any(value is None or isinstance(value, _NO_NUMBERS) for value in (left, right)):
        return NotImplemented
    if isinstance(left, str):
        return op == "!=" if isinstance(right, View) else NotImplemented
    if isinstance(right, str) and _is_text(left):
        return NotImplemented
    return with_input(machine, op, left, right, at)


@protocols.unary_operators.of(InputTensor)
def _unary(machine: Machine, value: InputTensor, op: str, at: Span) -> Any:
    return protocols.unary(machine, op, as_number(machine, value), at)


@protocols.arithmetic.of(ShapeOf, rank=2)
def _arithmetic_of_shape(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    raise IsUnknown("arithmetic with the shape of a tensor of unknown rank")


@protocols.equalities.of(ShapeOf, rank=8)
def _equal_shapes(machine: Machine, left: Any, right: Any) -> Any:
    counts = [len(v) for v in (left, right) if isinstance(v, tuple)]
    counts += [len(v.items) for v in (left, right) if isinstance(v, ListValue)]
    count = counts[0] if counts else None
    pair = [Sizes(shape_of(machine, v.tensor, count)) if isinstance(v, ShapeOf) else v for v in (left, right)]
    return protocols.equal(machine, pair[0], pair[1])


@protocols.equalities.of(InputTensor, rank=7)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    free = left if isinstance(left, InputTensor) else right
    other = right if isinstance(left, InputTensor) else left
    if other is None:
        return False
    if isinstance(other, DType) and not free.cell:
        return protocols.equal(machine, SymbolicDType(free.name), other)
    if isinstance(other, str) and _is_text(free):
        return _equal_texts(machine, free, other)
    if not isinstance(other, (int, Sym)) and "number" not in free.cell:
        return Unknown(f"comparison with `{free.name}`")
    pair = [as_number(machine, v) if isinstance(v, InputTensor) else v for v in (left, right)]
    return protocols.equal(machine, pair[0], pair[1])


# --- texts ---


def _is_text(value: Any) -> bool:
    """Whether a parameter may be a text, as far as is known."""
    return isinstance(value, InputTensor) and ("text" in value.cell or not (value.ranks or value.cell))


def _equal_texts(machine: Machine, free: InputTensor, other: str) -> Any:
    """A parameter that is compared with a text is one of those that it is compared with, or another one."""
    if "text" not in free.cell:
        files = dict.fromkeys(function.at.file for function in machine.functions)
        modules = [module for module in map(machine.modules.of_file, files) if module is not None]
        bodies = [*(function.body for function in machine.functions), *(module.body for module in modules)]
        texts = tuple(dict.fromkeys(text for body in bodies for text in _compared(body)))[:MOST_TEXTS]
        named = NAMES.join((*map(repr, texts), ANOTHER))
        free.cell["text"] = ChosenText(texts, sym(free.name, "input", 0, len(texts), named))
    chosen = free.cell["text"]
    if other not in chosen.texts:
        return Unknown(f"comparison of `{free.name}` with {other!r}")
    return chosen.position == chosen.texts.index(other)


def _is_not_empty(machine: Machine, free: InputTensor) -> Any:
    """The truth of a parameter that is a text; of another one than those it is compared with it is not known."""
    chosen = free.cell["text"]
    listed = any_of(chosen.position == number for number, text in enumerate(chosen.texts) if text)
    another = all_of((chosen.position == len(chosen.texts), machine.undecided(f"`{free.name}` is not empty")))
    return any_of((listed, another))


MOST_TEXTS = 32  # that a parameter may be


def _compared(body: Sequence[ir.Stmt]) -> list[str]:
    """The texts with which statements compare something, or that are keys there."""
    parts: dict[ir.Const, None] = {}
    for node in walk(body):
        if isinstance(node, ir.Compare):
            parts |= dict.fromkeys(part for part in walk(node) if isinstance(part, ir.Const))
        elif isinstance(node, ir.DictExpr):
            parts |= dict.fromkeys(key for key, _ in node.items if isinstance(key, ir.Const))
    texts = [part.value for part in sorted(parts, key=lambda part: (part.at.row, part.at.column))]
    return [text for text in texts if isinstance(text, str) and NAMES not in text]
