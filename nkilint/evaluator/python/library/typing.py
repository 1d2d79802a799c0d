"""`typing` and `abc`, whose functions hand on what they are given."""

from __future__ import annotations

from .registry import CONSTANTS, first_argument, models

CONSTANTS["typing.TYPE_CHECKING"] = False


models("abc.abstractmethod")(first_argument)
models("typing.cast")(lambda m, a, k: a[1])
