"""Indices that come from a tile, where the hardware takes none (NKI306)."""

from __future__ import annotations

from nkilint_rules.indexing.indirect_index import IndirectIndex
from nkilint_rules.words.memory import HBM
from reference_sim.operations.operands import Operands
from reference_sim.report import wording
from reference_sim.tensors.access import DynamicAccess
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Observer


class IndexTiles(Observer):
    """Looks at the subscripts of operands, and of what is assigned."""

    def indexes(self, operands: Operands) -> None:
        for name, _, _ in operands.entry.roles:
            value = operands.arguments.get(name)
            if type(value) is Tensor and type(value.access) is DynamicAccess and value.access.lookups:
                _check(value.access, operands.entry.operation.leaf)

    def copies(self, target: Tensor, value: Tensor, where: Where) -> None:
        if type(value.access) is DynamicAccess and value.access.lookups:
            _check(value.access, None)


def _check(access: DynamicAccess, operation: str | None) -> None:
    """Report indices from tiles where the hardware takes none; an assignment, which is no operation, takes none."""
    for lookup in access.lookups:
        _, text = wording.subscript_text(access.site, lookup.axis, len(access.source.shape))
        index = text or "an index"
        if operation is None:
            if access.source.storage.memory != HBM:
                wording.complain(IndirectIndex.none(index=index, operation="an assignment"), access.site)
        elif lookup.mesh:
            wording.complain(IndirectIndex.mgrid(index=index), access.site)
        elif lookup.spread:
            where = "the partition or a block axis"
            wording.complain(IndirectIndex.message(index=index, operation=operation, where=where), access.site)
