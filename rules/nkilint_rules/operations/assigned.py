"""What `dst[...] = src` is in Beta 1: an engine carries it out, as it does `nki.language.copy`."""

from __future__ import annotations

from .effects import ALIGNED
from .form import Operation, reads, writes
from .signatures import Signature

ASSIGNMENT = Operation(
    name="language.copy",
    beta1=Signature("dst, src"),
    nki=None,
    operands={"dst": writes(), "src": reads(scalar=True)},
    result=None,
    depends=ALIGNED,
)
