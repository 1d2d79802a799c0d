"""Whether the order of affine iterations matters to what a kernel gives back (NKI601)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nkilint_rules.parallel.loop_carried_dependency import LoopCarriedDependency
from reference_sim.report.sites import Site
from reference_sim.report.strictness import Strictness
from reference_sim.report.wording import complain


def compare(found: Any, other: Any, site: Site, strictness: Strictness) -> None:
    """Report outputs that are others when affine iterations run in another order."""
    for position, (a, b) in enumerate(zip(_arrays(found), _arrays(other), strict=True)):
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
        scale = np.maximum(np.abs(x), 1)
        # Sums come out in another order: allow for what rounding does.
        if not np.all((np.abs(x - y) <= 1e-4 * scale) | (np.isnan(x) & np.isnan(y)) | (x == y)):
            complain(LoopCarriedDependency.reordered(output=position), site, (), strictness)


def _arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)
    elif hasattr(value, "shape"):
        yield value
