"""Arrays of numpy, torch and jax in host code, as far as their shape and dtype go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class HostArray:
    """An array on the host. A dtype of None is not known; `is_torch` says that its methods are those of torch."""

    shape: tuple[Any, ...]
    dtype: Any
    is_torch: bool = False
