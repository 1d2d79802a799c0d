"""A convolution with bias and, optionally, maximum pooling, as shifted matmuls that accumulate in PSUM."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def rows_at_once(height: int, width: int, pool: int) -> int:
    """Output rows that fit one matmul, divide the height and hold whole pooling windows."""
    limit = max(pool, nl.tile_size.gemm_moving_fmax // width)
    return next(rows for rows in range(limit, 0, -1) if height % rows == 0 and rows % pool == 0)


def transposed_weights(weights: Any) -> Any:
    """The filters as stationary operands: for each tap and pair of channel tiles, input channels by output channels."""
    channels_out, channels_in, taps_y, taps_x = weights.shape
    side = nl.tile_size.pmax
    tiles_out, tiles_in = channels_out // side, channels_in // side
    found = nl.ndarray(
        (taps_y, taps_x, tiles_out, tiles_in, nl.par_dim(side), side), dtype=weights.dtype, buffer=nl.sbuf
    )
    blocks = weights.reshape((tiles_out, side, tiles_in, side, taps_y, taps_x))
    for o in nl.affine_range(tiles_out):
        loaded = nl.load(blocks[o])
        for i in nl.affine_range(tiles_in):
            for y in nl.affine_range(taps_y):
                for x in nl.affine_range(taps_x):
                    tap = nl.copy(loaded[:, i, :, y, x], dtype=weights.dtype)
                    found[y, x, o, i] = nl.copy(nisa.nc_transpose(tap), dtype=weights.dtype)
    return found


@nki.jit
def conv2d_maxpool(images: Any, weights: Any, bias: Any, pool: Any = 1) -> Any:
    """`images` [N, C, H, W] with `weights` [K, C, R, S], to [N, K, (H-R+1)/pool, (W-S+1)/pool]."""
    count, channels_in, height, width = images.shape
    channels_out, _, taps_y, taps_x = weights.shape
    side = nl.tile_size.pmax
    assert channels_in % side == 0
    assert channels_out % side == 0
    out_height, out_width = height - taps_y + 1, width - taps_x + 1
    assert out_height % pool == 0
    assert out_width % pool == 0
    tiles_out, tiles_in = channels_out // side, channels_in // side
    rows = rows_at_once(out_height, out_width, pool)
    out = nl.ndarray(
        (count, channels_out, out_height // pool, out_width // pool), dtype=images.dtype, buffer=nl.shared_hbm
    )
    filters = transposed_weights(weights)
    offsets = nl.ndarray((tiles_out, nl.par_dim(side), 1), dtype=bias.dtype, buffer=nl.sbuf)
    for o in nl.affine_range(tiles_out):
        offsets[o] = nl.load(bias[o * side : (o + 1) * side])

    for n in nl.affine_range(count):
        for r in nl.affine_range(out_height // rows):
            window = nl.ndarray(
                (tiles_in, nl.par_dim(side), rows + taps_y - 1, width), dtype=images.dtype, buffer=nl.sbuf
            )
            for i in nl.affine_range(tiles_in):
                window[i] = nl.load(images[n, i * side : (i + 1) * side, nl.ds(r * rows, rows + taps_y - 1), 0:width])
            for o in nl.affine_range(tiles_out):
                total = nl.zeros((nl.par_dim(side), rows, out_width), dtype=nl.float32, buffer=nl.psum)
                for y in nl.affine_range(taps_y):
                    for x in nl.affine_range(taps_x):
                        for i in nl.affine_range(tiles_in):
                            total += nisa.nc_matmul(filters[y, x, o, i], window[i, :, y : y + rows, x : x + out_width])
                biased = nisa.tensor_scalar(total, nl.add, offsets[o])
                p, h, w, a, b = nl.mgrid[0:side, 0 : rows // pool, 0 : out_width // pool, 0:pool, 0:pool]
                pooled = nl.max(biased[p, pool * h + a, pool * w + b], axis=[3, 4])
                nl.store(out[n, o * side : (o + 1) * side, nl.ds(r * (rows // pool), rows // pool), :], value=pooled)
    return out
