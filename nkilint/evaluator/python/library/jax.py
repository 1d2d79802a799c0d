"""`jax.random`; `jax.numpy` stands with `numpy`."""

from __future__ import annotations

from nkilint_rules.words.conditions import Unknown

from .constructors import random
from .registry import ANY, models

models("jax.random.normal", "jax.random.uniform", keywords=ANY)(random(1, "float32"))
models("jax.random.PRNGKey", keywords=ANY)(lambda m, a, k: Unknown("a random key"))
