"""Operations of `nki.language` that reduce, normalise and select.

A reduction drops the axes it reduces, yet an on-chip tile keeps two dimensions: a row sum is `[P, 1]`.
"""

from __future__ import annotations

from ..words.dialects import BETA1, NKI
from ..words.dtypes import FLOAT32, DType
from ..words.memory import ON_CHIP, SBUF
from ..words.promotion import dtype_argument, operand_dtype
from ..words.shapes import axes_of, expands_to_condition, on_chip_shape, reduced
from .effects import ALIGNED, ROWS, Chosen, Effects, Possible, Reduced
from .form import Call, Result, operation, reads, usual_effects
from .implicit import between_steps
from .language_results import decided, elementwise, like, tile
from .particular import Requirement, is_tile
from .requires import Requires

REDUCTIONS = "sum max min prod"
_WEIGHTS = Requirement(
    "NKI204",
    "w",
    lambda call: expands_to_condition(call.w.shape, call.x.shape) if is_tile(call.w) and is_tile(call.x) else True,
    "`w` has shape {given}; `rms_norm` multiplies it with `x`, which has {shape}",
    lambda call: {"given": list(call.w.shape), "shape": list(call.x.shape)},
)
_RATE = Requirement(
    "NKI205",
    "rate",
    lambda call: call.rate.free == 1 if is_tile(call.rate) else True,
    "`rate` has free size {rate.free}; `dropout` takes one element for each partition",
)


def reduction(call: Call) -> Result:
    source = tile(call.x)
    keepdims = decided(call.get("keepdims", False), "keepdims")
    shape = on_chip_shape(reduced(source.shape, call.axis, keepdims))
    return Result(shape, dtype_argument(call.dtype, source.dtype))


def _reduced(call: Call) -> Effects:
    kept = call.get("keepdims", False) is True or (call.dialect == NKI and call.operation.leaf == "var")
    return usual_effects(call, Reduced(axes_of(call.axis, tile(call.x).rank), kept))


def _normalised(call: Call) -> Effects:
    return usual_effects(call, Reduced(axes_of(call.axis, tile(call.x).rank), kept=True))


for name in REDUCTIONS.split():
    operation(
        f"language.{name}",
        beta1="x, axis, *, dtype=None, mask=None, keepdims=False, **kwargs",
        nki="x, axis, dtype=None, keepdims=False",
        since="0.3",
        page=f"api/generated/nki.language.{name}",
        depends=_reduced,
        x=reads(ON_CHIP),
    )(reduction)

operation(
    "language.all",
    beta1="x, axis, *, dtype=bool, mask=None, **kwargs",
    nki="x, axis, dtype=None",
    since="0.3",
    page="api/generated/nki.language.all",
    x=reads(ON_CHIP),
    depends=_reduced,
)(reduction)


@operation(
    "language.mean",
    beta1="x, axis, *, dtype=None, mask=None, keepdims=False, **kwargs",
    nki="x, axis, dtype=None, keepdims=False",
    since="0.3",
    page="api/generated/nki.language.mean",
    x=reads(ON_CHIP),
    depends=_reduced,
)
def mean(call: Call) -> Result:
    """Gives float32 for integers in Beta 1."""
    plain = reduction(call)
    integers = call.dialect == BETA1 and isinstance(plain.dtype, DType) and not tile(call.x).dtype.is_float
    return Result(plain.shape, dtype_argument(call.dtype, FLOAT32)) if integers else plain


@operation(
    "language.var",
    beta1="x, axis, *, dtype=None, mask=None, **kwargs",
    nki="x, axis, dtype=None, keepdims=False",
    since="0.3",
    page="api/generated/nki.language.var",
    x=reads(ON_CHIP),
    depends=_reduced,
)
def var(call: Call) -> Result:
    """Keeps the reduced axes in 0.x whatever `keepdims` says."""
    source = tile(call.x)
    shape = on_chip_shape(reduced(source.shape, call.axis, call.dialect == NKI))
    return Result(shape, dtype_argument(call.dtype, source.dtype))


@operation(
    "language.softmax",
    beta1="x, axis, *, dtype=None, compute_dtype=None, mask=None, **kwargs",
    nki="x, axis=-1, dtype=None",
    since="0.3",
    implicit=between_steps,
    page="api/generated/nki.language.softmax",
    x=reads(ON_CHIP),
    depends=_normalised,
)
def softmax(call: Call) -> Result:
    return normalised(call)


@operation(
    "language.rms_norm",
    beta1="x, w, axis, n, epsilon=1e-06, *, dtype=None, compute_dtype=None, mask=None, **kwargs",
    nki="x, w, axis, n, epsilon=1e-06, dtype=None, compute_dtype=None",
    since="0.3",
    page="api/generated/nki.language.rms_norm",
    x=reads(ON_CHIP),
    w=reads(ON_CHIP, how=ALIGNED),
    depends=_normalised,
    requirements=(_WEIGHTS,),
)
def rms_norm(call: Call) -> Result:
    return normalised(call)


def normalised(call: Call) -> Result:
    """A tile like `x`; in Beta 1 `compute_dtype` sets the dtype of the result too."""
    source = tile(call.x)
    compute = call.get("compute_dtype") if call.dialect == BETA1 else None
    return Result(source.shape, dtype_argument(call.dtype, dtype_argument(compute, source.dtype)))


@operation(
    "language.dropout",
    beta1="x, rate, *, dtype=None, mask=None, **kwargs",
    nki="x, rate, dtype=None",
    since="0.3",
    page="api/generated/nki.language.dropout",
    x=reads(ON_CHIP),
    rate=reads(ON_CHIP, scalar=True, how=ROWS),
    depends=ALIGNED,
    ordered=True,
    nki_requires=Requires(same_partitions=("x", "rate")),
    requirements=(_RATE,),
)
def dropout(call: Call) -> Result:
    return like(call, "x")


@operation(
    "language.where",
    beta1="condition, x, y, *, dtype=None, mask=None, **kwargs",
    nki="condition, x, y, dtype=None",
    since="0.3",
    page="api/generated/nki.language.where",
    condition=reads(ON_CHIP, how=ALIGNED),
    x=reads(ON_CHIP, scalar=True, how=Chosen("condition")),
    y=reads(ON_CHIP, scalar=True, how=Chosen("condition", negated=True)),
)
def where(call: Call) -> Result:
    """Takes its dtype from the two choices, not from the condition."""
    shape = elementwise(call, ("condition", "x", "y")).shape
    return Result(shape, dtype_argument(call.dtype, operand_dtype(call.dialect, (call.x, call.y))))


@operation(
    "language.all_reduce",
    beta1="x, op, program_axes, *, dtype=None, mask=None, parallel_reduce=True, asynchronous=False, **kwargs",
    kind="collective",
    page="api/generated/nki.language.all_reduce",
    x=reads(ON_CHIP),
    depends=Possible(ALIGNED),
)
def all_reduce(call: Call) -> Result:
    return like(call, "x", SBUF)


@operation(
    "language.loop_reduce",
    beta1="x, op, loop_indices, *, dtype=None, mask=None, **kwargs",
    page="api/generated/nki.language.loop_reduce",
    x=reads(ON_CHIP),
    depends=ALIGNED,
)
def loop_reduce(call: Call) -> Result:
    """Gives the reduction over the iterations so far; the loop carries it on."""
    return like(call, "x")
