"""Parameters that are compared with texts: each is one of these or another one, and the same one wherever it is asked."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def asked_twice(x, mode):
    """The tile is there where it is used."""
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if mode == "norm":
        s = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.activation(dst=s, op=nl.exp, data=t)
    if mode == "norm":
        nisa.dma_copy(dst=out, src=s)
    else:
        nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def kept_in_a_flag(x, mode: str):
    assert x.shape == (128, 512)
    normed = mode == "norm"
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    for i in range(4):
        if normed:
            s = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            nisa.activation(dst=s, op=nl.exp, data=t[:, i * 128 : i * 128 + 128])
        if normed:
            nisa.dma_copy(dst=out[:, i * 128 : i * 128 + 128], src=s)
        else:
            nisa.dma_copy(dst=out[:, i * 128 : i * 128 + 128], src=t[:, i * 128 : i * 128 + 128])
    return out


@nki.jit
def for_one_text_only(x, mode):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if mode == "wide":
        nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def one_of_two_or_nothing(x, mode):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if mode == "a":
        nisa.dma_copy(dst=out, src=t)
    elif mode == "b":
        nisa.dma_copy(dst=out, src=x)
    return out  # expect-warning: NKI702 mode == 'a' or mode == 'b'


@nki.jit
def one_of_two_and_no_other(x, mode):
    assert x.shape == (128, 512)
    assert mode in ("a", "b"), mode
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if mode == "a":
        nisa.dma_copy(dst=out, src=t)
    elif mode == "b":
        nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def rejects_all_others(x, mode):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if mode != "a" and mode != "b":
        raise ValueError(mode)
    if mode == "a":
        nisa.dma_copy(dst=out, src=t)
    if mode == "b":
        nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def by_what_a_dict_holds(x, config):  # expect: NKI003
    """Nobody knows which of the two it is, but it is one of them all along."""
    assert x.shape == (128, 512)
    normed = config["mode"] == "norm"
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if normed:
        s = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.activation(dst=s, op=nl.exp, data=t)
    if normed:
        nisa.dma_copy(dst=out, src=s)
    else:
        nisa.dma_copy(dst=out, src=t)
    return out


TABLE = {"rows": 1, "columns": 2}


def copied(mode, dst, src):
    if mode == "first":
        nisa.dma_copy(dst=dst, src=src)
    elif mode == "second":
        nisa.dma_copy(dst=dst, src=src)


@nki.jit
def compared_in_a_helper(x, mode):
    assert x.shape == (128, 512)
    assert mode in ("first", "second", "third")
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if mode == "third":
        nisa.dma_copy(dst=out, src=x)
    else:
        copied(mode, out, x)
    return out


@nki.jit
def a_key_of_a_table(x, mode):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if mode in TABLE:
        nisa.dma_copy(dst=out, src=x)
    return out  # expect-warning: NKI702 mode == 'rows' or mode == 'columns'


@nki.jit
def empty_and_a_text(x, mode):
    """What is one of the texts is not empty."""
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if mode == "first" and not mode:
        nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def empty_or_a_text(x, mode):  # expect: NKI003
    """Nobody knows whether another text is empty."""
    assert x.shape == (128, 512)
    assert mode != "first" and mode != "second"
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if not mode:
        nisa.dma_copy(dst=out, src=x)
    return out
