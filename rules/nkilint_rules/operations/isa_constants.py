"""Enumerations, constants and types of `nki.isa`.

A member is a `Named` of its dotted name, so that a default in a signature and an argument compare equal however the
argument was spelled; the numbers behind the names are in `ENUM_VALUES`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..words.dialects import BETA1, NKI
from ..words.names import Named
from .language_constants import FP32_MIN

_ENGINE = {"unknown": 0, "tensor": 1, "scalar": 2, "gpsimd": 3, "vector": 5, "sync": 6}
_REDUCE_CMD = {"idle": 0, "reset": 1, "reduce": 2, "reset_reduce": 3}
_OOB_MODE = {"error": 0, "skip": 1}

ENUMS: Mapping[str, Mapping[str, Mapping[str, int | str]]] = {
    BETA1: {
        "engine": _ENGINE,
        "reduce_cmd": _REDUCE_CMD,
        "dge_mode": {"none": 0, "swdge": 1, "hwdge": 2, "unknown": 3},
        "oob_mode": _OOB_MODE,
        "nc_version": {"gen2": 2, "gen3": 3},
    },
    NKI: {
        "engine": {**_ENGINE, "dma": 4},
        "dma_engine": {"dma": 1, "gpsimd_dma": 2},
        "reduce_cmd": {**_REDUCE_CMD, "load_reduce": 4},
        "dge_mode": {"unknown": 0, "swdge": 1, "hwdge": 2, "none": 3},
        "oob_mode": _OOB_MODE,
        "matmul_perf_mode": {"none": "none", "double_row": "double_row"},
        "nc_version": {"gen2": 2, "gen3": 3, "gen4": 4},
    },
}
ENGINE_ALIASES = ("tensor", "vector", "scalar", "gpsimd", "unknown")
TYPES = ("VirtualRegister", "NkiInstruction", "NkiValidationError")

ENUM_VALUES: Mapping[str, Mapping[str, int | str]] = {
    dialect: {f"isa.{enum}.{member}": value for enum, members in enums.items() for member, value in members.items()}
    for dialect, enums in ENUMS.items()
}


def _constants(dialect: str) -> dict[str, object]:
    names = [f"isa.{enum}" for enum in ENUMS[dialect]] + list(ENUM_VALUES[dialect])
    constants: dict[str, object] = {name: Named(name) for name in names}
    constants.update({f"isa.{engine}_engine": Named(f"isa.engine.{engine}") for engine in ENGINE_ALIASES})
    if dialect == BETA1:
        constants.update({name.replace("isa.", "isa.constants.", 1): value for name, value in constants.items()})
        constants.update({"isa.dma_engine": Named("isa.engine.dma"), "isa.fp32.min": FP32_MIN})
    else:
        constants.update({f"isa.{name}": Named(f"isa.{name}") for name in TYPES})
    return constants


CONSTANTS: Mapping[str, Mapping[str, object]] = {dialect: _constants(dialect) for dialect in ENUMS}
