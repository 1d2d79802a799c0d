"""Kernel parameters whose kind, rank or sizes nothing specifies: they take shape from how they are used."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, sym
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state.machine import Machine
from ..values.dtypes import SymbolicDType
from ..values.inputs import GUESSED_NUMBERS, InputTensor
from ..values.tensors import Declaration, View, whole_view


def as_tensor(machine: Machine, tensor: InputTensor, subscripts: int | None = None, sizes: int | None = None) -> View:
    """The parameter as a tensor; `subscripts` is a number of subscripts it is used with, `sizes` one that its shape is
    unpacked into."""
    view = tensor.view
    if view is None:
        if tensor.cell.keys() & {"number", "text"}:
            what = "number" if "number" in tensor.cell else "text"
            raise IsUnknown(f"`{tensor.name}` is used both as a {what} and as a tensor")
        if tensor.is_tuple:
            raise IsUnknown(no_length(machine, tensor))
        supposed = _asserted_rank(machine, tensor) or known_rank(machine, tensor)
        if tensor.by_path and supposed is None:
            supposed = _rank_on_path(machine, tensor, subscripts, sizes)
        least = sizes or subscripts
        if tensor.is_open and least is None and supposed is None:
            raise IsUnknown(no_rank(machine, tensor.name))
        rank = supposed or (tensor.ranks[0] if tensor.ranks else max(2, least or 2))
        if tensor.guessed or not tensor.ranks:
            machine.trace.assumptions.setdefault(f"{tensor.name} has {rank} dimensions", None)
            used = max(tensor.least, least or 0) >= max(rank, 2)
            (machine.trace.ranks_used if used else machine.trace.ranks_guessed)[tensor.name] = rank
        view = _make(machine, tensor, rank)
    settled: View = machine.under_facts(view)
    return settled


def known_rank(machine: Machine, tensor: InputTensor) -> int | None:
    """How many dimensions a tensor is supposed to have, or a docstring of a function says that it is handed to."""
    told = machine.trace.ranks_told.get(tensor.name) if tensor.is_open else None
    return told or machine.supposed.get(tensor.name)


def _rank_on_path(machine: Machine, tensor: InputTensor, subscripts: int | None, sizes: int | None) -> int | None:
    """How many dimensions a tensor has that functions take with several: as many as this path uses, where inputs decide
    which it is, and else what a docstring tells."""
    told = tensor.ranks[0] if tensor.ranks else None
    meets = "rank" in tensor.cell and (told is None or any(f"of rank {n}" in tensor.cell for n in _RANKS if n != told))
    if meets or (told is None and not _inputs_decide(machine)):
        raise IsUnknown(_NO_RANK.format(tensor.name))
    if told is None or not _inputs_decide(machine):
        return told
    return sizes or max(told, subscripts or 0)


MOST = 6  # dimensions of a tensor
_RANKS = range(1, MOST + 1)
_NO_RANK = "nothing says how many dimensions `{}` has"


def rank_symbol(tensor: InputTensor) -> Sym:
    """The number of dimensions, as an input: a path that asks for it may take the tensor with that one only."""
    return sym(f"len({tensor.name}.shape)", "input", 1, MOST)


def _asserted_rank(machine: Machine, tensor: InputTensor) -> int | None:
    """The number of dimensions that the facts of this path leave, where it is another one on other paths."""
    symbol: Any = rank_symbol(tensor) if tensor.by_path else None
    ranks = _RANKS if tensor.by_path else ()
    return next((rank for rank in ranks if machine.truth(symbol == rank) is True), None)


def _inputs_decide(machine: Machine) -> bool:
    """Whether no iteration and no program has a part in which path this is: a tensor has one rank for all of them."""
    return all(variable.kind == "input" for fact in machine.site().path() for variable in variables(fact))


def no_rank(machine: Machine, name: str) -> str:
    """Why nothing is known where the number of dimensions would have to be; that it is asked for is noted."""
    machine.trace.ranks_asked.setdefault(name, None)
    return _NO_RANK.format(name)


def no_length(machine: Machine, tensor: InputTensor) -> str:
    """The same of the number of items of a tuple."""
    machine.trace.ranks_asked.setdefault(tensor.name, None)
    return f"nothing says how many items `{tensor.name}` has"


def _make(machine: Machine, tensor: InputTensor, rank: int) -> View:
    taken: set[str] = machine.memo.setdefault("dimension names", set())
    sizes = []
    shared = tensor.shared if not tensor.by_path or rank in tensor.ranks else {}
    for position in range(rank):
        if position in shared:
            sizes.append(shared[position])
            taken.update(map(str, variables(sizes[-1])))
            continue
        name = tensor.names.get(position, "")
        if not name or name in taken:
            name = f"{tensor.name}.shape[{position}]"
        taken.add(name)
        sizes.append(sym(name, "input", 1, None, f"{tensor.name}.shape[{position}]"))
    return give_shape(machine, tensor, tuple(sizes), input_dtype(machine, tensor))


def give_shape(machine: Machine, tensor: InputTensor, shape: tuple[Any, ...], dtype: Any) -> View:
    """Settle what the parameter is."""
    at = tensor.at or machine.at
    base = Declaration(
        tensor.name, shape, dtype, tensor.memory, at, "input", region="shared_hbm", mutable=tensor.mutable
    )
    base.memory_open = tensor.memory_open
    base.guessed = tensor.guessed
    view = whole_view(base)
    if tensor.by_path:
        machine.set(tensor.cell, "rank", len(shape))
        return tensor.cell.setdefault(f"of rank {len(shape)}", view)  # type: ignore[no-any-return]
    tensor.cell["view"] = view
    return view


def input_dtype(machine: Machine, tensor: InputTensor) -> Any:
    if tensor.view is not None:
        return tensor.view.dtype
    if "dtype" not in tensor.cell:
        tensor.cell["dtype"] = SymbolicDType(f"{tensor.name}.dtype")
    return tensor.cell["dtype"]


def as_number(machine: Machine, tensor: InputTensor) -> Any:
    """The parameter as an integer that the caller gives."""
    if tensor.view is not None:
        raise IsUnknown(f"`{tensor.name}` is used both as a tensor and as a number")
    if "text" in tensor.cell:
        raise IsUnknown(f"`{tensor.name}` is used both as a text and as a number")
    if "number" not in tensor.cell:
        if tensor.positive:
            machine.trace.assumptions.setdefault(f"{tensor.name} is a size, and at least 1", None)
        if not tensor.is_number:
            machine.memo.setdefault(GUESSED_NUMBERS, set()).add(tensor.name)
        tensor.cell["number"] = sym(tensor.name, "input", 1 if tensor.positive else None, None, tensor.name)
    return tensor.cell["number"]


def settled_number(machine: Machine, value: Any) -> Any:
    """`value`, taken for a number if it is a parameter that nothing tells about."""
    return as_number(machine, value) if isinstance(value, InputTensor) else value


def is_traced(value: Any) -> bool:
    """Whether it is an integer that is known when the kernel is traced."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, Sym) and all(a.kind != "runtime" for a in variables(value)))


def as_sequence(machine: Machine, tensor: InputTensor, count: int) -> tuple[Any, ...]:
    """The parameter as a tuple of `count` numbers, or of anything where it is known for a tuple."""
    if tensor.view is not None or "number" in tensor.cell or tensor.ranks:
        raise IsUnknown(f"iteration over `{tensor.name}`")
    if "items" not in tensor.cell:
        names = [f"{tensor.name}[{i}]" for i in range(count)]
        anything = map(InputTensor, names)
        machine.memo.setdefault(GUESSED_NUMBERS, set()).update(names)
        tensor.cell["items"] = tuple(anything if tensor.is_tuple else (sym(n, "input", None, None) for n in names))
    items: tuple[Any, ...] = tensor.cell["items"]
    return items


def shape_of(machine: Machine, tensor: InputTensor, count: int | None) -> tuple[Any, ...]:
    return as_tensor(machine, tensor, sizes=count).shape


def size_of(machine: Machine, tensor: InputTensor, key: Any) -> Any:
    """`tensor.shape[key]`."""
    if isinstance(key, slice):
        if not all(part is None or isinstance(part, int) for part in (key.start, key.stop, key.step)):
            raise IsUnknown("a part of a shape with symbolic ends")
        return as_tensor(machine, tensor).shape[key]
    if not isinstance(key, int):
        raise IsUnknown("a symbolic position in a shape")
    if tensor.is_open and tensor.view is None and key >= 0 and not known_rank(machine, tensor):
        return sym(f"{tensor.name}.shape[{key}]", "input", 1, None)
    shape = as_tensor(machine, tensor).shape
    if not -len(shape) <= key < len(shape):
        return Unknown(f"`{tensor.name}` has no dimension {key}")
    return shape[key]
