"""What an operation is given, and which elements of its operands it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nkilint.evaluator.device.effects import in_partitions
from nkilint.evaluator.device.products import product_mask
from nkilint.evaluator.state.trace import Access, Event
from nkilint.evaluator.values.axes import fit_axes
from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.numbers import Real, SomeFloat, parts_of
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

from .accesses import real_views
from .dependence import argument_of


def indices(access: Access) -> Iterator[Access]:
    """The tensors whose values take part in an index."""
    for view in access.view.dynamic:
        if isinstance(view, View):
            yield Access("read", view, view.mask, "index")


def operation_mask(event: Event, read: Access) -> Any:
    """The elements of an operand that the operation reads under its own mask, over the operand's axes."""
    mask = _given_mask(event, read)
    return mask if event.effects is None else in_partitions(mask, event.effects, argument_of(read), read.view)


def _given_mask(event: Event, read: Access) -> Any:
    mask = event.arguments.get("mask")
    if isinstance(mask, Unknown):
        return mask
    product = product_mask(event.effects, mask, event.accesses)
    if product is not None and isinstance(product.result, Grid):
        return product.operands.get(read.operand, True)
    if isinstance(mask, Grid) and len(mask.shape) <= len(read.view.shape):
        return fit_axes(mask.value, mask.shape, read.view.shape)
    if isinstance(mask, Grid):
        return Unknown("a mask of higher rank than the tile")
    if isinstance(mask, Cond):
        return mask
    if event.operation is not None and event.operation.name == "language.copy" and event.accesses[0].role != "read":
        return event.accesses[0].mask
    return True


def reached(event: Event) -> Iterator[Any]:
    """The elements that an event accesses, and which of the tensors that a name may stand for."""
    for access in event.accesses:
        yield access.mask
        for view, sure in real_views(access.view):
            yield from view.index
            yield view.when if sure else Unknown("which of several tensors it is")


def open_in(event: Event) -> str:
    """Why it is not known whether an event takes the same in each iteration; empty where that does not hang on numbers
    that are not known."""
    opened = any(map(is_open_number, arguments_of(event)))
    return f"whether what line {event.site.at.row} takes is the same in each iteration" if opened else ""


def is_open_number(value: Any) -> bool:
    """Whether it is a number of which it is not known what it hangs on."""
    return isinstance(value, (Real, SomeFloat, Unknown))


def told_apart(value: Any, same: Mapping[Any, Any] | None = None) -> Any:
    """What tells arguments apart that are no tensors, with what is the `same` for another one put in its place."""
    if isinstance(value, (Sym, Cond)):
        return key_of(substitute(value, dict(same)) if same else value)
    parts = value if isinstance(value, (tuple, list)) else parts_of(value)
    if parts is not None:
        return tuple(told_apart(each, same) for each in parts)
    known = isinstance(value, (bool, int, float, str, Named, DType)) and not is_open_number(value)
    return value if known else None


def arguments_of(event: Event) -> Iterator[Any]:
    """The arguments of an operation; of tuples and lists what they hold, of floats the integers they are made of."""
    stack = list(event.arguments.values()) if event.kind == "operation" else []
    while stack:
        value = stack.pop()
        parts = value if isinstance(value, (tuple, list)) else parts_of(value)
        if parts is None:
            yield value
        else:
            stack += parts
