"""What a directly allocated kernel of Beta 1 as a whole has to obey: no other tensors than those that it places
(NKI405, NKI406, NKI407)."""

from __future__ import annotations

from typing import Any

from nkilint_rules.placement.implicit_tensor import ImplicitTensor
from nkilint_rules.placement.internal_hbm import InternalHbm
from nkilint_rules.placement.mixed_allocation import MixedAllocation
from nkilint_rules.placing.direct import FIRST, STACK, is_automatic, is_internal
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, here
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .outputs import returned_tensors
from .protocol import Follower, Observer, follow


class Automatic(Follower):
    """A result that the kernel leaves to the compiler: it is one of its tensors once an operation reads it."""

    __slots__ = ("known", "maker")

    def __init__(self, maker: str, known: dict[Site, tuple[Storage, str]]) -> None:
        self.maker, self.known = maker, known

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        if operands is not None:
            self.known.setdefault(tensor.storage.site, (tensor.storage, self.maker))


class DirectAllocation(Observer):
    """Looks back over a program that placed tensors itself."""

    DIALECT = BETA1
    AT_TIMES = ("gave",)

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.first: Storage | None = None  # the first tensor that the kernel places itself
        self.automatic: dict[Site, tuple[Storage, str]] = {}  # those that it does not, and the operations they come of
        self.implicit: dict[Site, tuple[str, str | None]] = {}  # operations that make tensors of their own, and which

    def allocated(self, storage: Storage, filled: bool) -> None:
        if storage.placed:
            if self.first is None:
                self.first = storage
                self.start()
        elif is_automatic(storage.memory, storage.placed):
            self.automatic.setdefault(storage.site, (storage, ""))

    def makes(self, operands: Operands) -> None:
        self.implicit.setdefault(here(), (operands.entry.operation.leaf, operands.plan.implicit))

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        if operands is not None:
            tile.storage.site = here()
            follow(tile.storage, Automatic(operands.entry.operation.leaf, self.automatic))

    def ended(self, result: Any) -> None:
        first, launch = self.first, self.program.launch
        if first is None or launch.allocation == STACK:
            return
        direct: list[tuple[str, Site]] = [(FIRST, first.site)]
        for site, (storage, maker) in self.automatic.items():
            if maker:
                complain(MixedAllocation.result(operation=maker, other=name_of(first)), site, direct)
            else:
                complain(MixedAllocation.message(tensor=name_of(storage), other=name_of(first)), site, direct)
        for site, (operation, what) in self.implicit.items():
            complain(ImplicitTensor.message(operation=operation, what=what, other=name_of(first)), site, direct)
        outputs = {id(tensor.storage) for tensor in returned_tensors(result)}
        for storage in launch.storages:
            if is_internal(HBM, storage.kind == "shared", id(storage) in outputs):
                said = InternalHbm.message(tensor=name_of(storage), other=name_of(first))
                complain(said, storage.site, direct)
