"""What to evaluate for a kernel: its inputs as its source and the configuration specify them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nkilint.base.options import Options
from nkilint.evaluator.kernels.launch import Launch
from nkilint.evaluator.kernels.requests import Request, launch_arguments
from nkilint.evaluator.values.host import HostArray
from nkilint.project.discovery import Kernel
from nkilint.project.docstrings import docstring_shapes
from nkilint.project.imports import Imports
from nkilint.project.specs import SpecificationError, specification


def request_for(
    kernel: Kernel, options: Options, imports: Imports, called: bool
) -> tuple[Request, tuple[SpecificationError, ...]]:
    """The request for all inputs of a kernel, and what is wrong with its specifications.

    `called` says that other kernels call it.
    """
    scope = imports.scope(kernel.module)
    configured = options.specifications(kernel.module.path, kernel.name)
    specified, problems = specification(kernel, configured, lambda node: imports.qualified(scope, node))
    request = Request(
        kernel.module,
        kernel.function,
        kernel.outer,
        kernel.dialect,
        kernel.may_write,
        called or kernel.kind in ("implicit", "trace"),
        specified,
        names=docstring_shapes(kernel.function),
        options=kernel.arguments if kernel.kind == "jit" else (),
    )
    return request, problems


def launched_ranks(request: Request, launches: Sequence[Launch]) -> dict[str, int]:
    """The number of dimensions that a parameter has in every launch that gives it an array."""
    found: dict[str, set[int]] = {}
    for launch in launches:
        for name, value in launch_arguments(replace(request, launch=launch)).items():
            if isinstance(value, HostArray):
                found.setdefault(name, set()).add(len(value.shape))
    return {name: min(ranks) for name, ranks in found.items() if len(ranks) == 1}
