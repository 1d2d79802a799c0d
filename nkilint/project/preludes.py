"""The imports that a file without any is taken to have, by namespace."""

from __future__ import annotations

from collections.abc import Mapping

from nkilint_rules.words.dialects import BETA1, NKI

_HOST = ("import math", "import numpy as np")

IMPORTS: Mapping[str, str] = {
    NKI: "\n".join(
        (
            "import nki",
            "import nki.isa as nisa",
            "import nki.language as nl",
            "import nki.typing as nt",
            *_HOST,
        )
    ),
    BETA1: "\n".join(
        (
            "import neuronxcc.nki as nki",
            "import neuronxcc.nki.compiler as ncc",
            "import neuronxcc.nki.isa as nisa",
            "import neuronxcc.nki.language as nl",
            "import neuronxcc.nki.typing as nt",
            "from neuronxcc.nki.language import par_dim",
            *_HOST,
        )
    ),
}
"""By dialect, statements that bind the names that the documentation goes by."""


def prelude(dialect: str | None, text: str = "") -> str:
    """What stands at the head of a text for a dialect, with `text` after it."""
    return "\n".join(part for part in (IMPORTS[dialect] if dialect else "", text) if part)
