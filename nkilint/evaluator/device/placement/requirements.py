"""What the place of a tile has to obey, as obligations at its creation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nkilint.base.ir import Span
from nkilint_rules.operations.form import Call
from nkilint_rules.placing import places
from nkilint_rules.words.conditions import all_of, product
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import MEMORY_NAMES, PSUM
from nkilint_rules.words.targets import Target

from ...state.machine import Machine
from ...values.tensors import Declaration


def state_initial_value(machine: Machine, call: Call, at: Span) -> None:
    """A directly allocated tensor of Beta 1 begins empty."""
    filled = call.operation.leaf in places.FILLED
    machine.need("NKI408", not filled, at, operation=call.operation.leaf, memory=MEMORY_NAMES[call.result.memory]
                 if call.result is not None else "chip")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Located:
    """What an allocator gives: partition and byte of each tile, over the block variables.

    `start` and `last` are the bytes of the first tile and of the one that lies farthest on. `bank`, for PSUM in Beta 1,
    holds the first and the last bank and the byte within the bank; the other bytes count through all banks.
    """

    partition: Any
    byte: Any
    last: Any
    start: Any
    bank: tuple[Any, Any, Any] | None = None
    periods: tuple[tuple[Any, ...], ...] | None = None

    def with_each(self, change: Callable[[Any], Any]) -> Located:
        """The same with each number changed; tile counts stay."""
        bank = None if self.bank is None else (change(self.bank[0]), change(self.bank[1]), change(self.bank[2]))
        return Located(
            change(self.partition), change(self.byte), change(self.last), change(self.start), bank, self.periods
        )


def in_bank(
    target: Target, banks: tuple[Any, Any, Any], partition: Any, bytes: tuple[Any, Any, Any], periods: Any = None
) -> Located:
    """A place in PSUM given by bank and byte within it, each with the least and the most that it is."""
    size = target.psum_bank_bytes
    byte, start, last = (bank * size + within for bank, within in zip(banks, bytes, strict=True))
    return Located(partition, byte, last, start, (banks[1], banks[2], bytes[0]), periods)


def state(machine: Machine, base: Declaration, found: Located, at: Span) -> None:
    """A tile starts at a legal partition and byte, and stays within its memory."""
    target, beta1 = machine.target, machine.dialect == BETA1
    partitions, psum = base.shape[base.blocks], base.memory == PSUM
    machine.need(
        "NKI401", places.may_start(found.partition, partitions), at, partition=found.partition, partitions=partitions,
        legal=places.legal_starts(partitions),
    )  # fmt: skip
    byte = found.bank[2] if found.bank is not None else found.byte
    alignment = target.psum_min_align if psum else target.sbuf_min_align
    machine.need("NKI403", places.aligned(byte, alignment), at, byte=byte, memory=MEMORY_NAMES[base.memory],
                 alignment=alignment)  # fmt: skip
    if psum:
        _state_bank(machine, found, byte, at)
    if not (psum and beta1) or target.matmul_psum_bytes > target.psum_bank_bytes:
        _state_range(machine, base, found, at)


def _state_bank(machine: Machine, found: Located, byte: Any, at: Span) -> None:
    target = machine.target
    if found.bank is None:
        machine.need(
            "NKI404", places.at_bank_start(byte, target, machine.dialect), at, template="start", byte=byte,
            bank_bytes=target.psum_bank_bytes,
        )  # fmt: skip
        return
    exists = all_of(places.bank_exists(bank, target) for bank in found.bank[:2])
    machine.need("NKI404", exists, at, bank=found.bank[1], banks=target.psum_banks, target=target)
    machine.need("NKI404", places.at_bank_start(byte, target, machine.dialect), at, template="byte", byte=byte)
    machine.need("NKI404", found.partition == 0, at, template="partition", partition=found.partition)


def _state_range(machine: Machine, base: Declaration, found: Located, at: Span) -> None:
    size = product(base.shape[base.blocks + 1 :]) * base.dtype.itemsize
    limit = places.limit(base.memory, machine.target, machine.dialect)
    goal = all_of((found.start >= 0, found.last + size <= limit))
    machine.need(
        "NKI402", goal, at, first=found.last, last=found.last + size, limit=limit, memory=MEMORY_NAMES[base.memory],
        target=machine.target,
    )  # fmt: skip
