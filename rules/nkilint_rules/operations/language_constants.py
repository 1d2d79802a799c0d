"""Constants of `nki.language` and `nki.compiler`: dtypes, memories, tile sizes, limits of numbers, bare operators.

`CONSTANTS[dialect][name]` is a DType, a `MemoryRegion`, a `TargetAttribute`, a number or a `Named`; names are without
dialect: `language.tile_size.pmax`. Pages: `nki.language`, `nki.language.tile_size`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words.dialects import BETA1, NKI
from ..words.dtypes import DTYPES
from ..words.memory import HBM, PSUM, SBUF
from ..words.names import Named
from ..words.records import dataclass
from ..words.targets import Target


@dataclass(frozen=True, slots=True)
class MemoryRegion:
    """A value for `buffer=`: its own name, and the memory it is a part of."""

    name: str
    memory: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class TargetAttribute:
    """A constant whose value is a limit of the target; versions as in `versions`."""

    attribute: str
    since: str = ""
    deprecated: str = ""

    def value(self, target: Target) -> int:
        return getattr(target, self.attribute)  # type: ignore[no-any-return]


REGIONS = {
    region.name: region
    for region in (
        MemoryRegion("sbuf", SBUF),
        MemoryRegion("psum", PSUM),
        MemoryRegion("hbm", HBM),
        MemoryRegion("private_hbm", HBM),
        MemoryRegion("shared_hbm", HBM),
    )
}


def memory_region(value: Any) -> MemoryRegion | None:
    """The region that an argument names: itself, a constant's name, or a string as 0.2 takes it."""
    if isinstance(value, MemoryRegion):
        return value
    return REGIONS.get(value.leaf if isinstance(value, Named) else value) if isinstance(value, (Named, str)) else None


FP32_MIN = -3.4028234663852886e38  # bit pattern 0xff7fffff
BFP16_MIN = float("-inf")  # bit pattern 0xff80

_INTEGERS = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
_FLOATS = ("float16", "float32", "bfloat16", "tfloat32", "float8_e4m3", "float8_e5m2")
_NEWER = ("float8_e4m3fn", "float8_e8m0fnu", "float8_e5m2_x4", "float8_e4m3fn_x4", "float4_e2m1fn_x4")

_TILE_SIZES = ("pmax", "psum_fmax", "gemm_stationary_fmax", "gemm_moving_fmax", "bn_stats_fmax")
_ALIGNMENTS = ("psum_min_align", "sbuf_min_align")
_BYTES_AWARE = ("sbuf_size_bytes", "sbuf_fmax", "sbuf_fmax_bytes", "psum_bank_fmax", "psum_bank_fmax_bytes")

# Members of tile_size, both dialects in one; what a dialect lacks is left out below.
TILE_SIZE = {
    **{name: TargetAttribute(name) for name in _TILE_SIZES},
    **{name: TargetAttribute(name, since="2.21") for name in _ALIGNMENTS},
    **{name: TargetAttribute(name, since="0.4") for name in _BYTES_AWARE},
    "psum_fmax": TargetAttribute("psum_fmax", deprecated="0.4"),
    "psum_num_banks": TargetAttribute("psum_num_banks", since="0.5"),
    "total_available_sbuf_size": TargetAttribute("total_available_sbuf_size", since="2.26", deprecated="0.4"),
}
_NKI_TILE_SIZE = frozenset({*_BYTES_AWARE, "psum_num_banks"})

# The first version of constants that came later.
SINCE: Mapping[str, str] = {
    "language.float8_e5m2": "2.21",
    "language.fp32.min": "2.23",
    "language.bfp16.min": "2.26",
    "language.float8_e8m0fnu": "0.5",
    "language.prelu": "0.4",
    "language.bypass": "0.4",
    "language.average": "0.5",
    "language.MemoryRegion": "0.3",
    **{f"language.tile_size.{name}": constant.since for name, constant in TILE_SIZE.items() if constant.since},
}


def _named(*names: str) -> dict[str, Any]:
    return {name: Named(name) for name in names}


def _shared(dtypes: tuple[str, ...]) -> dict[str, Any]:
    return {
        **{f"language.{name}": DTYPES[name] for name in dtypes},
        "language.bool_": DTYPES["bool"],
        **{f"language.{name}": region for name, region in REGIONS.items()},
    }


_BETA1: dict[str, Any] = {
    **_shared((*_INTEGERS, *_FLOATS)),
    **{f"language.tile_size.{name}": c for name, c in TILE_SIZE.items() if name not in _NKI_TILE_SIZE},
    **{f"language.constants.{name}": TILE_SIZE[name] for name in _ALIGNMENTS},
    "language.fp32.min": FP32_MIN,
    "language.bfp16.min": BFP16_MIN,
    "compiler.sbuf": REGIONS["sbuf"],
    "compiler.psum": REGIONS["psum"],
    **_named("language.mgrid", "language.tile_size", "language.fp32", "language.bfp16"),
}
_NKI: dict[str, Any] = {
    **_shared((*_INTEGERS, *_FLOATS, *_NEWER)),
    "language.bool": DTYPES["bool"],  # on no page, but in AWS's library
    **{f"language.tile_size.{name}": c for name, c in TILE_SIZE.items()},
    **{f"language.MemoryRegion.{name}": region for name, region in REGIONS.items() if name != "hbm"},
    **_named("language.prelu", "language.bypass", "language.average"),
    **_named("language.tile_size", "language.MemoryRegion", "language.DType"),
}
CONSTANTS: Mapping[str, Mapping[str, Any]] = {BETA1: _BETA1, NKI: _NKI}
