"""Blocks of Beta 1's loops: a tensor that one makes ends with it, although Python keeps the name (NKI704 to NKI706)."""

from __future__ import annotations

import linecache
import re

from nkilint_rules.dataflow.out_of_scope import OutOfScope
from nkilint_rules.dataflow.output_not_at_kernel_level import OutputNotAtKernelLevel
from nkilint_rules.dataflow.rebound_accumulator import ReboundAccumulator
from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, assigned_name, here, place
from reference_sim.report.wording import complain
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .loops import taken
from .protocol import Follower, Observer, follow, leave


class Block(Follower):
    """One run of a loop that the compiler keeps as a block; it follows the tensors made in it."""

    __slots__ = ("ended", "loop")

    def __init__(self, loop: Loop) -> None:
        self.loop, self.ended = loop, False

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        if self.ended:
            self.used(tensor, current)

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        if self.ended:
            self.used(tensor, current)

    def used(self, tensor: Tensor, current: Program) -> None:
        """Report a tensor whose block has ended: it was bound anew in the loop, or it belongs to it."""
        if not self.ended:
            return
        storage = tensor.storage
        leave(storage, self)
        name = assigned_name(storage.site)
        if name and _bound_anew(name, storage.site):
            complain(ReboundAccumulator.message(tensor=name), storage.site, [("it is used here", here())])
        else:
            said = OutOfScope.message(tensor=name or "a tile", block="loop")
            complain(said, None, [("made here", storage.site)])


class Scopes(Observer):
    """Knows in which blocks tensors are made, and where tensors in shared HBM are."""

    DIALECT = BETA1
    AT_TIMES = ("gave",)

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.blocks: list[Block] = []

    def loop_began(self, loop: Loop) -> None:
        if loop.block:
            if not self.blocks:
                self.start()
            self.blocks.append(Block(loop))

    def loop_ended(self, loop: Loop, completed: bool) -> None:
        block = taken(self.blocks, loop)
        if block is None:
            return
        block.ended = True
        if not self.blocks:
            self.stop()

    def allocated(self, storage: Storage, filled: bool) -> None:
        if storage.kind == "shared":
            self._shared(storage)
        if self.blocks:
            follow(storage, self.blocks[-1])

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        storage = tile.storage
        follow(storage, self.blocks[-1])
        if storage.site is None:
            storage.site = here()

    def _shared(self, storage: Storage) -> None:
        """Report a tensor in shared HBM that is made in a loop, or in a function that the kernel calls."""
        kernel = self.program.launch.code
        where = ""
        if self.blocks:
            where = "in a loop"
        elif kernel is not None and storage.site is not None and storage.site[0] is not kernel:
            where = "in a function that the kernel calls"
        if where:
            said = f"`{storage.name}`" if storage.name else "the tensor"
            complain(OutputNotAtKernelLevel.message(tensor=said, where=where))


def _bound_anew(name: str, site: Site) -> bool:
    """Whether the statement that made a tensor computes it from what its variable held before."""
    where = place(site)
    return bool(re.match(rf"\s*{name}\s*=[^=].*\b{name}\b", linecache.getline(where.file, where.row)))
