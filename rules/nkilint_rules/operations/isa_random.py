"""Random numbers."""

from __future__ import annotations

from ..words.dialects import BETA1, NKI
from ..words.dtypes import (
    BFLOAT16,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    INT32,
    TFLOAT32,
    UINT32,
)
from ..words.memory import ON_CHIP, SBUF
from ..words.promotion import INTEGERS
from .effects import ALIGNED, EVERYTHING, ROWS
from .form import Call, Limit, Result, operation, reads, writes
from .isa_results import like, page, tile
from .particular_compute import DROPOUT, RAND_GET_STATE, RAND_SET_STATE, RNG
from .requires import FP32, Column, Requires
from .signatures import Era


@operation(
    "isa.dropout",
    beta1="data, prob, *, mask=None, dtype=None, **kwargs",
    nki="dst, data, prob, name=None",
    engines="vector",
    page=page("dropout"),
    data=reads(ON_CHIP),
    prob=reads(ON_CHIP, scalar=True, how=ROWS),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    ordered=True,
    requires=Requires(columns={"prob": Column("data")}),
    nki_requires=Requires(same_dtype=(("data", "dst"),)),
    requirements=DROPOUT,
    history=(Era(BETA1, "2.20", "2.21", "data, prob, mask=None, dtype=None, **kwargs"),),
)
def dropout(call: Call) -> Result:
    if call.dialect == BETA1:
        return like(call, "data")
    data = tile(call, "data")
    return Result(tuple(data.shape), data.dtype, exact=False)


@operation(
    "isa.rng",
    nki="dst, engine=isa.engine.vector, name=None",
    engines=("vector", "gpsimd"),
    page=page("rng"),
    dst=writes(ON_CHIP, INTEGERS),
    ordered=True,
    requires=Requires(on_engines={"unknown": 2, "vector": 2, "gpsimd": 3}),
    requirements=RNG,
    history=(Era(NKI, "0.1", "0.5", "dst, engine=isa.engine.unknown, name=None"),),
)
def rng(call: Call) -> None:
    return None


@operation(
    "isa.rand2",
    nki="dst, min, max, name=None",
    engines="vector",
    targets=("trn3",),
    page=page("rand2"),
    min=reads(ON_CHIP, (FLOAT32,), scalar=True, how=ROWS),
    max=reads(ON_CHIP, (FLOAT32,), scalar=True, how=ROWS),
    dst=writes(ON_CHIP, (FLOAT8_E4M3, FLOAT8_E5M2, FLOAT16, BFLOAT16, FLOAT32, TFLOAT32, *INTEGERS)),
    ordered=True,
    requires=Requires(columns={"min": Column("dst", FP32), "max": Column("dst", FP32)}),
)
def rand2(call: Call) -> None:
    return None


@operation(
    "isa.rand_set_state",
    nki="src_seeds, engine=isa.engine.gpsimd, name=None",
    engines=("gpsimd", "vector"),
    targets=("trn2", "trn3"),
    page=page("rand_set_state"),
    src_seeds=reads(SBUF, (UINT32,)),
    limits=[Limit("NKI105", "src_seeds", "rank", "==", 2, page("rand_set_state"))],
    depends=EVERYTHING,
    ordered=True,
    requires=Requires(on_engines={"unknown": 2, "gpsimd": 3, "vector": 4}),
    requirements=RAND_SET_STATE,
    history=(Era(NKI, "0.1", "0.5", "src_seeds, engine=isa.engine.unknown, name=None"),),
)
def rand_set_state(call: Call) -> None:
    return None


@operation(
    "isa.rand_get_state",
    nki="dst, engine=isa.engine.gpsimd, name=None",
    engines=("gpsimd", "vector"),
    targets=("trn2", "trn3"),
    page=page("rand_get_state"),
    dst=writes(ON_CHIP, (UINT32,)),
    limits=[Limit("NKI105", "dst", "rank", "==", 2, page("rand_get_state"))],
    ordered=True,
    requires=Requires(on_engines={"unknown": 2, "gpsimd": 3, "vector": 4}),
    requirements=RAND_GET_STATE,
    history=(Era(NKI, "0.1", "0.5", "dst, engine=isa.engine.unknown, name=None"),),
)
def rand_get_state(call: Call) -> None:
    return None


@operation(
    "isa.set_rng_seed",
    nki="src_seeds, name=None",
    engines="vector",
    page=page("set_rng_seed"),
    src_seeds=reads(ON_CHIP, (INT32, UINT32, FLOAT32)),
    limits=[
        Limit("NKI109", "src_seeds", "partitions", "==", 1, page("set_rng_seed")),
        Limit("NKI109", "src_seeds", "free", "==", 1, page("set_rng_seed")),
    ],
    depends=EVERYTHING,
    ordered=True,
)
def set_rng_seed(call: Call) -> None:
    return None
