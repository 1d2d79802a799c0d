"""Kernels that are parts of others: what they are handed belongs to who calls them."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def doubled(tile, result):  # expect: NKI003
    result[0, :, :] = nl.add(tile, tile)
    result[1, :, :] = nl.add(result[0, :, :], tile)


# nkilint: x: float32[128, 512]
@nki.jit
def twice_and_thrice(x):
    output = nl.ndarray((2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    result = nl.ndarray((2, nl.par_dim(128), 512), dtype=x.dtype, buffer=nl.sbuf)
    doubled(tile, result)
    nl.store(output[0], value=result[0])
    nl.store(output[1], value=result[1])
    return output


@nki.jit(mode="trace")
def store_parts(output, values, count, place):
    for i in nl.affine_range(count):
        nl.store(output[nl.ds(i * 128, 128), place], value=values[i, :, :])


# nkilint: x: float32[256, 512]
@nki.jit
def copied(x):
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    values = nl.ndarray((2, nl.par_dim(128), 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(2):
        values[i] = nl.load(x[nl.ds(i * 128, 128), :])
    store_parts(output, values, 2, nl.ds(0, 512))
    return output


# nkilint: tile: float32[128, 512]
@nki.jit
def cleared(tile):
    nl.store(tile, value=nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf))  # expect: NKI207


# nkilint: x: float32[128, 512]
@nki.jit
def clears_its_input(x):
    cleared(x)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x))
    return output
