"""`torch`."""

from __future__ import annotations

import math

from .constructors import converted, model_common, of_shape, of_sizes, random
from .registry import CONSTANTS, models

CONSTANTS["torch.inf"] = math.inf
model_common("torch")
models("torch.manual_seed")(lambda m, a, k: None)
models("torch.rand", "torch.randn", "torch.zeros", "torch.ones", "torch.empty")(of_sizes("float32"))
models("torch.randint")(random(2, "int64"))
models("torch.tensor", "torch.from_numpy")(converted)
models("torch.full")(of_shape(9, None))
