"""What nki-library's tests use of the vendor's `neuron_dtypes`: element types, and casts between them on the host.

A packed type holds four numbers in an element: casting to it takes four columns together, casting from it gives four.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nkilint_rules.words.dtypes import DTYPES
from reference_sim.machine.dtypes import HOST, cast, element_type

globals().update({name: HOST[element] for name, element in DTYPES.items() if "64" not in name})


def is_float_type(dtype: Any) -> bool:
    """Whether numbers of a type have fractions."""
    return element_type(dtype).is_float


def sizeinbytes(dtype: Any) -> int:
    """The bytes of an element."""
    return element_type(dtype).itemsize


def finfo(dtype: Any) -> Any:
    """The limits of a float type."""
    return ml_dtypes.finfo(HOST[element_type(dtype)])  # type: ignore[no-untyped-call]


def static_cast(values: Any, dtype: Any) -> Any:
    """A host array of another type."""
    values, element = np.asarray(values), element_type(dtype)
    if values.dtype == HOST[element]:
        return values
    if values.dtype.fields is not None:
        values = _unpacked(values)
    with np.errstate(all="ignore"):
        if HOST[element].fields is None:
            return np.asarray(cast(values, element, HOST[element], True))
        return _packed(values, HOST[element])


def _unpacked(values: Any) -> Any:
    (field,) = values.dtype.fields
    parts = values[field]
    if field == "fp4x4":
        halves = np.stack([parts & 15, parts >> 4], axis=-1).astype(np.uint8)
        parts = halves.view(ml_dtypes.float4_e2m1fn).reshape(*values.shape, 4)
    return parts.reshape(*values.shape[:-1], values.shape[-1] * 4)


def _packed(values: Any, host: Any) -> Any:
    (field,) = host.fields
    grouped = values.reshape(*values.shape[:-1], values.shape[-1] // 4, 4)
    made = np.empty(grouped.shape[:-1], host)
    if field == "fp4x4":
        halves = grouped.astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
        made[field] = halves[..., 0::2] | halves[..., 1::2] << 4
    else:
        made[field] = grouped.astype(host[field].base)
    return made
