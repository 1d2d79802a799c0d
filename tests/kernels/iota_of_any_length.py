"""What `iota` puts into a tile that is as long as an input is wide: a partition holds no more than its dtype can count."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def counted(x):
    n, f = x.shape
    assert n == 128
    out = nl.ndarray((n, f), dtype=nl.int32, buffer=nl.shared_hbm)
    places = nl.ndarray((n, f), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[1, f]], offset=0, channel_multiplier=3)
    nl.store(out, places)
    return out


@nki.jit
def counted_in_bytes(x):
    n, f = x.shape
    assert n == 128
    out = nl.ndarray((n, f), dtype=nl.int8, buffer=nl.shared_hbm)
    places = nl.ndarray((n, f), dtype=nl.int8, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[1, f]], offset=0, channel_multiplier=0)  # expect: NKI212 f <= 128
    nl.store(out, places)
    return out


@nki.jit
def counted_from_afar(x):
    n, f = x.shape
    assert n == 128
    out = nl.ndarray((n, f), dtype=nl.int32, buffer=nl.shared_hbm)
    places = nl.ndarray((n, f), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[1, f]], offset=2**31 - 1024, channel_multiplier=0)  # expect: NKI212 f <= 1024
    nl.store(out, places)
    return out
