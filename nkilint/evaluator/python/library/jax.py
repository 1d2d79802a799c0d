"""`jax.random`; `jax.numpy` stands with `numpy`."""

from __future__ import annotations

from nkilint_rules.words.conditions import Unknown

from .constructors import random
from .registry import models

models("jax.random.normal", "jax.random.uniform")(random(1, "float32"))
models("jax.random.PRNGKey")(lambda m, a, k: Unknown("a random key"))
