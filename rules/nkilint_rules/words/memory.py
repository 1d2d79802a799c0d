"""The memories that tensors live in."""

HBM, SBUF, PSUM = "hbm", "sbuf", "psum"
ON_CHIP = frozenset({SBUF, PSUM})
ANYWHERE = frozenset({HBM, SBUF, PSUM})

MEMORY_NAMES = {HBM: "HBM", SBUF: "SBUF", PSUM: "PSUM"}
"""The memories as messages name them."""
