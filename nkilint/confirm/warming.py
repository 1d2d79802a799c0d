"""Small kernels that are run before a process makes copies of itself: what they import and prepare is there then."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import numpy.random

import reference_sim
from nkilint_rules import catalogue
from nkilint_rules.words.dialects import BETA1, NKI
from reference_sim.machine import garbage

from .jail import hook, seccomp

with suppress(ImportError):  # not on every system
    import resource  # noqa: F401  - what limits of copies need


def warm() -> None:
    """Run the kernels, prepare what their findings need, and have all that is there by then stay."""
    catalogue.rules()
    hook.libraries()
    seccomp.prepare()
    data = np.ones((128, 128), np.float32)
    for kernel, dialect in ((_beta1, BETA1), (_nki, NKI)):
        reference_sim.observe(kernel, [data], dialect=dialect, target="trn2")
    garbage.keep()


def _beta1(x: Any) -> Any:
    # the simulator's modules, which are there once it is installed
    import neuronxcc.nki.isa as nisa  # type: ignore[import-not-found]
    import neuronxcc.nki.language as nl  # type: ignore[import-not-found]

    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(2):
        rows, columns = nl.arange(128)[:, None], i * 64 + nl.arange(64)[None, :]
        tile = nl.load(x[rows, columns], mask=columns < 128)
        total = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.psum)
        total += nisa.nc_matmul(nl.load(x), tile)
        nl.store(output[rows, columns], value=nl.add(nl.exp(tile), nl.copy(total)))
    return output


def _nki(x: Any) -> Any:
    # likewise
    import nki.isa as nisa  # type: ignore[import-not-found]
    import nki.language as nl  # type: ignore[import-not-found]

    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.dma_copy(dst=tile, src=x)
    nisa.nc_matmul(dst=total, stationary=tile, moving=tile)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.tensor_tensor(dst=tile, data1=tile, data2=total, op=nl.add)
    nisa.dma_copy(dst=output[0:128, 0:128], src=tile)
    return output
