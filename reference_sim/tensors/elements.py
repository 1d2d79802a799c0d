"""The elements of tensors: reading and writing them, under masks and at positions that are known when that happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.dtypes import HOST, Array, cast, sentinel
from reference_sim.report.errors import CannotSimulate

from .access import DynamicAccess, GridAccess, kept_inside
from .deferred import KINDS, Sum, copy_lent, look
from .deferred_sums import carry_out
from .grids import Where

if TYPE_CHECKING:
    from .tensor import Tensor

Shape = tuple[int, ...]


def read(tensor: Tensor, where: Where = None) -> Array:
    """The elements of a tensor. Elements that `where` leaves out hold what unwritten memory holds."""
    array, storage = tensor._array, tensor.storage
    for follower in storage.followers:
        follower.looked(tensor)
    if storage.put_off is not None:
        carry_out(storage)
    if array is not None:
        return array
    access = tensor.access
    if isinstance(access, GridAccess):
        resolved = access.resolve(where)
        if resolved.positions is not None:
            values = flat_elements(tensor)[resolved.positions]
            values[~resolved.where] = sentinel(values.dtype)
            return values
        if resolved.where is None:
            return resolved.base
        full = np.full(tensor.sizes, sentinel(resolved.base.dtype), resolved.base.dtype)
        full[resolved.where] = resolved.base
        return full
    if isinstance(access, KINDS):
        return look(tensor)
    return _gather(tensor, where, skip=False)


def gather(tensor: Tensor, default: Array, where: Where = None) -> Array:
    """The elements at dynamic positions; those out of bounds keep `default`."""
    if tensor._array is not None or not isinstance(tensor.access, DynamicAccess):
        return read(tensor, where)
    if tensor.storage.put_off is not None:
        carry_out(tensor.storage)
    found = _gather(tensor, where, skip=True)
    bad = _bad_positions(tensor)
    return found if bad is None else np.where(bad, default, found)


def inside(tensor: Tensor) -> Array:
    """Of each element of an access, whether its position is one of the tensor's."""
    dynamic = tensor._array is None and isinstance(tensor.access, DynamicAccess)
    bad = _bad_positions(tensor) if dynamic else None
    return np.ones(tensor.sizes, bool) if bad is None else ~bad


def flat_elements(tensor: Tensor) -> Array:
    storage = tensor.storage
    if storage.array is None or storage.placed:
        raise CannotSimulate("a dynamic access", "the tensor is placed at an address of its own")
    if tensor.element is storage.element:
        return storage.array.reshape(-1)
    return storage.raw().view(HOST[tensor.element])


def _bad_positions(tensor: Tensor) -> Array | None:
    access = tensor.access
    assert isinstance(access, DynamicAccess)
    return access.outside(access.positions(), flat_elements(tensor).size)


def _gather(tensor: Tensor, where: Where, skip: bool) -> Array:
    access = tensor.access
    assert isinstance(access, DynamicAccess)
    if access.view is not None:
        view = access.view()
        if view is not None:
            return view
    flat = flat_elements(tensor)
    positions, bad = access.resolve(flat.size, where, skip)
    return np.asarray(flat[positions if bad is None else np.where(bad, 0, positions)])


def write(tensor: Tensor, values: Any, where: Where = None, precise: bool = True, skip: bool = False) -> None:
    """Write values, cast to the tensor's type, into the elements that `where` leaves."""
    array = tensor._array
    tensor.storage.written = True
    if tensor.storage.lent is not None:
        copy_lent(tensor.storage)
    if tensor.storage.put_off is not None:
        carry_out(tensor.storage)
    if array is None and isinstance(tensor.access, KINDS):
        array = look(tensor)
    if array is not None and where is None:
        array[...] = cast(values, tensor.element, array.dtype, precise)
        return
    values = np.asarray(values)
    if array is not None:
        cast_values = cast(values, tensor.element, array.dtype, precise)
        if isinstance(where, tuple):
            array[where] = np.broadcast_to(cast_values, array.shape)[where]
        else:
            np.copyto(array, cast_values, where=where)
        return
    access = tensor.access
    if isinstance(access, GridAccess):
        resolved = access.resolve(where)
        cast_values = np.broadcast_to(cast(values, tensor.element, resolved.base.dtype, precise), tensor.sizes)
        if resolved.positions is not None:
            flat_elements(tensor)[resolved.positions[resolved.where]] = cast_values[resolved.where]
        elif resolved.base.size:
            resolved.base[...] = cast_values if resolved.where is None else cast_values[resolved.where]
        return
    _scatter(tensor, values, where, precise, skip)


def _scatter(tensor: Tensor, values: Array, where: Where, precise: bool, skip: bool) -> None:
    access = tensor.access
    assert isinstance(access, DynamicAccess)
    view = access.view() if access.view is not None else None
    if view is not None and where is None:
        view[...] = cast(values, tensor.element, view.dtype, precise)
        return
    flat = flat_elements(tensor)
    positions, bad = access.resolve(flat.size, where, skip)
    kept = kept_inside(where, bad, positions.shape)
    cast_values = np.broadcast_to(cast(values, tensor.element, flat.dtype, precise), positions.shape)
    if kept is None:
        flat[positions] = cast_values
    else:
        flat[positions[kept]] = cast_values[kept]


def accessed(tensor: Tensor, where: Where = None) -> tuple[Array | None, Array | None]:
    """What an access touches under a mask: a strided view of the storage, or flat positions in it."""
    array, access = tensor._array, tensor.access
    if array is None and isinstance(access, KINDS):
        array = access.place() if isinstance(access, Sum) else look(tensor)
    if array is None and isinstance(access, GridAccess):
        resolved = access.resolve(where)
        if resolved.positions is not None:
            return None, resolved.positions[resolved.where]
        return resolved.base, None
    if array is None:
        assert isinstance(access, DynamicAccess)
        positions = access.positions()
        kept = kept_inside(where, access.outside(positions, flat_elements(tensor).size), positions.shape)
        return None, positions.reshape(-1) if kept is None else positions[kept]
    if where is None or isinstance(where, tuple):
        return array if where is None else array[where], None
    offset, strides = tensor.offset, tensor.strides
    lattice = np.indices(array.shape, sparse=True)
    total = offset + sum(index * stride for index, stride in zip(lattice, strides, strict=True))
    return None, np.broadcast_to(total, array.shape)[where]
