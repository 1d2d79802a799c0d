"""Reads of unwritten memory under a mask: only what the mask leaves is read, and named."""

from __future__ import annotations

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
import pytest

import reference_sim


@nki.jit
def shifted(source, first, written):  # type: ignore[no-untyped-def]
    """Loads rows `first` to `first + 3` of four, of which those from `written` on hold nothing."""
    held = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.private_hbm)
    output = nl.ndarray((8, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.zeros((8, 2), dtype=nl.float32, buffer=nl.sbuf))
    p, f = nl.mgrid[0:4, 0:2]
    if written:
        nl.store(held[p, f], value=nl.load(source), mask=p < written)
    got = nl.load(held[first + p, f], mask=first + p < 4)
    nl.store(output[first + p, f], value=got, mask=first + p < 4)
    return output


def said(first: int, written: int) -> list[str]:
    seen = reference_sim.observe(shifted, [np.ones((4, 2), np.float32), first, written], target="trn2")
    assert seen.stopped is None
    return [f"{f.code} {f.message}" for f in seen.findings]


@pytest.mark.parametrize("written", range(4))
def test_a_mask_that_leaves_nothing_reads_nothing(written: int) -> None:
    assert said(4, written) == []


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("written", range(5))
def test_the_first_unwritten_row_that_the_mask_leaves_is_named(first: int, written: int) -> None:
    found = said(first, written)
    if written == 4:
        assert found == []
    else:
        (text,) = found
        assert text.startswith("NKI701")
        assert f"[{max(first, written)}, 0]" in text


@nki.jit
def gathered(rows, table, asked):  # type: ignore[no-untyped-def]
    """Loads the first three of four indices, and asks for the rows of as many as `asked`."""
    output = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.zeros((4, 2), dtype=nl.float32, buffer=nl.sbuf))
    p, f = nl.mgrid[0:4, 0:2]
    index = nl.load(rows[nl.arange(4)[:, None], nl.arange(1)[None, :]], mask=nl.arange(4)[:, None] < 3)
    got = nl.load(table[index[nl.arange(4)[:, None], 0], nl.arange(2)[None, :]], mask=p < asked)
    nl.store(output[p, f], value=got, mask=p < asked)
    return output


@pytest.mark.parametrize("asked", range(1, 5))
def test_indices_are_read_where_the_mask_of_what_they_address_leaves_them(asked: int) -> None:
    rows = np.array([[5], [0], [6], [1]], np.int32)
    table = np.arange(16, dtype=np.float32).reshape(8, 2)
    seen = reference_sim.observe(gathered, [rows, table, asked], target="trn2")
    if asked == 4:
        assert [f.code for f in seen.findings] == ["NKI701"]
        assert "[3, 0]" in seen.findings[0].message
    else:
        assert seen.stopped is None
        assert not seen.findings
        assert np.array_equal(seen.results[:asked], table[rows[:asked, 0]])
