"""Results that the statement which wrote them writes over before anything reads them, where runs are asked to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .grids import Where
from .sites import here
from .tensor import Tensor
from .tensor import read as elements
from .wording import complain, name_of

if TYPE_CHECKING:
    from .sites import Site


def wrote(target: Tensor, where: Where) -> None:
    """An operation wrote."""
    storage = target.storage
    if where is not None or target._array is None:
        return
    if storage.rewritten is None:
        storage.rewritten = {}
    site = here()
    place = (site, target.offset, target.shape, tuple(target.strides))
    values = np.array(elements(target))
    before = storage.rewritten.get(place)
    storage.rewritten[place] = values
    if before is not None and not np.array_equal(before, values, equal_nan=True):
        _complain(target, site)


def read(tensor: Tensor) -> None:
    """An operation reads: what was written until now has been of use."""
    tensor.storage.rewritten = None


def _complain(target: Tensor, site: Site) -> None:
    complain("NKI708", "run", site, tensor=name_of(target.storage))
