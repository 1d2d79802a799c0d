"""Names and classes of the stand-in modules, as production code uses them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import nki
import nki.dtype
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest
from nki.isa import constants

import reference_sim


def test_versions_are_ordered_among_themselves_and_by_number() -> None:
    for target, version in (("trn1", 2), ("trn2", 3), ("trn3", 4)):
        found: list[Any] = []

        def kernel(x: Any, found: list[Any] = found) -> Any:
            found.append(nisa.get_nc_version())
            return x

        reference_sim.observe(nki.jit(kernel), [np.ones((1, 1), np.float32)], target=target)
        (own,) = found
        assert (own == version, own >= 3, own >= nisa.nc_version.gen3) == (True, version >= 3, version >= 3)
        assert own <= nisa.nc_version.gen4


def test_types_and_constants_have_modules_of_their_own() -> None:
    assert nki.dtype.float8_e4m3 is nl.float8_e4m3
    assert nki.dtype.bfloat16 is nl.bfloat16
    assert constants.oob_mode is nisa.oob_mode
    assert constants.dge_mode.hwdge is nisa.dge_mode.hwdge


def test_a_class_without_an_initializer_takes_its_fields_by_keyword() -> None:
    class Plain(nl.NKIObject):
        rows: int
        columns: int = 4
        index = None

    made = Plain(rows=3, index=7)
    assert (made.rows, made.columns, made.index) == (3, 4, 7)
    assert Plain().rows is None


def test_a_dataclass_takes_fields_that_no_annotation_names_too() -> None:
    @dataclass
    class Section(nl.NKIObject):
        index = None
        offset = None

    @dataclass
    class Sizes(Section):
        rows: int
        tiles: list[int] = field(default_factory=list)
        total: int = 0

        def __post_init__(self) -> None:
            self.total = (self.rows or 0) + 1

    section = Section(index=2)
    assert (section.index, section.offset) == (2, None)
    sizes = Sizes(5, offset=9)
    assert (sizes.rows, sizes.tiles, sizes.total, sizes.offset) == (5, [], 6, 9)
    assert Sizes(index=1).rows is None
    assert Sizes(rows=1) == Sizes(1)


def test_an_initializer_of_its_own_decides() -> None:
    @dataclass
    class Own(nl.NKIObject):
        rows: int

        def __init__(self, size: int) -> None:
            self.rows = size * 2

    assert Own(3).rows == 6
    with pytest.raises(TypeError):
        Own(rows=3)
