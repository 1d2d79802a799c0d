"""What to evaluate for a kernel: its parameters as specifications in its source and the configuration give them."""

from __future__ import annotations

from .discovery import Kernel
from .evaluator.kernel import Request
from .options import Options
from .source import SourceError


def request_for(kernel: Kernel, options: Options) -> tuple[Request, list[SourceError]]:
    """The request for all inputs of a kernel, and what is wrong with its specifications."""
    return Request(kernel.module, kernel.function, kernel.outer, kernel.dialect, kernel.may_write), []
