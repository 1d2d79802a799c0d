"""Objects that are made anew with other values of their fields."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from nkilint.evaluator.kernels.annotations import with_fields
from nkilint.evaluator.state.machine import Machine
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.objects import Instance
from nkilint_rules.words.conditions import IsUnknown


def test_a_field_of_what_is_no_object_is_not_known() -> None:
    """A field may be an object in one evaluation, and a tensor in the next."""
    weights = SimpleNamespace(
        cls=SimpleNamespace(fields=(("tensor", None),)), attrs={"tensor": InputTensor("weights.tensor")}
    )
    with pytest.raises(IsUnknown, match="which is no object"):
        with_fields(cast(Machine, None), "weights", cast(Instance, weights), {"tensor.offset": 3}, frozenset())
