"""`nki_call`: a kernel that writes its outputs into arguments, called with their shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from neuronxcc import nki  # type: ignore[import-not-found]


def nki_call(kernel: Callable[..., Any], *args: Any, out_shape: Any, grid: Sequence[int] = ()) -> Any:
    """Run a kernel on arrays; it gets outputs of the shapes given after them."""
    many = isinstance(out_shape, (list, tuple))
    outputs = [np.zeros(one.shape, one.dtype) for one in (out_shape if many else [out_shape])]
    traced = nki.trace(kernel)
    (traced[tuple(grid)] if grid else traced)(*(np.asarray(a) for a in args), *outputs)
    found = [jax.numpy.asarray(output) for output in outputs]
    return tuple(found) if many else found[0]
