"""Every documented operation and constant is there, or says why it is not simulated."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from nkilint_rules.operations import load_constants, load_operations
from nkilint_rules.words.dialects import BETA1, NKI
from reference_sim import CannotSimulate
from reference_sim.operations.instructions import Instruction
from reference_sim.operations.numerics.registry import EFFECTS, VALUES
from reference_sim.standin.operations import REFUSED
from reference_sim.tensors.tensor import Tensor

TOP = {BETA1: "neuronxcc.nki", NKI: "nki"}
OPERATIONS = [(d, name) for d in TOP for name, o in sorted(load_operations().items()) if o.signature(d) is not None]
CONSTANTS = [(d, name) for d in TOP for name in sorted(load_constants()[d])]


def found(dialect: str, name: str) -> Any:
    """What a kernel gets by this name; `tensor.` stands for a tensor's methods, `instruction.` for an instruction's."""
    family, _, rest = name.partition(".")
    kind = {"tensor": Tensor, "instruction": Instruction}.get(family) if rest else None
    value: Any = kind or importlib.import_module(TOP[dialect])
    for part in (rest if kind else name).split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(("dialect", "name"), OPERATIONS)
def test_each_operation_is_simulated_or_refused_with_a_reason(dialect: str, name: str) -> None:
    if name in REFUSED:
        with pytest.raises(CannotSimulate, match=name):
            found(dialect, name)(None)
        return
    assert callable(found(dialect, name)) or name.startswith("typing.")
    if name.partition(".")[0] in ("language", "isa") and load_operations()[name].kind in ("compute", "matmul", "dma"):
        assert name in VALUES or name in EFFECTS


@pytest.mark.parametrize(("dialect", "name"), CONSTANTS)
def test_each_constant_is_there(dialect: str, name: str) -> None:
    assert found(dialect, name) is not None


def test_what_is_refused_is_documented() -> None:
    assert set(REFUSED) <= set(load_operations())
