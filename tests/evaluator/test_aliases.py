"""Aliases of types, `type name = value`: what their names stand for, and what annotations make of them."""

from __future__ import annotations

import pytest

from ..support.checking import report_on, revealed

KERNEL = """\
from dataclasses import dataclass

import nki
import nki.language as nl

type Choice = Options


@dataclass
class Options:
    rows: int
    wide: bool = False


@nki.jit
def kernel(x, options: Choice, count: Count):
    type Rows = int
    reveal(Rows.__name__)
    reveal(Rows.__value__(2.5))
    reveal(1 if Rows else 2)
    reveal(Rows.other)
    tile = nl.ndarray((options.rows, 512), dtype=nl.float32, buffer=nl.sbuf)
    return tile


type Count = int
"""


def test_an_alias_has_a_name_and_a_value_that_may_come_later() -> None:
    shown = [text for texts in revealed(KERNEL).values() for text in texts]
    assert shown == ["'Rows'", "2", "1", "unknown: attribute `other` of a type alias"]


def test_an_alias_may_have_parameters() -> None:
    generic = """
    type Pair[T, *Ts] = tuple[T, *Ts]
    reveal(Pair[int].__name__)
    type Whole[T: int] = int
    reveal(Whole[bool].__value__(2.5))
    type Some[T] = T
    reveal(Some.__value__)
    return x
"""
    rows = revealed(f"import nki\n\n\n@nki.jit\ndef kernel(x):{generic}")
    shown = [text for texts in rows.values() for text in texts]
    assert shown == ["'Pair'", "2", "unknown: `T`, a parameter of `Some`"]


@pytest.mark.parametrize("value", ["Options", "Again", "Options | None", "Generic[int]"])
def test_annotations_look_through_aliases(value: str) -> None:
    others = "type Again = Options\ntype Generic[T] = Options"
    source = KERNEL.replace("type Choice = Options", f"type Choice = {value}\n{others}")
    found = report_on(source, "kernels.py").findings
    assert [f.precondition for f in found if f.code == "NKI101"] == ["options.rows <= 128"]
