"""Operations of `nki.language` that move, copy, transpose and multiply tiles."""

from __future__ import annotations

from ..words.conditions import IsUnknown
from ..words.dialects import NKI
from ..words.dtypes import FLOAT32, UINT32
from ..words.memory import HBM, ON_CHIP, PSUM, SBUF
from ..words.promotion import dtype_argument
from ..words.shapes import as_shape
from ..words.versions import within
from .effects import ALIGNED, MOVING, ROWS, STATIONARY, TRANSPOSED, Effects, Gathered
from .form import Call, Limit, Result, operation, reads, updates, usual_effects, writes
from .implicit import transposed_copy
from .language_results import decided, like, nothing, tile
from .particular import Requirement, operator
from .requires import Requires


@operation(
    "language.load",
    beta1="src, *, mask=None, dtype=None, **kwargs",
    nki="src, dtype=None",
    since="0.3",
    engines="dma",
    page="api/generated/nki.language.load",
    src=reads(HBM),
    depends=ALIGNED,
    by_rows=True,
)
def load(call: Call) -> Result:
    return like(call, "src")


@operation(
    "language.load_transpose2d",
    beta1="src, *, mask=None, dtype=None, **kwargs",
    nki="src, dtype=None",
    since="0.3",
    engines="dma",
    page="api/generated/nki.language.load_transpose2d",
    src=reads(HBM),
    depends=TRANSPOSED,
)
def load_transpose2d(call: Call) -> Result:
    source = tile(call.src)
    if source.rank != 2:
        raise IsUnknown("the transposition of a tile that has not two dimensions is not documented")
    rows, columns = source.shape
    return Result((columns, rows), dtype_argument(call.dtype, source.dtype))


operation(
    "language.store",
    beta1="dst, value, *, mask=None, **kwargs",
    nki="dst, value",
    since="0.3",
    engines="dma",
    page="api/generated/nki.language.store",
    nki_operands={"value": reads(SBUF)},
    dst=writes(HBM),
    value=reads(ON_CHIP, scalar=True),
    depends=ALIGNED,
    by_rows=True,
)(nothing)


@operation(
    "language.copy",
    beta1="src, *, mask=None, dtype=None, **kwargs",
    nki="x, dtype=None",
    since="0.3",
    page="api/generated/nki.language.copy",
    src=reads(ON_CHIP),
    x=reads(ON_CHIP),
    depends=ALIGNED,
)
def copy(call: Call) -> Result:
    """Gives a tile in SBUF; before 0.6 that dialect kept the memory of the source."""
    if call.dialect != NKI:
        return like(call, "src")
    return like(call, "x", SBUF if within("0.6", "", NKI, call.version) else tile(call.x).memory)


operation(
    "language.atomic_rmw",
    beta1="dst, value, op, *, mask=None, **kwargs",
    engines="dma",
    page="api/generated/nki.language.atomic_rmw",
    dst=updates(HBM),
    value=reads(ON_CHIP, scalar=True),
    depends=ALIGNED,
    ordered=True,
    requirements=(
        Requirement(
            "NKI205",
            "op",
            lambda call: operator(call, "op") in (None, "add"),
            "`op` is not `np.add`, which alone is atomic",
        ),
    ),
)(nothing)


@operation(
    "language.broadcast_to",
    beta1="src, *, shape, **kwargs",
    nki="x, shape, dtype=None",
    since="2.22 0.3",
    page="api/generated/nki.language.broadcast_to",
    src=reads(ON_CHIP),
    x=reads(ON_CHIP),
    depends=ALIGNED,
)
def broadcast_to(call: Call) -> Result:
    source = tile(call.get("x") if call.dialect == NKI else call.get("src"))
    return Result(as_shape(call.shape), dtype_argument(call.get("dtype"), source.dtype))


@operation(
    "language.gather_flattened",
    beta1="data, indices, *, mask=None, dtype=None, **kwargs",
    nki="data, indices, axis=0, dtype=None",
    since="2.24 0.3",
    limits=tuple(
        Limit("NKI105", operand, "rank", relation, bound, "api/generated/nki.language.gather_flattened")
        for operand in ("data", "indices")
        for relation, bound in ((">=", 2), ("<=", 4))
    ),
    page="api/generated/nki.language.gather_flattened",
    data=reads(ON_CHIP, how=Gathered("indices")),
    indices=reads(ON_CHIP, {UINT32}, how=ALIGNED),
    requires=Requires(same_partitions=("data", "indices")),
)
def gather_flattened(call: Call) -> Result:
    data, indices = tile(call.data), tile(call.indices)
    return Result(indices.shape, dtype_argument(call.dtype, data.dtype))


def _multiplied(call: Call) -> Effects:
    if decided(call.transpose_x, "transpose_x"):
        return usual_effects(call, STATIONARY)
    return usual_effects(call, ROWS)


@operation(
    "language.matmul",
    beta1="x, y, *, transpose_x=False, mask=None, **kwargs",
    nki="x, y, transpose_x=False",
    since="0.3",
    engines="tensor",
    limits=(
        Limit("NKI103", "x", "free", "<=", "gemm_stationary_fmax", "api/generated/nki.language.matmul"),
        Limit("NKI103", "y", "free", "<=", "gemm_moving_fmax", "api/generated/nki.language.matmul"),
    ),
    implicit=transposed_copy,
    page="api/generated/nki.language.matmul",
    x=reads(SBUF),
    y=reads(SBUF, how=MOVING),
    depends=_multiplied,
)
def matmul(call: Call) -> Result:
    """Gives float32 in PSUM. Without `transpose_x` it makes a transposed copy of `x` first: the implicit tensor."""
    x, y = tile(call.x), tile(call.y)
    rows = x.free if decided(call.transpose_x, "transpose_x") else x.partitions
    return Result((rows, *y.shape[1:]), FLOAT32, PSUM)


@operation(
    "language.transpose",
    beta1="x, *, dtype=None, mask=None, **kwargs",
    nki="x, dtype=None",
    since="0.3",
    limits=(
        Limit("NKI105", "x", "rank", "<=", 2, "api/nki.errors"),
        Limit("NKI102", "x", "free", "<=", "tensor_transpose_max", "api/nki.errors"),
    ),
    page="api/generated/nki.language.transpose",
    x=reads(ON_CHIP),
    depends=TRANSPOSED,
)
def transpose(call: Call) -> Result:
    """Gives a tile in SBUF in Beta 1 and in PSUM in 0.x."""
    source = tile(call.x)
    dtype = dtype_argument(call.dtype, source.dtype)
    return Result((source.free, source.partitions), dtype, PSUM if call.dialect == NKI else SBUF)
