"""What a kernel returns for some sizes and not for others."""

import nki
import nki.isa as nisa
import nki.language as nl


def made(columns, buffer):
    return nl.ndarray((128, columns), dtype=nl.float32, buffer=buffer)


def copied(x):
    out = made(x.shape[1], nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def on_chip_for_some(x):
    out, tile = copied(x), made(4, nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    result = tile if x.shape[1] > 4 else out
    return result  # expect: NKI707


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def one_more_for_some(x):
    out, other = copied(x), made(4, nl.shared_hbm)
    return (out,) if x.shape[1] > 4 else (out, other)  # expect: NKI702


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def written_one_more_for_some(x):
    out, other = copied(x), copied(x)
    return (out,) if x.shape[1] > 4 else (out, other)


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def listed_for_some(x):  # expect: NKI003
    results = [copied(x)]
    if x.shape[1] > 4:
        results.append(made(4, nl.shared_hbm))
    return results


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def one_or_none(x):  # expect: NKI003
    other = made(4, nl.shared_hbm)
    return copied(x), (other if x.shape[1] > 4 else None)


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def either_alone(x):
    first, second = copied(x), copied(x)
    result = first
    if x.shape[1] > 4:
        result = second
    return result


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def beside_numbers(x):
    return copied(x), x.shape, x.shape[1] / 2, x.shape[1] > 4, x.dtype, None


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def as_many_as_columns(x):  # expect: NKI003
    return [made(4, nl.shared_hbm) for _ in range(x.shape[1])]
