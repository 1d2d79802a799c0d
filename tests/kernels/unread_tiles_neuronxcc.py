"""Tiles that are computed, and that nothing reads."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def stored_what_was_loaded(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    raised = nl.exp(tile)  # expect: NKI708
    shifted = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    shifted[...] = nl.add(tile, 1.0)  # expect: NKI708
    nl.store(out, tile)
    return out


@nki.jit
def printed(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    raised = nl.exp(tile)
    nl.device_print("raised", raised)
    nl.store(out, tile)
    return out


@nki.jit
def asked_for_its_shape(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    raised = nl.exp(tile)
    zeros = nl.zeros(raised.shape, dtype=raised.dtype)
    nl.store(out, zeros)
    return out


@nki.jit
def read_by_the_one_below(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    raised = nl.exp(tile)
    raised = nl.add(raised, 1.0)
    nl.store(out, raised)
    return out


@nki.jit
def kept_in_a_list(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    raised = nl.exp(tile)
    tiles = [tile, raised]
    nl.store(out, tiles[0])
    return out


@nki.jit
def read_by_a_closure(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    raised = nl.exp(nl.load(x))

    def store():
        nl.store(out, raised)

    store()
    return out


@nki.jit
def read_under_another_name(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    raised = nl.exp(nl.load(x))
    result = raised
    nl.store(out, result)
    return out


# nkilint: x: float32[R, 64], R % 128 == 0, R > 0
@nki.jit
def stored_before_it_is_halved(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in nl.affine_range(x.shape[0] // 128):
        tile = nl.load(x[nl.ds(r * 128, 128), :])
        halved = nl.multiply(tile, 0.5)  # expect: NKI708
        nl.store(out[nl.ds(r * 128, 128), :], tile)
    return out
