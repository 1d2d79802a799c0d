"""Calls of `nki` as versions before the newest took them (NKI902-904), and as the newest takes them."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile():
    made = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=made, value=0.0)
    return made


@nki.jit
def removed(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    copied = tile()
    nisa.tensor_copy_dynamic_src(dst=copied, src=tile())  # expect: NKI902
    register = nisa.register_alloc(1)
    nisa.register_move(register, imm=42)  # expect: NKI902
    nisa.dma_copy(dst=output, src=copied)
    return output


@nki.jit
def moved_to_a_keyword(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    selected = tile()
    nisa.affine_select(selected, [[1, 512]], 0, 1, tile(), 0.0)  # expect: NKI903
    nisa.affine_select(selected, [[1, 512]], 1, tile(), 0.0, offset=0)
    nisa.dma_copy(dst=output, src=selected)
    return output


@nki.jit
def numbers_and_strings(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    loaded = nl.ndarray((128, 512), dtype=x.dtype, buffer="sbuf")  # expect: NKI903
    nisa.dma_copy(dst=loaded, src=x, dge_mode=2)  # expect: NKI903
    nisa.dma_copy(dst=loaded, src=x, dge_mode=nisa.dge_mode.hwdge)
    nisa.dma_copy(dst=output, src=loaded)
    return output


@nki.jit
def going_away(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    loaded = tile()
    for i in nl.sequential_range(4):  # expect: NKI904
        nisa.tensor_scalar(dst=loaded, data=loaded, op0=nl.add, operand0=1.0)
    for i in nl.sequential_range(8):
        nisa.tensor_scalar(dst=loaded, data=loaded, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=output, src=loaded)
    return output


@nki.jit(platform_target="trn2", mode="jax")  # expect: NKI902 @ "trn2"  # expect: NKI904 @ "jax"
def asked_for_a_target(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit()
def asked_for_nothing(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output
