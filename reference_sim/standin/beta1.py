"""`neuronxcc.nki`, the API of Beta 1."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from nkilint_rules.placing.allocators import COUNTS, Modulo, turn
from nkilint_rules.placing.direct import AUTOMATIC, STACK
from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.buffers import MemoryRegion
from reference_sim.machine.dtypes import element_type
from reference_sim.operations import python
from reference_sim.running.kernels import TensorType, decorator, simulate_kernel
from reference_sim.tensors.allocation import Allocator
from reference_sim.tensors.tensor import Tensor

from . import isa, language
from .operations import refused, undocumented


def module(name: str, contents: dict[str, Any], package: bool = False) -> ModuleType:
    """A module of this name and contents."""
    made = ModuleType(name)
    made.__dict__.update(contents)

    def missing(attribute: str) -> Any:
        __tracebackhide__ = True
        undocumented(name, attribute)
        raise AttributeError(f"module {name!r} has no attribute {attribute!r}", name=attribute, obj=made)

    made.__dict__["__getattr__"] = missing
    if package:
        made.__path__ = []
    return made


def _sbuf_mod_alloc(
    *, base_addr: int, base_partition: int = 0, num_par_tiles: Any = (), num_free_tiles: Any = ()
) -> Allocator:
    return _turning(MemoryRegion.sbuf, (base_partition, base_addr), (num_par_tiles, num_free_tiles))


def _psum_mod_alloc(
    *, base_bank: int, base_addr: int = 0, base_partition: int = 0, num_bank_tiles: Any = (), num_par_tiles: Any = (),
    num_free_tiles: Any = (),
) -> Allocator:  # fmt: skip
    starts, counts = (base_bank, base_partition, base_addr), (num_bank_tiles, num_par_tiles, num_free_tiles)
    return _turning(MemoryRegion.psum, starts, counts)


def _turning(region: MemoryRegion, starts: tuple[int, ...], counts: tuple[Any, ...]) -> Allocator:
    """Modulo allocation."""
    allocation = Modulo(starts, tuple(tuple(tiles) for tiles in counts))

    def locate(index: tuple[int, ...], partitions: int, size: int) -> tuple[int, ...]:
        return allocation.place(partitions, size, lambda tiles: turn(index, tiles))

    return Allocator(region, locate, tuple(zip(COUNTS[region.memory], allocation.counts, strict=True)))


class Memory(ModuleType):
    """`ncc.sbuf` and `ncc.psum`: a module of allocators that is itself the automatic buffer."""

    region: MemoryRegion


def _by_keyword(func: Callable[..., Any]) -> Callable[..., Any]:
    """An allocation function called as the compiler calls it: with its documented keywords, where it takes them."""

    def locate(idx: tuple[int, ...], pdim_size: int, fdim_size: int) -> Any:
        named = {"idx": idx, "pdim_size": pdim_size, "fdim_size": fdim_size}
        try:
            inspect.signature(func).bind(**named)
        except TypeError:
            return func(idx, pdim_size, fdim_size)
        return func(**named)

    return locate


def _memory(name: str, region: MemoryRegion, mod_alloc: Callable[..., Allocator]) -> Memory:
    made = Memory(name)
    made.__dict__.update(
        region=region,
        alloc=lambda func: Allocator(region, _by_keyword(func)),
        mod_alloc=mod_alloc,
        auto_alloc=lambda: region,
    )
    return made


def _placing(way: str) -> Callable[[Any], Any]:
    """A decorator after which the compiler places all tensors, or those that the kernel does not place."""

    def decorate(kernel: Any = None, **options: Any) -> Any:
        if kernel is None:
            return decorate
        getattr(kernel, "func", kernel).nki_allocation = way
        return kernel

    return decorate


def _unchanged(func: Any = None, **options: Any) -> Any:
    """A compiler directive that changes nothing here."""
    return (lambda f: f) if func is None else func


def modules() -> dict[str, ModuleType]:
    """All modules by name, parents before children."""
    names = language.contents(BETA1)
    python.install(names)
    top = {
        "jit": decorator(BETA1, "auto"), "trace": decorator(BETA1, "trace"), "baremetal": decorator(BETA1, "baremetal"),
        "benchmark": decorator(BETA1, "benchmark"), "profile": decorator(BETA1, "profile"),
        "simulate_kernel": simulate_kernel, "tensor": Tensor, "FrameworkKernel": refused("FrameworkKernel"),
    }  # fmt: skip
    compiler = {
        STACK: _placing(STACK), AUTOMATIC: _placing(AUTOMATIC),
        "skip_middle_end_transformations": _unchanged, "no_reorder": language.no_reorder,
        "allocation_scope": language.no_reorder, "multi_buffer": refused("compiler.multi_buffer"),
    }  # fmt: skip
    instructions = isa.contents(BETA1)
    types = {"tensor": TensorType(), "mutable_tensor": TensorType(mutable=True), "scalar": Any}
    made = {
        "neuronxcc": module("neuronxcc", {"__version__": "2.0.0"}, True),
        "neuronxcc.nki": module("neuronxcc.nki", top, True),
        "neuronxcc.nki.language": module("neuronxcc.nki.language", names, True),
        "neuronxcc.nki.language.constants": module("neuronxcc.nki.language.constants", CONSTANTS),
        "neuronxcc.nki.isa": module("neuronxcc.nki.isa", instructions, True),
        "neuronxcc.nki.isa.constants": module("neuronxcc.nki.isa.constants", _enums(instructions)),
        "neuronxcc.nki.compiler": module("neuronxcc.nki.compiler", compiler, True),
        "neuronxcc.nki.compiler.sbuf": _memory("neuronxcc.nki.compiler.sbuf", MemoryRegion.sbuf, _sbuf_mod_alloc),
        "neuronxcc.nki.compiler.psum": _memory("neuronxcc.nki.compiler.psum", MemoryRegion.psum, _psum_mod_alloc),
        "neuronxcc.nki.typing": module("neuronxcc.nki.typing", types),
    }  # fmt: skip
    for leaf in ("sbuf", "psum"):
        setattr(made["neuronxcc.nki.compiler"], leaf, made[f"neuronxcc.nki.compiler.{leaf}"])
    return made


def _enums(instructions: dict[str, Any]) -> dict[str, Any]:
    names = ("engine", "reduce_cmd", "dge_mode", "oob_mode", "nc_version")
    engines = ("tensor_engine", "vector_engine", "scalar_engine", "gpsimd_engine", "unknown_engine")
    return {name: instructions[name] for name in (*names, *engines)}


def _itemsize(dtype: Any) -> int:
    return element_type(dtype).itemsize


CONSTANTS = {"sbuf_min_align": 1, "psum_min_align": 4, "sizeinbytes": _itemsize}
"""`nl.constants`."""
