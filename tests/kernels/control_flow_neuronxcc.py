"""Branches and loops on tensors, grids and parameters (NKI801, NKI802), and grids inside kernels (NKI804)."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def loaded_condition(condition):
    assert condition.shape == (1, 1)
    output = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=0)
    loaded = nl.load(condition)  # expect: NKI210
    if loaded:  # expect: NKI801 @ loaded
        nl.store(output, value=1)
    return output


@nki.jit
def condition_of_the_host(condition, source):
    assert source.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=source.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(source))
    if condition:
        nl.store(output, value=nl.multiply(nl.load(source), 2.0))
    return output


@nki.jit
def optional_tensor(source, bias=None):
    assert source.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=source.dtype, buffer=nl.shared_hbm)
    tile = nl.load(source)
    if not bias:
        nl.store(output, value=tile)
    else:
        nl.store(output, value=nl.add(tile, nl.load(bias)))  # expect-warning: NKI203 bias is None or bias.shape[0] == 128 or bias.shape[0] == 1 or not bias  # expect-warning: NKI204 bias is None or bias.shape[1] == 128 or bias.shape[1] == 1 or not bias
    return output


# nkilint: bias: float32[128, 128]
@nki.jit
def tensor_in_hbm_is_there(source, bias):
    assert source.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=source.dtype, buffer=nl.shared_hbm)
    tile = nl.load(source)
    if bias:
        nl.store(output, value=nl.add(tile, nl.load(bias)))
    return output


@nki.jit
def negated_and_joined(source):
    assert source.shape == (128, 1)
    output = nl.ndarray((128, 1), dtype=source.dtype, buffer=nl.shared_hbm)
    tile = nl.load(source)
    scale = 1.0 if not tile else 2.0  # expect: NKI801 @ tile
    nl.store(output, value=nl.multiply(tile, scale))
    return output


@nki.jit
def loop_until(source):  # expect: NKI003
    assert source.shape == (1, 1)
    output = nl.ndarray((1, 1), dtype=source.dtype, buffer=nl.shared_hbm)
    tile = nl.load(source)
    nl.store(output, value=tile)
    while tile > 0.0:  # expect: NKI801 @ tile > 0.0
        tile[...] = nl.subtract(tile, 1.0)
    return output


@nki.jit
def grid_as_condition(x):  # expect: NKI003
    assert x.shape == (128, 4096)
    output = nl.ndarray((128, 4096), dtype=x.dtype, buffer=nl.shared_hbm)
    for block in nl.affine_range(8):
        inside = nl.arange(512)[None, :]
        row = nl.arange(128)[:, None]
        column = block * 512 + inside
        if column > 2048:  # expect: NKI802 @ column > 2048
            nl.store(output[row, column], value=nl.load(x[row, column]))
    return output


@nki.jit
def named_mask_as_condition(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.arange(128)[:, None]
    column = nl.arange(512)[None, :]
    nl.store(output[row, column], value=nl.load(x[row, column]))
    upper = row + column < 600
    if upper:  # expect: NKI802 @ upper
        doubled = nl.multiply(nl.load(x[row, column]), 2.0)
        nl.store(output[row, column], value=doubled)
    return output


@nki.jit
def asserted_mask(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.arange(128)[:, None]
    column = nl.arange(512)[None, :]
    inside = (row < 128) & (column < 512)
    assert inside, "rows, and columns"  # expect: NKI802 @ inside
    nl.store(output[row, column], value=nl.load(x[row, column]))
    return output


@nki.jit
def least_of_a_grid(x):  # expect: NKI003
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.arange(128)[:, None]
    column = nl.arange(512)[None, :]
    tile = nl.load(x[min(row, 127), column])  # expect: NKI802 @ min(row, 127)
    nl.store(output[row, column], value=tile)
    return output


@nki.jit
def grid_as_mask(x):
    assert x.shape == (128, 4096)
    output = nl.ndarray((128, 4096), dtype=x.dtype, buffer=nl.shared_hbm)
    for block in nl.affine_range(8):
        inside = nl.arange(512)[None, :]
        row = nl.arange(128)[:, None]
        column = block * 512 + inside
        tile = nl.load(x[row, column])
        nl.store(output[row, column], value=tile, mask=column > 2048)
        nl.store(output[row, column], value=nl.multiply(tile, 2.0), mask=column <= 2048)
    return output


@nki.jit
def branch_on_the_iteration(x):
    assert x.shape == (128, 4096)
    output = nl.ndarray((128, 4096), dtype=x.dtype, buffer=nl.shared_hbm)
    for block in nl.affine_range(8):
        tile = nl.load(x[0:128, nl.ds(block * 512, 512)])
        if block > 4:
            nl.store(output[0:128, nl.ds(block * 512, 512)], value=nl.multiply(tile, 2.0))
        else:
            nl.store(output[0:128, nl.ds(block * 512, 512)], value=tile)
    return output


@nki.trace
def plain(tile):
    return nl.multiply(tile, 0.5)


@nki.jit
def inner_kernels(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = plain(nl.load(x))
    nl.store(output, value=plain[4, 4](tile))  # expect: NKI804 @ plain[4, 4](tile)
    return output
