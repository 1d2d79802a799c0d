"""Matmuls that overwrite what others summed in PSUM, before and after something read it."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, shape):
    tile = nl.ndarray(shape, dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def put(output, sums):
    result = nl.ndarray(sums.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=sums)
    nisa.dma_copy(dst=output, src=result)


@nki.jit
def begun_twice(a, b):
    K, M = a.shape
    assert b.shape == (K, 512) and K % 128 == 0 and K >= 256 and M == 128
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(K // 128):
        x = loaded(a[k * 128 : (k + 1) * 128, :], (128, M))
        y = loaded(b[k * 128 : (k + 1) * 128, :], (128, 512))
        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=k > 1)  # expect: NKI506
    put(output, sums)
    return output


@nki.jit
def begun_once(a, b):
    K, M = a.shape
    assert b.shape == (K, 512) and K % 128 == 0 and K >= 256 and M == 128
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(K // 128):
        x = loaded(a[k * 128 : (k + 1) * 128, :], (128, M))
        y = loaded(b[k * 128 : (k + 1) * 128, :], (128, 512))
        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=k != 0)
    put(output, sums)
    return output


@nki.jit
def flag_of_columns(a, b):
    """The sums of the columns are in the same banks for each `k`, but only the first columns begin anew."""
    K, M = a.shape
    assert b.shape == (K, 1024) and K % 128 == 0 and K >= 256 and M == 128
    output = nl.ndarray((M, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((M, 1024), dtype=nl.float32, buffer=nl.psum)
    for k in range(K // 128):
        x = loaded(a[k * 128 : (k + 1) * 128, :], (128, M))
        for n in range(2):
            y = loaded(b[k * 128 : (k + 1) * 128, n * 512 : (n + 1) * 512], (128, 512))
            part = sums[:, n * 512 : (n + 1) * 512]
            nisa.nc_matmul(dst=part, stationary=x, moving=y, accumulate=n > 0)  # expect: NKI506  # expect: NKI701
    put(output, sums)
    return output


@nki.jit
def flag_of_steps(a, b):
    K, M = a.shape
    assert b.shape == (K, 1024) and K % 128 == 0 and M == 128
    output = nl.ndarray((M, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((M, 1024), dtype=nl.float32, buffer=nl.psum)
    for k in range(K // 128):
        x = loaded(a[k * 128 : (k + 1) * 128, :], (128, M))
        for n in range(2):
            y = loaded(b[k * 128 : (k + 1) * 128, n * 512 : (n + 1) * 512], (128, 512))
            nisa.nc_matmul(dst=sums[:, n * 512 : (n + 1) * 512], stationary=x, moving=y, accumulate=k > 0)
    put(output, sums)
    return output


@nki.jit
def bias_over_products(a, b, ones, bias):
    K, M = a.shape
    assert b.shape == (K, 512) and K % 128 == 0 and K >= 128 and M == 128
    assert ones.shape == (1, 128) and bias.shape == (1, 512)
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(K // 128):
        x = loaded(a[k * 128 : (k + 1) * 128, :], (128, M))
        y = loaded(b[k * 128 : (k + 1) * 128, :], (128, 512))
        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=k > 0)
    one, row = loaded(ones, (1, 128)), loaded(bias, (1, 512))
    nisa.nc_matmul(dst=sums, stationary=one, moving=row, accumulate=False)  # expect: NKI506
    put(output, sums)
    return output


@nki.jit
def bias_on_products(a, b, ones, bias):
    K, M = a.shape
    assert b.shape == (K, 512) and K % 128 == 0 and K >= 128 and M == 128
    assert ones.shape == (1, 128) and bias.shape == (1, 512)
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.psum)
    one, row = loaded(ones, (1, 128)), loaded(bias, (1, 512))
    nisa.nc_matmul(dst=sums, stationary=one, moving=row, accumulate=False)
    for k in range(K // 128):
        x = loaded(a[k * 128 : (k + 1) * 128, :], (128, M))
        y = loaded(b[k * 128 : (k + 1) * 128, :], (128, 512))
        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=True)
    put(output, sums)
    return output


@nki.jit
def read_between(a, b):
    """Only a part of what is begun anew was read: no sum of products is lost that anybody wanted."""
    M, N = a.shape
    assert (M, N) == (256, 128) and b.shape == (128, 512)
    output = nl.ndarray((2, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    y = loaded(b, (128, 512))
    for i in range(2):
        x = loaded(a[i * 128 : (i + 1) * 128, :], (128, 128))
        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=False)
        put(output[i], sums[:, 0:64])
    return output


@nki.jit
def either_of_two(a, b, wide=False):
    """Each branch begins a sum of its own."""
    assert a.shape == (128, 128) and b.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    x, y = loaded(a, (128, 128)), loaded(b, (128, 512))
    if wide:
        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=False)
    else:
        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=False)
    put(output, sums)
    return output


@nki.jit
def as_many_steps_as_nothing_goes_into(a, b):  # expect: NKI003
    assert a.shape == (128, 128) and b.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    x, y = loaded(a, (128, 128)), loaded(b, (128, 512))
    for i in range(128 // 0):  # expect: NKI806
        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=i > 0)
    put(output, sums)
    return output
