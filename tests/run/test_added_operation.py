"""An operation takes two places: once it is defined and has numerics, both readers follow it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import reference_sim
from nkilint_rules.operations import load_operations
from nkilint_rules.operations.effects import ALIGNED
from nkilint_rules.operations.form import OPERATIONS, Call, Result, operation, reads, writes
from nkilint_rules.operations.isa_results import like
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.memory import ON_CHIP
from reference_sim.operations.calls import entry_for
from reference_sim.report.errors import NkiError
from reference_sim.standin.operations import function_for

from ..support.checking import report_on

NAME = "isa.doubled"
KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:128, 0:{columns}], src=x[0:128, 0:{columns}])
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.doubled(dst=result, src=tile)
    nisa.dma_copy(dst=output, src=result)
    return output
"""


reference_sim.install()
nki, nisa, nl = (importlib.import_module(name) for name in ("nki", "nki.isa", "nki.language"))


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    @operation(
        NAME, nki="dst, src, name=None", engines="vector", src=reads(ON_CHIP), dst=writes(ON_CHIP), depends=ALIGNED
    )
    def doubled(call: Call) -> Result:
        return like(call, "src")

    load_operations.cache_clear()
    entry = entry_for(NAME, NKI, lambda operands: operands.f32("src") * 2, False)
    assert entry is not None
    monkeypatch.setattr(nisa, "doubled", function_for(entry), raising=False)
    yield
    del OPERATIONS[NAME]
    load_operations.cache_clear()


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(("columns", "codes"), [(64, []), (32, ["NKI701"])])
def test_both_readers_follow_a_new_operation(columns: int, codes: list[str]) -> None:
    report = report_on(KERNEL.format(columns=columns), confirm=False)
    assert [d.code for d in report.findings] == codes
    assert [k.verdict for k in report.kernels] == ["violated" if codes else "verified"]

    @nki.jit
    def kernel(x: Any) -> Any:
        output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:128, 0:columns], src=x[0:128, 0:columns])
        result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.doubled(dst=result, src=tile)
        nisa.dma_copy(dst=output, src=result)
        return output

    x = np.random.default_rng(0).random((128, 64), np.float32)
    if codes:
        with pytest.raises(NkiError, match="NKI701"):
            kernel(x)
    else:
        np.testing.assert_array_equal(kernel(x), 2 * x)
    reference_sim.FINDINGS.clear()
