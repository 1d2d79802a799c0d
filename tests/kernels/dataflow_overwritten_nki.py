"""Results that another statement overwrites whole before anything reads them (NKI708), and writes that replace others on
purpose."""

from contextlib import contextmanager

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def twice(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)  # expect-warning: NKI708
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def prefetch_into_the_slot_in_use(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buf = nl.ndarray((128, 2, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=buf[:, 0, :], src=x[0])  # expect-warning: NKI708 N == 1
    for i in range(N):
        if i + 1 < N:
            nisa.dma_copy(dst=buf[:, i % 2, :], src=x[i + 1])
        nisa.dma_copy(dst=output[i], src=buf[:, i % 2, :])
    return output


@nki.jit
def prefetch_into_the_buffer_in_use(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buf = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    nisa.dma_copy(dst=buf[0], src=x[0])  # expect-warning: NKI708 N == 1
    for i in range(N):
        if i + 1 < N:
            nisa.dma_copy(dst=buf[i % 2], src=x[i + 1])
        nisa.dma_copy(dst=output[i], src=buf[i % 2])
    return output


@nki.jit
def prefetch_of_four(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buf = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    nisa.dma_copy(dst=buf[0], src=x[0])  # expect-warning: NKI708
    for i in range(4):
        if i + 1 < 4:
            nisa.dma_copy(dst=buf[i % 2], src=x[i + 1])
        nisa.dma_copy(dst=output[i], src=buf[i % 2])
    return output


@nki.jit
def prefetch_read_from_the_other_slot(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    assert N >= 3
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buf = nl.ndarray((128, 2, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=buf[:, 0, :], src=x[0])  # expect-warning: NKI708
    for i in range(N):
        if i + 1 < N:
            nisa.dma_copy(dst=buf[:, (i + 1) % 2, :], src=x[i + 1])
        nisa.dma_copy(dst=output[i], src=buf[:, (i + 1) % 2, :])
    return output


@nki.jit
def parts(x, y):
    
    W = x.shape[1]
    assert W % 512 == 0 and y.shape == x.shape and x.shape[0] == 128
    output = nl.ndarray((128, W), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, W), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)  # expect-warning: NKI708
    for j in range(W // 512):
        nisa.dma_copy(dst=t[:, j * 512 : (j + 1) * 512], src=y[:, j * 512 : (j + 1) * 512])
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def computed(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(N):
        t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        s = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i])
        nisa.activation(dst=s, op=nl.exp, data=t)  # expect-warning: NKI708
        nisa.tensor_scalar(dst=s, data=t, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=output[i], src=s)
    return output


@nki.jit
def copied_into_hbm_twice(x):
    """x: [M, 512]"""
    M = x.shape[0]
    assert M % 128 == 0
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(M // 128):
        t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        s = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i * 128 : (i + 1) * 128, :])
        nisa.activation(dst=s, op=nl.exp, data=t)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=s)  # expect-warning: NKI708
        nisa.tensor_tensor(dst=s, data1=s, data2=t, op=nl.add)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=s)
    return output


@nki.jit
def product_and_transposition_in_one_bank(x, w):
    assert x.shape == (128, 128) and w.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    b = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    p = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=w)
    nisa.nc_transpose(dst=p, data=a)  # expect-warning: NKI708
    nisa.nc_transpose(dst=p, data=b)
    nisa.tensor_copy(dst=result, src=p)
    nisa.dma_copy(dst=output, src=result)
    return output


def load_tile(dst, x, i):
    nisa.dma_copy(dst=dst, src=x[i])


@nki.jit
def prefetch_by_a_function(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    second = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    buffers = [first, second]
    load_tile(buffers[0], x, 0)  # expect-warning: NKI708 N == 1
    for i in range(N):
        if i + 1 < N:
            load_tile(buffers[i % 2], x, i + 1)
        nisa.dma_copy(dst=output[i], src=buffers[i % 2])
    return output


@nki.jit
def loop_of_parts_overwritten(x, y):
    """x: [4, 128, 128], y: [128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for j in range(4):
        nisa.dma_copy(dst=t[:, j * 128 : (j + 1) * 128], src=x[j])  # expect-warning: NKI708
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def wrong_part_read(x, y):
    """x: [128, 512], y: [128, 512]"""
    output = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=t[:, 0:512], src=x)  # expect-warning: NKI708
    nisa.dma_copy(dst=output[:, 512:1024], src=t[:, 512:1024])
    nisa.dma_copy(dst=t[:, 0:512], src=y)
    nisa.dma_copy(dst=output[:, 0:512], src=t[:, 0:512])
    return output


@nki.jit
def cleared_after_loading(x):
    """x: [N, 128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for i in range(x.shape[0]):
        t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i])  # expect-warning: NKI708
        nisa.memset(dst=t, value=0.0)
        nisa.tensor_tensor(dst=total, data1=total, data2=t, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def two_of_three_read(x, wide: bool = False):
    """x: [3, 128, 512]"""
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    s = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[0])
    nisa.dma_copy(dst=s, src=x[1])  # expect-warning: NKI708
    if wide:
        nisa.activation(dst=t, op=nl.exp, data=t)
    nisa.dma_copy(dst=s, src=x[2])
    nisa.dma_copy(dst=output[0], src=t)
    nisa.dma_copy(dst=output[1], src=s)
    return output


# --- on purpose ---


@nki.jit
def initialised(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def same_values(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def default_that_is_replaced(x, y, other: bool = False):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if other:
        nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output, src=t)
    return output


OTHER = True


@nki.jit
def default_that_a_constant_replaces(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if OTHER:
        nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def returned_early(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if not OTHER:
        nisa.dma_copy(dst=output, src=t)
        return output
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def prefetch(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buf = nl.ndarray((128, 2, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=buf[:, 0, :], src=x[0])
    for i in range(N):
        if i + 1 < N:
            nisa.dma_copy(dst=buf[:, (i + 1) % 2, :], src=x[i + 1])
        nisa.dma_copy(dst=output[i], src=buf[:, i % 2, :])
    return output


@nki.jit
def prefetch_list(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buf = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    nisa.dma_copy(dst=buf[0], src=x[0])
    for i in range(N):
        if i + 1 < N:
            nisa.dma_copy(dst=buf[(i + 1) % 2], src=x[i + 1])
        nisa.dma_copy(dst=output[i], src=buf[i % 2])
    return output


@nki.jit
def prefetch_clamped(x):
    """x: [M, N, 128, 512]"""
    M, N = x.shape[0], x.shape[1]
    output = nl.ndarray((M, N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buf = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    for m in range(M):
        nisa.dma_copy(dst=buf[0], src=x[m, 0])
        for i in range(N):
            nisa.dma_copy(dst=buf[(i + 1) % 2], src=x[m, min(i + 1, N - 1)])
            nisa.dma_copy(dst=output[m, i], src=buf[i % 2])
    return output


@nki.jit
def last_or_first(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    last = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=last, src=x[0])
    for i in range(1, N):
        nisa.dma_copy(dst=last, src=x[i])
        nisa.dma_copy(dst=output[i], src=last)
    nisa.dma_copy(dst=output[0], src=last)
    return output


@nki.jit
def unwanted_destination(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    scratch = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    sums = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.activation_reduce(dst=scratch, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=sums[:, 0:1])
    nisa.activation_reduce(dst=scratch, op=nl.square, data=t, reduce_op=nl.add, reduce_res=sums[:, 1:2])
    nisa.dma_copy(dst=output, src=sums)
    return output


@nki.jit
def read_in_part_before(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    part = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=part, src=t[:, 511:512])
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output, src=t)
    return output, part


@nki.jit
def overwritten_in_part(x, y):
    """x: [128, C], y: [128, D]"""
    assert y.shape[1] <= x.shape[1]
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=t[:, 0 : y.shape[1]], src=y)
    nisa.dma_copy(dst=output, src=t)
    return output


def both(first, second, x):
    nisa.activation(dst=first, op=nl.exp, data=x)
    nisa.activation(dst=second, op=nl.square, data=x)


@nki.jit
def helper_of_which_one_result_is_wanted(x):
    assert x.shape == (2, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    scratch = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    one = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[0])
    both(one, scratch, t)
    nisa.dma_copy(dst=output[0], src=one)
    nisa.dma_copy(dst=scratch, src=x[1])
    nisa.dma_copy(dst=output[1], src=scratch)
    return output


@nki.jit
def updated_in_place(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.activation(dst=t, op=nl.exp, data=t)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=output, src=t)
    return output


DEBUG = False


@nki.jit
def shown_sometimes(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if DEBUG:
        nl.device_print("t", t)
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output, src=t)
    return output


def shown(t, debug):
    if debug:
        nl.device_print("t", t)


@nki.jit
def shown_sometimes_elsewhere(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    shown(t, False)
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def read_through_a_view(x, y):
    """x: [128, 512], y: [128, 512]"""
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    seen = t.reshape((128, 2, 256))
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=output[0].reshape((128, 2, 256)), src=seen)
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output[1], src=t)
    return output


@nki.jit
def read_by_a_pattern(x, y):
    """x: [128, 512], y: [128, 512]"""
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=output[0], src=t.ap(pattern=[[512, 128], [1, 512]], offset=0))
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=output[1], src=t)
    return output


@nki.jit
def read_in_some_iterations(x, y):
    """x: [N, 128, 512], y: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(N):
        nisa.dma_copy(dst=t, src=x[i])
        if i == 0:
            nisa.dma_copy(dst=first, src=t)
        nisa.dma_copy(dst=t, src=y[i])
        nisa.dma_copy(dst=output[i], src=t)
    return output, first


@nki.jit
def rest_of_an_axis(x, y):
    """x: [128, C], y: [128, C]"""
    C = x.shape[1]
    assert y.shape == x.shape and C <= 512
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=t[:, 0:C], src=x)
    nisa.dma_copy(dst=t[:, 0 : C // 2], src=y[:, 0 : C // 2])
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def replaced_in_the_last_iteration(x, y):
    """x: [N, 128, 512], y: [128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(N):
        nisa.dma_copy(dst=t, src=x[i])
        if i == N - 1:
            nisa.dma_copy(dst=t, src=y)
        nisa.dma_copy(dst=output[i], src=t)
    return output


@nki.jit
def same_part_of_the_input(x):
    """x: [128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t[:, 0:128], src=x[:, 0:128])
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=output, src=t)
    return output


@nki.jit
def sum_kept_in_registers(x):
    """x: [2, 128, 512]"""
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    shown = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    scratch = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    a = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    b = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x[0])
    nisa.dma_copy(dst=b, src=x[1])
    nisa.activation(dst=scratch, op=nl.square, data=a, reduce_op=nl.add, reduce_cmd=nisa.reduce_cmd.reset_reduce)
    nisa.activation(
        dst=scratch, op=nl.square, data=b, reduce_op=nl.add, reduce_res=total, reduce_cmd=nisa.reduce_cmd.reduce
    )
    nisa.dma_copy(dst=output, src=total)
    nisa.dma_copy(dst=shown, src=scratch)
    return output, shown


@nki.jit
def sum_that_goes_on_in_psum(x, w):
    """x: [2, 128, 128], w: [2, 128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(2):
        a = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        b = nl.ndarray((128, 512), dtype=w.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x[k])
        nisa.dma_copy(dst=b, src=w[k])
        nisa.nc_matmul(dst=total, stationary=a, moving=b)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def copies_of_what_stays(x):
    """x: [128, 512]"""
    output = nl.ndarray((3, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    b = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    before = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x)
    nisa.tensor_copy(dst=before, src=a)
    nisa.activation(dst=b, op=nl.exp, data=a)
    nisa.tensor_copy(dst=before, src=b)
    nisa.dma_copy(dst=output[0], src=a)
    nisa.dma_copy(dst=output[1], src=b)
    nisa.dma_copy(dst=output[2], src=before)
    return output


def tile():
    return nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)


def hbm(*shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)


@nki.jit
def one_of_two_names(x, y, flag: bool):
    """x: [128, 512], y: [128, 512]"""
    out = hbm(2, 128, 512)
    a, b = tile(), tile()
    t = a if flag else b
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=x)
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=out[0], src=a)
    nisa.dma_copy(dst=out[1], src=b)
    return out


@nki.jit
def chosen_by_flag(x, y, flag=True):
    """x: [128, 512], y: [128, 512]"""
    out = hbm(2, 128, 512)
    a, b = tile(), tile()
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=x)
    nisa.dma_copy(dst=a if flag else b, src=y)
    nisa.dma_copy(dst=out[0], src=a)
    nisa.dma_copy(dst=out[1], src=b)
    return out


@contextmanager
def kept(t, out):
    yield
    nisa.dma_copy(dst=out, src=t)


@nki.jit
def read_as_a_block_ends(x, y):
    """x: [128, 512], y: [128, 512]"""
    out = hbm(2, 128, 512)
    t = tile()
    with kept(t, out[0]):
        nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=out[1], src=t)
    return out


@nki.jit
def ring_of_three(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    out = hbm(N, 128, 512)
    ring = nl.ndarray((128, 3, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=ring[:, 0, :], src=x[0])
    if N > 1:
        nisa.dma_copy(dst=ring[:, 1, :], src=x[1])
    for i in range(N):
        if i + 2 < N:
            nisa.dma_copy(dst=ring[:, (i + 2) % 3, :], src=x[i + 2])
        nisa.dma_copy(dst=out[i], src=ring[:, i % 3, :])
    return out


@nki.jit
def reversed_reads(x):
    """x: [4, 128, 128]"""
    out = hbm(4, 128, 128)
    t = tile()
    for j in range(4):
        nisa.dma_copy(dst=t[:, j * 128 : (j + 1) * 128], src=x[j])
    for j in range(4):
        nisa.dma_copy(dst=out[j], src=t[:, (3 - j) * 128 : (4 - j) * 128])
        nisa.memset(dst=t[:, (3 - j) * 128 : (4 - j) * 128], value=0.0)
    return out


@nki.jit
def read_between_in_an_inner_loop(x, y):
    """x: [128, 512], y: [128, 512]"""
    out = hbm(128, 512)
    last = hbm(128, 512)
    t = tile()
    nisa.dma_copy(dst=t, src=x)
    for j in range(4):
        nisa.dma_copy(dst=out[:, j * 128 : (j + 1) * 128], src=t[:, j * 128 : (j + 1) * 128])
        nisa.dma_copy(dst=t[:, j * 128 : (j + 1) * 128], src=y[:, j * 128 : (j + 1) * 128])
    nisa.dma_copy(dst=last, src=t)
    return out, last


class State:
    def __init__(self):
        self.t = tile()

    def load(self, src):
        nisa.dma_copy(dst=self.t, src=src)

    def shown(self, debug, out):
        if debug:
            nisa.dma_copy(dst=out, src=self.t)


@nki.jit
def object_that_may_show(x, y):
    """x: [128, 512], y: [128, 512]"""
    out = hbm(128, 512)
    state = State()
    state.load(x)
    state.shown(False, out)
    state.load(y)
    nisa.dma_copy(dst=out, src=state.t)
    return out


@nki.jit
def warmed_up(x):
    """x: [128, 512]"""
    out = hbm(128, 512)
    t, s = tile(), tile()
    for _ in range(3):
        nisa.dma_copy(dst=t, src=x)
        nisa.activation(dst=s, op=nl.exp, data=t)
    nisa.dma_copy(dst=t, src=x)
    nisa.activation(dst=s, op=nl.exp, data=t)
    nisa.dma_copy(dst=out, src=s)
    return out


@nki.jit
def config_loop(x, y, extra=((0, 1),)):
    """x: [128, 512], y: [128, 512]"""
    out = hbm(128, 512)
    t = tile()
    nisa.dma_copy(dst=t, src=x)
    for _ in extra:
        nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def name_bound_on_a_side(x, y, flag=True):
    """x: [128, 512], y: [128, 512]"""
    out = hbm(2, 128, 512)
    a, b = tile(), tile()
    if flag:
        t = a
    else:
        t = b
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=x)
    nisa.dma_copy(dst=t, src=y)
    nisa.dma_copy(dst=out[0], src=a)
    nisa.dma_copy(dst=out[1], src=b)
    return out
