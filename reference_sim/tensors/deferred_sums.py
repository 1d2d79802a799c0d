"""Products that go into HBM tensors: computed when something looks at the tensor, neighbouring ones as one product."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nkilint_rules.words.dtypes import FLOAT32
from nkilint_rules.words.memory import HBM

from .deferred import ACROSS, DOWN, Part, Product, Sum, joined, multiply

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage

    from .tensor import Tensor

MANY = 64  # writes of one tensor


class DeferredWrite:
    """A product, and the part of an HBM tensor that it goes into."""

    __slots__ = ("part", "product")

    def __init__(self, part: Part, product: Product) -> None:
        self.part, self.product = part, product

    def joined(self, other: DeferredWrite) -> DeferredWrite | None:
        """Both as one, where the other has the next columns of the same rows, or the next rows of the same columns."""
        mine, its = self.product, other.product
        if mine.left.same(its.left):
            part, right = joined(self.part, other.part, ACROSS), mine.right.joined(its.right, ACROSS)
            return None if part is None or right is None else DeferredWrite(part, Product(mine.left, right))
        if mine.right.same(its.right):
            part, left = joined(self.part, other.part, DOWN), mine.left.joined(its.left, ACROSS)
            return None if part is None or left is None else DeferredWrite(part, Product(left, mine.right))
        return None

    def carry_out(self) -> None:
        """Put the product where it goes."""
        whole, box = self.part
        multiply(self.product.left.source, self.product.right.source, whole[box])


def put_off(target: Tensor, total: Sum) -> bool:
    """Put off writing a sum that is one product into a box of an HBM tensor that is the kernel's own."""
    storage, part = target.storage, target.part
    if storage.memory != HBM or storage.is_input or storage.element is not FLOAT32 or target.element is not FLOAT32:
        return False
    if part is None or part[0] is not storage.array or target.sizes != total.shape or len(total.products) != 1:
        return False
    taken = total.copied()
    if taken is None:
        return False
    writes: list[DeferredWrite] = storage.put_off or []
    write = DeferredWrite(part, taken.products[0])
    while writes and (both := writes[-1].joined(write)) is not None:
        writes.pop()
        write = both
    writes.append(write)
    storage.put_off = writes
    if len(writes) > MANY:
        carry_out(storage)
    return True


def carry_out(storage: Storage) -> None:
    """Write everything that was put off, in the order in which the kernel did."""
    writes: list[DeferredWrite] = storage.put_off or []
    storage.put_off = None
    with np.errstate(all="ignore"):
        for write in writes:
            write.carry_out()
