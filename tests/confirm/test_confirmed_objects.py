"""Objects as arguments of a run: what a class computes by itself is its own, and what it lacks is said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from nkilint.confirm.inputs import NoInput, argument_values


@dataclass
class Config:
    tile: int
    half: int = field(init=False)

    def __post_init__(self) -> None:
        self.half = self.tile // 2


def made(attributes: dict[str, Any]) -> Any:
    return argument_values({"config": {"object": ["Config", attributes]}}, "float32", True, globals().get)["config"]


def test_what_a_dataclass_computes_is_not_handed_to_it() -> None:
    assert made({"tile": 64, "half": 7}) == Config(64)


def test_what_an_object_lacks_is_said() -> None:
    with pytest.raises(NoInput, match=r"`config` cannot be made: .*missing 1 required positional argument: 'tile'"):
        made({"half": 7})
