"""Operations of `nki.language` that create tensors."""

from __future__ import annotations

from typing import Any

from ..words.conditions import IsUnknown, Unknown
from ..words.dialects import BETA1
from ..words.dtypes import FLOAT32, INT32, UINT32
from ..words.memory import HBM, ON_CHIP, SBUF
from ..words.promotion import as_dtype, dtype_argument
from ..words.shapes import as_shape
from .effects import EVERYTHING, NOTHING
from .form import Call, Result, operation, reads, writes
from .language_constants import memory_region
from .language_results import nothing, tile

SEEDS = frozenset({FLOAT32, INT32, UINT32})


def memory_of(buffer: Any, default: str = SBUF) -> Any:
    """The memory that a `buffer` argument stands for; the allocators of `nki.compiler` say it by an attribute."""
    if buffer is None:
        return default
    if isinstance(buffer, Unknown):
        raise IsUnknown(buffer.reason)
    region = memory_region(buffer)
    if region is not None:
        return region.memory
    memory = getattr(buffer, "memory", None)
    if memory is None:
        raise IsUnknown("`buffer` is not a memory that is known here")
    return memory


def created(call: Call) -> Result:
    """A tensor of the shape given, block dimensions and their markers included."""
    return Result(as_shape(call.shape), as_dtype(call.dtype), memory_of(call.get("buffer")))


def created_like(call: Call, name: str, default: str = SBUF) -> Result:
    source = tile(call.get(name))
    return Result(source.shape, dtype_argument(call.dtype, source.dtype), memory_of(call.buffer, default))


def define(name: str, first: str, *, since: str = "", beta1: str = "", nki: str = "", ordered: bool = False) -> None:
    """Define a creation whose arguments begin with `first`."""
    operation(
        f"language.{name}",
        beta1=beta1 or f"{first}, dtype, *, buffer=None, name='', **kwargs",
        nki=nki or f"{first}, dtype, buffer=language.sbuf, name=''",
        kind="create",
        since=since,
        page=f"api/generated/nki.language.{name}",
        ordered=ordered,
    )(created)


operation(
    "language.ndarray",
    beta1="shape, dtype, *, buffer=None, name='', **kwargs",
    nki="shape, dtype, buffer=language.sbuf, name='', address=None",
    kind="create",
    page="api/generated/nki.language.ndarray",
    parameter_versions={"address": "0.3"},
    depends=NOTHING,
)(created)
define("zeros", "shape")
define("ones", "shape", since="0.3")
define("full", "shape, fill_value", since="0.3")
define("rand", "shape", since="0.3", beta1="shape, dtype=numpy.float32, **kwargs", ordered=True)


@operation(
    "language.zeros_like",
    beta1="a, dtype=None, *, buffer=None, name='', **kwargs",
    nki="x, dtype=None, buffer=None, name=''",
    kind="create",
    since="0.3",
    page="api/generated/nki.language.zeros_like",
)
def zeros_like(call: Call) -> Result:
    return created_like(call, "a" if call.dialect == BETA1 else "x")


@operation(
    "language.empty_like",
    beta1="a, dtype=None, *, buffer=None, name='', **kwargs",
    nki="x, dtype=None, buffer=None, name=''",
    kind="create",
    since="2.22 0.3",
    page="api/generated/nki.language.empty_like",
    depends=NOTHING,
)
def empty_like(call: Call) -> Result:
    """Gives a tensor in SBUF in Beta 1, in the memory of the source in 0.x."""
    return created_like(call, "a") if call.dialect == BETA1 else created_like(call, "x", tile(call.x).memory)


@operation(
    "language.shared_constant",
    beta1="constant, dtype=None, **kwargs",
    nki="constant, *, dtype=None",
    kind="create",
    page="api/generated/nki.language.shared_constant",
    parameter_versions={"dtype": "..0.3"},
)
def shared_constant(call: Call) -> Result:
    """Gives a tensor in HBM that holds a constant array."""
    shape = getattr(call.constant, "shape", None)
    if isinstance(call.constant, Unknown) or shape is None:
        raise IsUnknown(getattr(call.constant, "reason", "the shape of the constant is not known"))
    return Result(as_shape(shape), dtype_argument(call.dtype, as_dtype(getattr(call.constant, "dtype", None))), HBM)


@operation(
    "language.shared_identity_matrix",
    beta1="n, dtype=numpy.uint8, **kwargs",
    nki="n, dtype=language.uint8, dst=None",
    kind="create",
    since="2.21",
    page="api/generated/nki.language.shared_identity_matrix",
    parameter_versions={"dst": "0.3"},
    dst=writes(SBUF),
)
def shared_identity_matrix(call: Call) -> Result:
    """Gives a tensor in HBM in Beta 1 and in SBUF in 0.x."""
    return Result((call.n, call.n), as_dtype(call.dtype), HBM if call.dialect == BETA1 else SBUF)


operation(
    "language.random_seed",
    beta1="seed, *, mask=None, **kwargs",
    nki="seed",
    since="0.3",
    page="api/generated/nki.language.random_seed",
    nki_operands={"seed": reads(ON_CHIP, SEEDS)},
    seed=reads(ON_CHIP, scalar=True),
    depends=EVERYTHING,
    ordered=True,
)(nothing)
