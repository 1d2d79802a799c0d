"""What a kernel gives back: whether its outputs were written, and whether the order of iterations matters to them."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.memory import HBM, MEMORY_NAMES
from reference_sim.report.errors import finding_at
from reference_sim.report.reporting import report
from reference_sim.report.sites import HEAD, Site
from reference_sim.report.wording import complain, returned_text
from reference_sim.tensors.tensor import Tensor

from . import lost_writes as rewriting

if TYPE_CHECKING:
    from reference_sim.machine.program import Launch

    from .undefined import Shadow


def return_site(function: Callable[..., Any]) -> Site:
    """The last `return` of a function, or its first line."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    found: Site = (code, HEAD)
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RETURN_VALUE":
            found = (code, instruction.offset)
    return found


def returned_tensors(value: Any) -> Iterator[Tensor]:
    """The tensors in what a kernel returned."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from returned_tensors(item)
    elif isinstance(value, dict):
        yield from returned_tensors(list(value.values()))


def judge(result: Any, inputs: Sequence[Tensor], state: Launch, function: Callable[..., Any]) -> None:
    """Report outputs that lie on chip, were not written, or only in part. An input that is returned too is updated.

    Which rows an indirect store writes is the kernel's own choice: such an output is not judged for coverage.
    """
    site = return_site(function)
    returned = set()
    for position, tensor in enumerate(returned_tensors(result)):
        returned.add(tensor.storage)
        called = tensor.storage.name or f"output {position}"
        if tensor.storage.memory != HBM:
            text = returned_text(site, position) or called
            complain("NKI707", None, site, (), state.strictness, tensor=f"`{text}`",
                     memory=MEMORY_NAMES[tensor.storage.memory])  # fmt: skip
            continue
        if tensor.storage.kind == "private" and state.dialect == NKI:
            text = returned_text(site, position) or called
            complain("NKI707", "private", site, (), state.strictness, tensor=f"`{text}`")
        rewriting.returned(tensor.storage, state.strictness)
        allocated = [("allocated here", tensor.storage.site)]
        _judge_written(tensor, tensor.storage.shadow, called, site, allocated, state)
    for tensor in inputs:
        rewriting.returned(tensor.storage, state.strictness)
        if tensor.storage.left is not None and not tensor.storage.was_read and tensor.storage not in returned:
            _judge_written(tensor, tensor.storage.left, tensor.storage.name, _head(function), [], state)


def _judge_written(
    tensor: Tensor, shadow: Shadow | None, called: str, site: Site, related: list[tuple[str, Site]], state: Launch
) -> None:
    if shadow is None or shadow.undefined is None or tensor.storage.dynamic or tensor.size == 0:
        return
    if shadow.undefined is True:
        complain("NKI702", None, site, related, state.strictness, tensor=called)
        return
    missing = np.argwhere(shadow.undefined)
    element = ", ".join(str(int(i)) for i in missing[0])
    complain("NKI703", None, site, related, state.strictness, element=f"[{element}]", tensor=called)


def _head(function: Callable[..., Any]) -> Site:
    """The first line of a function."""
    code = getattr(function, "__code__", None)
    return None if code is None else (code, HEAD)


def compare_shuffled(again: Callable[[Launch], Any], state: Launch, found: Any, function: Callable[..., Any]) -> None:
    """Report outputs that change when affine iterations run in another order."""
    other = again(state)
    for position, (a, b) in enumerate(zip(_arrays(found), _arrays(other), strict=True)):
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
        scale = np.maximum(np.abs(x), 1)
        # Sums come out in another order: allow for what rounding does.
        if not np.all((np.abs(x - y) <= 1e-4 * scale) | (np.isnan(x) & np.isnan(y)) | (x == y)):
            text = f"output {position} changes when the iterations of affine_range loops run in another order"
            report(finding_at("NKI601", text, return_site(function)), state.strictness)


def _arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)
    elif hasattr(value, "shape"):
        yield value
