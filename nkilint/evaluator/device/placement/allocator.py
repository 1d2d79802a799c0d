"""What a caller of direct allocation asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Allocator:
    """`ncc.sbuf.alloc(f)`, `ncc.psum.mod_alloc(...)`: a memory and how tiles are placed in it."""

    __slots__ = ("arguments", "kind", "memory", "name")

    def __init__(self, memory: str, kind: str, arguments: Mapping[str, Any]) -> None:
        self.memory, self.kind, self.arguments = memory, kind, arguments
        self.name = memory
