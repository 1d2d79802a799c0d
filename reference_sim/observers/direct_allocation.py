"""What a directly allocated kernel of Beta 1 as a whole has to obey: no other tensors than those that it places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nkilint_rules.words.dialects import BETA1
from reference_sim.report.sites import Site
from reference_sim.report.wording import complain, name_of

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage
    from reference_sim.machine.program import Program
    from reference_sim.tensors.tensor import Tensor

AUTOMATIC, STACK = "automatic", "stack"


def choosing(way: str) -> Callable[[Any], Any]:
    """A decorator after which the compiler places all tensors, or those that the kernel does not place."""

    def decorate(kernel: Any = None, **options: Any) -> Any:
        if kernel is None:
            return decorate
        getattr(kernel, "func", kernel).nki_allocation = way
        return kernel

    return decorate


def judge(current: Program, returned: Sequence[Tensor]) -> None:
    """Look back over a program that placed tensors itself."""
    first = current.direct
    if first is None or current.dialect != BETA1 or current.launch.allocation == STACK:
        return
    direct: list[tuple[str, Site]] = [("the first direct allocation", first.site)]
    for site, storage in current.automatic.items():
        values: dict[str, Any] = {"tensor": name_of(storage), "other": name_of(first)}
        if storage.maker:
            values["operation"] = storage.maker
        complain("NKI405", "result" if storage.maker else None, site, direct, **values)
    for site, (operation, what) in current.implicit.items():
        complain("NKI406", None, site, direct, operation=operation, what=what, other=name_of(first))
    outputs = {id(tensor.storage) for tensor in returned}
    for storage in current.launch.storages:
        if storage.kind != "shared" or id(storage) not in outputs:
            complain("NKI407", None, storage.site, direct, tensor=name_of(storage), other=name_of(first))


def placed(current: Program, storage: Storage) -> None:
    """The kernel placed a tensor."""
    if current.direct is None:
        current.direct = storage


def made(current: Program, storage: Storage) -> None:
    """A tensor on chip that the kernel leaves to the compiler."""
    current.automatic.setdefault(storage.site, storage)
