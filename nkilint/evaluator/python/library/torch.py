"""`torch`."""

from __future__ import annotations

import math

from .constructors import converted, model_common, of_shape, of_sizes, random
from .registry import ANY, CONSTANTS, models

CONSTANTS["torch.inf"] = math.inf
model_common("torch")
models("torch.manual_seed", keywords=ANY)(lambda m, a, k: None)
models("torch.rand", "torch.randn", "torch.zeros", "torch.ones", "torch.empty", keywords=ANY)(of_sizes("float32"))
models("torch.randint", keywords=ANY)(random(2, "int64"))
models("torch.tensor", "torch.from_numpy", keywords=ANY)(converted)
models("torch.full", keywords=ANY)(of_shape(9, None))
