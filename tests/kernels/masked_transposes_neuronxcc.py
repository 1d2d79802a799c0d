"""A mask over what is transposed leaves out what it leaves out of the transpose."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def masked_alike(x):
    rows, columns = x.shape
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(128)[None, :]
    for m in nl.affine_range((rows + 127) // 128):
        for n in nl.affine_range((columns + 127) // 128):
            inside = (m * 128 + p < rows) & (n * 128 + f < columns)
            tile = nl.load(x[m * 128 + p, n * 128 + f], mask=inside)
            turned = nisa.nc_transpose(tile[p, f], mask=inside)
            nl.store(out[n * 128 + p, m * 128 + f], value=turned, mask=(n * 128 + p < columns) & (m * 128 + f < rows))
    return out


@nki.jit
def masked_alike_in_the_language(x):
    rows, columns = x.shape
    assert columns <= 64
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(columns)[None, :]
    q = nl.arange(columns)[:, None]
    g = nl.arange(128)[None, :]
    for m in nl.affine_range((rows + 127) // 128):
        tile = nl.load(x[m * 128 + p, f], mask=m * 128 + p < rows)
        turned = nl.transpose(tile, mask=m * 128 + p < rows)
        nl.store(out[q, m * 128 + g], value=turned, mask=m * 128 + g < rows)
    return out


@nki.jit
def stored_under_the_mask_that_was_loaded_under(x):
    rows, columns = x.shape
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(128)[None, :]
    for m in nl.affine_range((rows + 127) // 128):
        for n in nl.affine_range((columns + 127) // 128):
            inside = (m * 128 + p < rows) & (n * 128 + f < columns)
            tile = nl.load(x[m * 128 + p, n * 128 + f], mask=inside)
            turned = nisa.nc_transpose(tile[p, f], mask=inside)
            nl.store(out[n * 128 + p, m * 128 + f], value=turned, mask=inside)  # expect: NKI301 rows % 128 == 0  # expect: NKI301 columns % 128 == 0
    return out  # expect: NKI703


@nki.jit
def stored_whole(x):
    rows, columns = x.shape
    assert columns == 128
    out = nl.ndarray((128, (rows + 127) // 128 * 128), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(128)[None, :]
    for m in nl.affine_range((rows + 127) // 128):
        tile = nl.load(x[m * 128 + p, f], mask=m * 128 + p < rows)
        turned = nisa.nc_transpose(tile[p, f], mask=m * 128 + p < rows)
        nl.store(out[p, m * 128 + f], value=turned)  # expect: NKI701 rows % 128 == 0
    return out


@nki.jit
def with_another_bound(x):
    rows, columns = x.shape
    assert columns == 128
    out = nl.ndarray((128, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(128)[None, :]
    for m in nl.affine_range((rows + 127) // 128):
        tile = nl.load(x[m * 128 + p, f], mask=m * 128 + p < rows)
        turned = nisa.nc_transpose(tile[p, f], mask=m * 128 + p < rows - 1)
        nl.store(out[p, m * 128 + f], value=turned, mask=m * 128 + f < rows)  # expect: NKI701
    return out


@nki.jit
def masked_with_several_free_axes(x):  # expect: NKI003
    columns = x.shape[1]
    assert x.shape == (128, columns)
    assert columns <= 64
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((nl.par_dim(128), 2, 64), dtype=x.dtype, buffer=nl.sbuf)
    f = nl.arange(64)[None, :]
    turned = nisa.nc_transpose(tile, mask=f < columns)
    nl.store(out, value=turned)
    return out
