"""What kernels of `nki` hand back (NKI702, NKI707, NKI711); NKI706 is about `neuronxcc.nki` only."""

import nki
import nki.isa as nisa
import nki.language as nl


def in_a_function(x):
    made = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=made, src=x)
    return made


@nki.jit
def made_by_a_function(x):
    assert x.shape == (128, 512)
    return in_a_function(x)


@nki.jit
def made_in_a_loop(x):
    assert x.shape == (128, 512)
    outputs = []
    for i in range(2):
        made = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=made, src=x)
        outputs.append(made)
    return outputs[0], outputs[1]


@nki.jit
def tile_of_the_chip(x):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.tensor_copy(dst=tile, src=loaded(x))
    return tile  # expect: NKI707 @ return tile


def loaded(x):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def nothing_returned(x):  # expect: NKI711
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)


@nki.jit
def private_between(x):
    assert x.shape == (128, 512)
    between = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)
    nisa.dma_copy(dst=between, src=x)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=between)
    return output


@nki.jit
def private_output(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.hbm)
    nisa.dma_copy(dst=output, src=x)
    return output  # expect: NKI707 @ return output


def passed_on(x):
    made = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)
    nisa.dma_copy(dst=made, src=x)
    return made


@nki.jit
def one_of_each_kind(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output, passed_on(x)  # expect: NKI707 @ return output, passed_on(x)


# nkilint: x: float32[128, 512]
@nki.jit
def without_a_name(x):
    return nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)  # expect: NKI702
