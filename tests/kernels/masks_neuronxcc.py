"""Index grids and masks: what a mask lets through is what has to be inside."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def masked_rows(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    ip = nl.arange(128)[:, None]
    jf = nl.arange(columns)[None, :]
    for i in nl.affine_range(math.ceil(rows / 128)):
        inside = i * 128 + ip < rows
        reveal(i * 128 + ip)  # revealed: grid[128, 1]: 128*i + e1
        tile = nl.load(x[i * 128 + ip, jf], mask=inside)
        reveal(tile)  # revealed: x.dtype[128, columns] @ sbuf
        nl.store(output[i * 128 + ip, jf], value=nl.exp(tile), mask=inside)
    return output


@nki.jit
def mask_of_another_axis(x):
    assert x.shape == (300, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.mgrid[0:128, 0:64]
    for i in nl.affine_range(3):
        tile = nl.load(x[i * 128 + ip, jf], mask=(i * 128 + jf < 300))  # expect: NKI301
        nl.store(output[i * 128 + ip, jf], value=tile, mask=(i * 128 + ip < 300))  # expect: NKI701
    return output


@nki.jit
def joined_by_and(x):
    assert x.shape == (100, 60)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.mgrid[0:128, 0:64]
    tile = nl.load(x[ip, jf], mask=((ip < 100) and (jf < 60)))  # expect: NKI304
    nl.store(output[ip, jf], value=tile, mask=(ip < 100) & (jf < 60))
    return output


@nki.jit
def tile_granular_mask(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.mgrid[0:128, 0:512]
    for j in nl.affine_range(math.ceil(columns / 512)):
        tile = nl.load(x[ip, j * 512 + jf], mask=(j * 512 < columns) & (ip < rows))  # expect-warning: NKI301 columns % 512 == 0
        nl.store(output[ip, j * 512 + jf], value=tile, mask=(j * 512 + jf < columns) & (ip < rows))
    return output  # expect-warning: NKI703 rows <= 128


@nki.jit
def beyond_a_masked_tile(x):
    rows, columns = x.shape
    assert rows <= 100
    output = nl.ndarray((100, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.arange(100)[:, None], nl.arange(columns)[None, :]
    tile = nl.load(x[ip, jf], mask=(ip < rows))
    longer = nl.copy(tile[0:101, 0:columns])  # expect: NKI301
    nl.store(output[ip, jf], value=longer[0:100, 0:columns], mask=(ip < rows))
    return output  # expect-warning: NKI703 rows == 100


@nki.jit
def rows_shared_by_programs(x, s):
    """x: [M, N]"""
    M, N = x.shape
    out = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    programs, program = nl.num_programs(axes=0), nl.program_id(axis=0)
    share = (M + programs - 1) // programs
    for t in nl.affine_range((share + 127) // 128):
        own = t * 128 + nl.arange(128)[:, None]
        row = program * share + own
        live = (own < share) & (row < M)
        column = nl.arange(N)[None, :]
        tile = nl.load(x[row, column], mask=live)
        factor = nl.load(s[row, nl.arange(1)[None, :]], mask=live)  # expect-warning: NKI301 M <= s.shape[0]
        nl.store(out[row, column], value=nl.multiply(tile, factor, mask=live), mask=live)
    return out
