"""What the place of a tile has to obey, as obligations at its creation."""

from __future__ import annotations

from nkilint.base.ir import Span
from nkilint_rules.catalogue import rules_of_places
from nkilint_rules.operations.form import Operation
from nkilint_rules.placement.placement_initial_value import PlacementInitialValue
from nkilint_rules.placing.located import Located, PlacedTiles
from nkilint_rules.rule import Need

from ...state.machine import Machine
from ...state.trace import AtWitness
from ...values.tensors import Declaration


def state_initial_value(machine: Machine, creation: Operation, at: Span) -> None:
    """A directly allocated tensor of Beta 1 begins empty."""
    state_need(machine, PlacementInitialValue().check_creation(creation), at)


def state_place(machine: Machine, base: Declaration, found: Located, at: Span) -> None:
    """Every rule about places, as obligations about those of a tensor's tiles."""
    size = base.row * base.dtype.itemsize
    tiles = PlacedTiles(found, base.shape[base.blocks], size, base.memory, machine.target, machine.dialect)
    for rule in rules_of_places():
        for need in rule.check_place(tiles):
            state_need(machine, need, at)


def state_need(machine: Machine, need: Need, at: Span) -> None:
    """A requirement of a rule as an obligation."""
    machine.need(need.message.map(AtWitness), need.condition, at)
