"""`nki.language` of both dialects: operations, dtypes, buffers, sizes, loops, grids and host helpers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nkilint_rules.operations.language_constants import TargetAttribute
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import DTYPES
from nkilint_rules.words.names import Named
from reference_sim.machine.buffers import MemoryRegion
from reference_sim.machine.dtypes import HOST, cast, element_type
from reference_sim.machine.program import running
from reference_sim.machine.registers import VirtualRegister
from reference_sim.machine.sizes import MarkedSize
from reference_sim.running import grids_of_programs, loops
from reference_sim.running.settings import target_outside
from reference_sim.tensors import grid_makers, views
from reference_sim.tensors.keys import DynamicSlice
from reference_sim.tensors.python import checked
from reference_sim.tensors.tensor import Tensor

from .classes import NKIObject
from .operations import Operator, constants, documented, operations


class TileSize:
    """`nl.tile_size`: limits of the target that the kernel runs on."""

    def __init__(self, names: dict[str, TargetAttribute]) -> None:
        self._names = names

    def __getattr__(self, name: str) -> int:
        attribute = self._names.get(name)
        if attribute is None:
            raise AttributeError(f"tile_size has no `{name}`")
        current = running()
        return attribute.value(current.launch.target if current else target_outside())


class Numbers:
    """A group of constants such as `nl.fp32`."""

    def __init__(self, **values: float) -> None:
        self.__dict__.update(values)


@contextlib.contextmanager
def no_reorder() -> Iterator[None]:
    """Operations inside keep their order, as they always do here."""
    yield


def static_cast(arr: Any, dtype: Any) -> Any:
    """A host array, or a tensor, of another type."""
    if isinstance(arr, Tensor):
        return arr.astype(dtype)
    element = element_type(dtype)
    with np.errstate(all="ignore"):
        return np.asarray(cast(np.asarray(arr), element, HOST[element], True))


def finfo(dtype: Any) -> Any:
    """The limits of a float type."""
    return ml_dtypes.finfo(HOST[element_type(dtype)])  # type: ignore[no-untyped-call]


def dtypes(dialect: str) -> dict[str, Any]:
    """The element types by name."""
    names = {name: host for name, host in ((n, HOST[t]) for n, t in DTYPES.items()) if "64" not in name}
    found: dict[str, Any] = dict(names)
    if dialect == BETA1:
        for name in ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32"):
            found[name] = getattr(np, name)
    del found["bool"]
    found["bool_"] = np.bool_ if dialect == BETA1 else np.dtype(np.bool_)
    if dialect != BETA1:
        found["bool"] = found["bool_"]
    return found


def _grid_of(rows: Callable[[], int], columns: Callable[[], int]) -> Callable[[], Any]:
    def make() -> Any:
        return grid_makers.GridMaker()[0 : rows(), 0 : columns()]

    return make


def contents(dialect: str) -> dict[str, Any]:
    """What the module holds, by name."""
    found: dict[str, Any] = {}
    values = constants(dialect, "language")
    sizes = {n.partition(".")[2]: v for n, v in values.items() if n.startswith("tile_size.")}
    found["tile_size"] = TileSize(sizes)
    for name, value in values.items():
        if "." not in name and isinstance(value, Named) and name not in ("mgrid", "tile_size", "fp32", "bfp16"):
            found[name] = Operator(f"language.{name}")
    found.update(operations(dialect, "language"))
    found.update(dtypes(dialect))
    found.update(
        sbuf=MemoryRegion.sbuf, psum=MemoryRegion.psum, hbm=MemoryRegion.private_hbm,
        private_hbm=MemoryRegion.private_hbm, shared_hbm=MemoryRegion.shared_hbm, MemoryRegion=MemoryRegion,
        affine_range=loops.affine_range, sequential_range=loops.sequential_range, static_range=loops.static_range,
        dynamic_range=loops.dynamic_range, fori_loop=loops.fori_loop, while_loop=loops.while_loop,
        program_id=grids_of_programs.program_id, num_programs=grids_of_programs.num_programs,
        program_ndim=grids_of_programs.program_ndim, ds=DynamicSlice, finfo=finfo, no_reorder=no_reorder,
        fp32=Numbers(min=float(np.finfo(np.float32).min)), static_cast=static_cast, NKIObject=NKIObject,
        NkiTensor=Tensor, is_hbm=_is("private_hbm", "shared_hbm"), is_sbuf=_is("sbuf"), is_psum=_is("psum"),
        is_on_chip=_is("sbuf", "psum"), VirtualRegister=VirtualRegister,
    )  # fmt: skip
    if dialect == BETA1:
        tile = found["tile_size"]
        found.update(
            arange=grid_makers.arange, mgrid=grid_makers.GridMaker(), par_dim=MarkedSize,
            nc=grids_of_programs.NeuronCores, spmd_dim=grids_of_programs.GridDimension,
            bfp16=Numbers(min=float("-inf")),
            gemm_grid=_grid_of(lambda: tile.pmax, lambda: tile.gemm_moving_fmax),
            gemm_stationary_grid=_grid_of(lambda: tile.pmax, lambda: tile.gemm_stationary_fmax),
            expand_dims=lambda data, axis: _EXPAND_DIMS(data, axis), ndarray_type=Tensor,
        )  # fmt: skip
        del found["ndarray_type"]
    else:
        found["expand_dims"] = lambda x, axis: x.expand_dims(axis)
    return documented(found, dialect, "language")


_EXPAND_DIMS = checked(views.expand_dims, owner="language")


def _is(*regions: str) -> Callable[[Any], bool]:
    def check(buffer: Any) -> bool:
        return getattr(buffer, "value", buffer) in regions

    return check
