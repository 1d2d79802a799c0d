"""Subscripts of tensors: slices and integers, index grids of Beta 1, and indices that are known only at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.language.non_integer_size import NonIntegerSize
from nkilint_rules.words.dialects import NKI
from reference_sim.machine.program import running
from reference_sim.report.errors import CannotSimulate
from reference_sim.report.wording import complain

from .access import GridAccess
from .deferred import KINDS, look
from .grid_makers import GridTuple
from .grids import Grid, Mask
from .index_grids import advanced
from .keys import PLAIN, DynamicSlice, is_dynamic
from .slices import basic, fixed_block, plain_slices

if TYPE_CHECKING:
    from .tensor import Tensor


def get(tensor: Tensor, key: Any) -> Tensor:
    """The view that a subscript selects."""
    keys = key if isinstance(key, tuple) else (key,)
    if tensor._array is None and isinstance(tensor.access, KINDS) and not (len(keys) == 1 and keys[0] is ...):
        look(tensor)
    found = plain_slices(tensor, keys)
    if found is not None:
        return found
    if any(key is None for key in keys) and (current := running()) is not None and current.dialect == NKI:
        complain(NonIntegerSize.other(expression="None", kind="a new axis", use="an index"))
    if tensor._array is not None and PLAIN.issuperset(map(type, keys)):
        return basic(tensor, keys)
    if len(keys) == 1:
        if keys[0] is ...:
            return tensor
        if isinstance(keys[0], Mask):
            return _operand_mask(tensor, keys[0])
        if isinstance(keys[0], (bool, np.bool_)):  # a predicate of a loop's index, which is a number here
            return tensor if keys[0] else _operand_mask(tensor, Mask(tensor.sizes, (), np.zeros(tensor.sizes, bool)))
    if any(isinstance(k, GridTuple) for k in keys):
        keys = tuple(grid for k in keys for grid in (k if isinstance(k, GridTuple) else (k,)))
    if tensor._array is None and tensor.access is None:
        tensor, keys = fixed_block(tensor, keys)
    with_grids = dynamic = False
    for k in keys:
        if isinstance(k, Grid):
            with_grids = True
        elif k is not None and k is not ... and not isinstance(k, (int, slice, np.integer)):
            dynamic = dynamic or is_dynamic(k.start if isinstance(k, DynamicSlice) else k)
            if isinstance(k, _NO_INDICES) and np.ndim(k):
                raise TypeError(f"tensors are indexed by integers, slices and index grids, not by {_kind(k)}")
    if tensor._array is None and tensor.access is not None:
        raise CannotSimulate("indexing", "an access that is resolved at run time cannot be indexed again")
    if with_grids or dynamic:
        return advanced(tensor, keys, dynamic)
    return basic(tensor, keys)


_NO_INDICES = (list, tuple, np.ndarray)


def _kind(key: Any) -> str:
    return "arrays of the host" if isinstance(key, np.ndarray) else f"a {type(key).__name__}"


def _operand_mask(tensor: Tensor, mask: Mask) -> Tensor:
    """`t[mask]`: the operand cut to the box where the mask holds."""
    box = mask.over(tensor.sizes)
    if box is None:
        return tensor
    if not isinstance(box, tuple):
        raise CannotSimulate("an operand mask", "it does not leave a box of the operand")
    resolved = tensor.access.resolve(box).base if isinstance(tensor.access, GridAccess) else tensor.array[box]
    return tensor.cut_to(resolved, box)
