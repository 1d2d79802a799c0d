"""Calls of kernels are looked for in code of the host, not in what itself asks the device for something."""

from __future__ import annotations

from typing import Any
from unittest import mock

from nkilint.evaluator.kernels import hostrun
from nkilint.evaluator.state.machine import Machine
from tests.support.checking import report_on

SOURCE = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    part(x, output)
    return output


def part(x, output):
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(30):
        for j in range(30):
            nisa.dma_copy(dst=tile, src=x[i * j])
            nisa.dma_copy(dst=output[i * j], src=tile)
    kernel[2](x)


def launch(x):
    for i in range(3):
        kernel[2](x)
"""


def test_code_of_the_device_is_not_followed() -> None:
    made: list[Machine] = []

    def machine(*given: Any) -> Machine:
        made.append(Machine(*given))
        return made[-1]

    with mock.patch.object(hostrun, "Machine", machine):
        report_on(SOURCE, proofs=False)
    assert [launch.grid for each in made for launch in each.launches] == [(2,), (2,), (2,)]
    assert sum(each.steps for each in made) < 100
