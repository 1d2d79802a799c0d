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

MANY = 64  # debts of one tensor


class Debt:
    """A product, and the part of an HBM tensor that it goes into."""

    __slots__ = ("part", "product")

    def __init__(self, part: Part, product: Product) -> None:
        self.part, self.product = part, product

    def joined(self, other: Debt) -> Debt | None:
        """Both as one, where the other has the next columns of the same rows, or the next rows of the same columns."""
        mine, its = self.product, other.product
        if mine.left.same(its.left):
            part, right = joined(self.part, other.part, ACROSS), mine.right.joined(its.right, ACROSS)
            return None if part is None or right is None else Debt(part, Product(mine.left, right))
        if mine.right.same(its.right):
            part, left = joined(self.part, other.part, DOWN), mine.left.joined(its.left, ACROSS)
            return None if part is None or left is None else Debt(part, Product(left, mine.right))
        return None

    def pay(self) -> None:
        """Put the product where it goes."""
        whole, box = self.part
        multiply(self.product.left.source, self.product.right.source, whole[box])


def owe(target: Tensor, total: Sum) -> bool:
    """Put off writing a sum that is one product into a box of an HBM tensor that is the kernel's own."""
    storage, part = target.storage, target.part
    if storage.memory != HBM or storage.is_input or storage.element is not FLOAT32 or target.element is not FLOAT32:
        return False
    if part is None or part[0] is not storage.array or target.sizes != total.shape or len(total.products) != 1:
        return False
    taken = total.copied()
    if taken is None:
        return False
    debts: list[Debt] = storage.owed or []
    debt = Debt(part, taken.products[0])
    while debts and (both := debts[-1].joined(debt)) is not None:
        debts.pop()
        debt = both
    debts.append(debt)
    storage.owed = debts
    if len(debts) > MANY:
        pay(storage)
    return True


def pay(storage: Storage) -> None:
    """Write everything that was put off, in the order in which the kernel did."""
    debts: list[Debt] = storage.owed or []
    storage.owed = None
    with np.errstate(all="ignore"):
        for debt in debts:
            debt.pay()
