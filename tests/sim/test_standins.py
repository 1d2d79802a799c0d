"""Names and classes of the stand-in modules, as production code uses them."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
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


SURFACE = json.loads((Path(__file__).parents[1] / "data/surface.json").read_text(encoding="utf-8"))
NOT_THERE = {
    r"neuronxcc\.nki\.(_private|isa\._|kernels\.|docs\.)": "the vendor's own kernels and instructions, undocumented",
    r"neuronxcc\.nki\.(nccl|compiler\.backends|isa\.neuron_isa|language\.iterators)": "undocumented modules",
    r"nki\.(compiler|tensor)\b": "the compiler, which the tests of nki-library call",
    r"neuronxcc\.nki\.typing\.mutable$": "what one sample has for `mutable_tensor`",
    r"nki\.language\.(range|par_dim|constants)\b": "Beta 1's or nobody's: the kernels that use them do not run",
}
"""Names that some kernels use and the stand-ins do not have, and why."""


def _resolved(name: str) -> bool:
    """Whether a name can be imported, or is found in what can be."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        return all((found := getattr(found, part, None)) is not None for part in parts[end:])
    return False


@pytest.mark.parametrize("module", SURFACE["documented"])
def test_modules_have_what_is_documented(module: str) -> None:
    assert [name for name in SURFACE["documented"][module] if not _resolved(f"{module}.{name}")] == []


@pytest.mark.parametrize("name", ["fp32", "static_cast", "finfo"])
def test_modules_lack_what_only_the_other_dialect_has(name: str) -> None:
    reference_sim.install()
    beta1 = importlib.import_module("neuronxcc.nki.language")
    assert (hasattr(beta1, name), hasattr(nl, name)) == (True, False)


def test_modules_have_what_kernels_use() -> None:
    used = list(SURFACE["used"])
    used += [f"{module}.{name}" for module, names in SURFACE["used"].items() for name in names]
    missing = [name for name in used if not _resolved(name)]
    assert [name for name in missing if not any(re.match(pattern, name) for pattern in NOT_THERE)] == []
    assert [pattern for pattern in NOT_THERE if not any(re.match(pattern, name) for name in missing)] == []


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
