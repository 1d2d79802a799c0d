"""Classes of the kernel language: fields without annotations, fields that are not given, names that no field has."""

from dataclasses import dataclass
from typing import Optional

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Section(nl.NKIObject):
    index = None
    offset = None
    size: int = 64


class Limits(nl.NKIObject):
    rows: int
    columns: int = 512


@nki.jit
def sections(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    limits = Limits(rows=128)
    for i in range(8):
        section = Section(index=i, offset=64 * i)
        tile = nl.ndarray((limits.rows, section.size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(section.offset, section.size)])
        nisa.dma_copy(dst=output[:, nl.ds(section.offset, section.size)], src=tile)
    return output


@nki.jit
def a_section_too_far(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(9):
        section = Section(index=i, offset=64 * i)
        tile = nl.ndarray((128, section.size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(section.offset, section.size)])  # expect: NKI301
        nisa.dma_copy(dst=output[:, nl.ds(section.offset, section.size)], src=tile)  # expect: NKI301
    return output


@nki.jit
def a_field_that_nobody_gives(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    limits = Limits()
    tile = nl.ndarray((128, limits.columns), dtype=x.dtype, buffer=nl.sbuf)
    if limits.rows == None:  # noqa: E711
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def one_of_two_inputs(x, first: Optional[nl.ndarray] = None, second: Optional[nl.ndarray] = None):
    assert x.shape == (128, 512)
    assert (first != None) != (second != None)  # noqa: E711
    other = first if first != None else second  # noqa: E711
    assert other.shape == (128, 256)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=tile[:, 0:512], src=other[:, 0:512])  # expect: NKI301
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def size_by_default_none(x, rows=None):
    tile_rows = rows // 2
    assert tile_rows == 64 and x.shape == (64, 512)
    output = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((tile_rows, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:tile_rows])
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def flags_in_sums(x, wide=False):
    columns = 256 + 256 * (x.dtype == nl.bfloat16)
    assert x.shape == (128, 256)
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0:columns], src=x[:, 0:columns])  # expect-warning: NKI301 not x.dtype == bfloat16
    nisa.dma_copy(dst=output, src=tile[:, 0:256])
    return output


@nki.jit
def added_to_a_tile_of_its_caller(tile_sb, bias_sb: Optional[nl.ndarray]):
    """
    Args:
        tile_sb (nl.ndarray): [128, M], input in SBUF
        bias_sb (nl.ndarray): [16_H * 8, M], bias in SBUF
    """
    _, columns = tile_sb.shape
    assert tile_sb.shape[0] == 128 and bias_sb.shape[0] == 128
    result = nl.ndarray((128, columns), dtype=tile_sb.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=result, data1=tile_sb, data2=bias_sb.ap([[columns, 128], [1, columns]]), op=nl.add)
    return result
