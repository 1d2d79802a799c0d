"""Lists of tiles of symbolic length, one of which a condition chooses."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(x, count):
    tiles = []
    for i in range(count):
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(128 * i, 128), :])
        tiles.append(tile)
    return tiles


def copied(tiles, count, dtype):
    copies = []
    for i in range(count):
        copy = nl.ndarray((128, 512), dtype=dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=copy, src=tiles[i])
        copies.append(copy)
    return copies


@nki.jit
def either_list(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512
    count = rows // 128
    output = nl.ndarray((rows, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tiles = loaded(x, count)
    chosen = tiles if x.dtype == nl.bfloat16 else copied(tiles, count, nl.bfloat16)
    for i in range(count):
        nisa.dma_copy(dst=output[nl.ds(128 * i, 128), :], src=chosen[i])
    return output


@nki.jit
def columns_of_either_list(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512
    count = rows // 128
    output = nl.ndarray((rows, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tiles = loaded(x, count)
    chosen = tiles if x.dtype == nl.bfloat16 else copied(tiles, count, nl.bfloat16)
    for i in range(count):
        nisa.dma_copy(dst=output[nl.ds(128 * i, 128), :], src=chosen[i][:, 1:513])  # expect: NKI301
    return output


@nki.jit
def flat_or_not(x, flat: bool):
    assert x.shape == (128, 512)
    if flat:
        output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    else:
        output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output.ap(pattern=[[512, 128], [1, 512]], offset=0), src=tile)
    return output


@nki.jit
def half_of_either(x, flat: bool):
    assert x.shape == (128, 512)
    if flat:
        output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    else:
        output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output.ap(pattern=[[512, 64], [1, 512]], offset=0), src=tile[0:64, :])
    return output  # expect: NKI703


@nki.jit
def reshaped_in_a_branch(x, batch: int):
    assert x.shape == (128, 512) and (batch == 2 or batch == 4)
    output = nl.ndarray((batch, 128 // batch, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if batch == 4:
        output = output.reshape((1, 128, 512))
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output.ap(pattern=[[512, 128], [1, 512]], offset=0), src=tile)
    return output


@nki.jit
def input_reshaped_in_a_branch(x, group: int):
    B, N, D, S = x.shape
    assert group >= 1 and N % group == 0 and D * group <= 128 and S <= 512
    heads, size = N // group, D * group
    if group > 1:
        x = x.reshape((B, heads, size, S))
    output = nl.ndarray((B, heads, size, S), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(B):
        for head in range(heads):
            tile = nl.ndarray((size, S), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[b, head, :, :])
            nisa.dma_copy(dst=output[b, head, :, :], src=tile)
    return output


@nki.jit
def too_far_in_one_of_two_shapes(x, group: int):
    B, N, D, S = x.shape
    assert group >= 1 and N % group == 0 and D * group <= 128 and S <= 512
    size = D * group
    if group > 1:
        x = x.reshape((B, N // group, size, S))
    output = nl.ndarray((B, N, size, S), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(B):
        for head in range(N):
            tile = nl.ndarray((size, S), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[b, head, :, :])  # expect: NKI301 N <= N // group or group <= 1 @ x[b, head, :, :]
            nisa.dma_copy(dst=output[b, head, :, :], src=tile)
    return output


@nki.jit
def of_two_ranks(x, flat: bool):
    assert x.shape == (128, 4, 128)
    if flat:
        x = x.reshape((128, 512))
    else:
        x = x.reshape((128, 2, 256))
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    if flat:
        nisa.dma_copy(dst=tile, src=x[:, 0:512])
    else:
        nisa.dma_copy(dst=tile[:, 0:256], src=x[:, 0, :])
        nisa.dma_copy(dst=tile[:, 256:512], src=x[:, 1, :])
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output
