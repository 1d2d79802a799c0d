"""The target that a kernel is verified for: what is evaluated on the way to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nkilint.base.options import Options
from nkilint.evaluator.kernels import kernel as evaluation
from nkilint.run import engine

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, rows=None):
    tile = nl.ndarray((128, 512), dtype=nl.DTYPE, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    print(rows.shape)
    return x
"""


def evaluated(folder: Path, dtype: str, patch: pytest.MonkeyPatch) -> list[tuple[str, frozenset[str]]]:
    """The targets and the defaults made inputs of all evaluations of the kernel, in their order."""
    found: list[tuple[str, frozenset[str]]] = []
    evaluate = evaluation._evaluate

    def noted(request: Any, modules: Any, target: Any, *rest: Any) -> Any:
        found.append((str(target), rest[3]))
        return evaluate(request, modules, target, *rest)

    patch.setattr(evaluation, "_evaluate", noted)
    (folder / "k.py").write_text(KERNEL.replace("DTYPE", dtype), encoding="utf-8")
    engine.check([folder / "k.py"], Options(confirm=False, proofs=False))
    return found


def test_defaults_are_looked_for_on_the_target_that_has_what_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none, rows = frozenset[str](), frozenset({"rows"})
    assert evaluated(tmp_path, "bfloat16", monkeypatch)[:2] == [("trn2", none), ("trn2", rows)]
    assert evaluated(tmp_path, "float8_e5m2_x4", monkeypatch)[:3] == [("trn2", none), ("trn3", none), ("trn3", rows)]
