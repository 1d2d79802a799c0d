"""What the sizes of arrays on the host have to be, which Python raises at otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, product

from ...state.machine import Fault, Machine
from ...state.protocols import items_of
from ...state.refusals import may_raise
from ...values.host import HostArray

Shape = tuple[Any, ...]


def sizes_of(machine: Machine, shape: Any) -> Shape:
    """The sizes of an array that is made: whole numbers, of which none is negative."""
    sizes = (shape,) if isinstance(shape, (int, Sym)) else tuple(items_of(machine, shape))
    if any(isinstance(size, (float, str)) or size is None for size in sizes):
        raise Fault("TypeError")
    if not all(isinstance(size, (int, Sym, Unknown)) for size in sizes):
        raise IsUnknown("a size of an array that is not known")
    known = [size >= 0 for size in sizes if not isinstance(size, Unknown)]
    may_raise(machine, "ValueError", all_of(known), "an array of a negative size")
    return sizes


def common_shape(machine: Machine, shapes: Sequence[Shape], raised: str) -> Shape:
    """The shape that arrays are broadcast to."""
    rank = max(map(len, shapes))
    aligned = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(_common_size(machine, sizes, raised) for sizes in zip(*aligned, strict=True))


def _common_size(machine: Machine, sizes: Sequence[Any], raised: str) -> Any:
    found: Any = 1
    for size in sizes:
        if is_one(size) or key_of(size) == key_of(found):
            continue
        if is_one(found):
            found = size
            continue
        if isinstance(size, Unknown) or isinstance(found, Unknown):
            raise IsUnknown(_APART)
        may_raise(machine, raised, any_of((size == found, size == 1, found == 1)), _APART)
        if machine.truth(size == found) is not True:
            raise IsUnknown(_APART)
    return found


_APART = "arrays whose shapes may not fit together"


def regrouped(machine: Machine, array: HostArray, sizes: Shape) -> Shape:
    """The sizes that `reshape` gives an array, of which one may be left to it."""
    raised = "RuntimeError" if array.is_torch else "ValueError"
    holes = [i for i, size in enumerate(sizes) if isinstance(size, int) and size == -1]
    if len(holes) > 1:
        raise Fault(raised)
    if any(isinstance(size, Unknown) for size in (*sizes, *array.shape)):
        return sizes
    count, rest = product(array.shape), product(size for i, size in enumerate(sizes) if i not in holes)
    if holes:
        may_raise(machine, raised, rest != 0, _OTHER_COUNT)
        fits = count % rest == 0
    else:
        fits = count == rest
    may_raise(machine, raised, fits, _OTHER_COUNT)
    return tuple(count // rest if i in holes else size for i, size in enumerate(sizes))


_OTHER_COUNT = "an array reshaped to another number of elements"
