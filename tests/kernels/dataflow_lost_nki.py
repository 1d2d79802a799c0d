"""Writes that the next iteration overwrites unread (NKI708), in loops of few iterations."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def assignment_for_accumulation(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(4):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(k * 128, 128), 0:512])
        nisa.tensor_scalar(dst=total, data=tile, op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def store_of_the_last(x):
    assert x.shape == (3, 128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(3):
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.dma_copy(dst=output, src=tile)  # expect: NKI708
    return output


@nki.jit
def scaled_by_the_iteration(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    scaled = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(3):
        nisa.tensor_scalar(dst=scaled, data=tile, op0=nl.multiply, operand0=1.0 + k)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def each_row_overwritten(x):
    assert x.shape == (2, 2, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(2):
        for j in range(2):
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[i, j])
            nisa.dma_copy(dst=output[j], src=tile)  # expect: NKI708
    return output


@nki.jit
def own_part_in_each_iteration(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(4):
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.dma_copy(dst=output[k], src=tile)
    return output


@nki.jit
def running_sum(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for k in range(4):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def product_in_psum(left, right):
    assert left.shape == (256, 128) and right.shape == (256, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(2):
        stationary = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
        moving = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=stationary, src=left[nl.ds(k * 128, 128), :])
        nisa.dma_copy(dst=moving, src=right[nl.ds(k * 128, 128), :])
        nisa.nc_matmul(dst=total, stationary=stationary, moving=moving)
    copied = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=total)
    nisa.dma_copy(dst=output, src=copied)
    return output


@nki.jit
def the_same_each_time(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for _ in range(4):
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def carried_from_one_to_the_next(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    last = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=state, value=0.0)
    for k in range(4):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.tensor_tensor(dst=state, data1=state, data2=tile, op=nl.maximum)
        nisa.tensor_copy(dst=last, src=state)
    nisa.dma_copy(dst=output, src=last)
    return output


@nki.jit
def only_in_some_iterations(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(4):
        if k == 3:
            nisa.dma_copy(dst=tile, src=x[k])
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def copy_of_the_last_that_is_stored_too(x):
    assert x.shape == (3, 128, 512)
    every = nl.ndarray((3, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    last = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(3):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.dma_copy(dst=every[k], src=tile)
        nisa.tensor_copy(dst=last, src=tile)
    nisa.dma_copy(dst=output, src=last)
    return output, every


@nki.jit
def copy_of_the_last_that_nothing_else_reads(x):
    assert x.shape == (3, 128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    last = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(3):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.tensor_copy(dst=last, src=tile)  # expect: NKI708
    nisa.dma_copy(dst=output, src=last)
    return output


def product_of_tails(a, b, output, accumulate):
    k_size, m = a.shape
    other, n = b.shape
    assert k_size == other and m <= 128 and n <= 512
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(0, k_size, 128):
        depth = min(128, k_size - k)
        x = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
        y = nl.ndarray((128, 512), dtype=b.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=x[0:depth, 0:m], src=a[k : k + depth, :])
        nisa.dma_copy(dst=y[0:depth, 0:n], src=b[k : k + depth, :])
        if accumulate:
            nisa.nc_matmul(dst=total[0:m, 0:n], stationary=x[0:depth, 0:m], moving=y[0:depth, 0:n])
        else:
            nisa.nc_matmul(  # expect-warning: NKI708 a.shape[0] <= 128
                dst=total[0:m, 0:n], stationary=x[0:depth, 0:m], moving=y[0:depth, 0:n], accumulate=False
            )
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result[0:m, 0:n], src=total[0:m, 0:n])
    nisa.dma_copy(dst=output, src=result[0:m, 0:n])


@nki.jit
def tails_that_are_lost(a, b):
    output = nl.ndarray((a.shape[1], b.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
    product_of_tails(a, b, output, False)
    return output


@nki.jit
def tails_that_are_added(a, b):
    output = nl.ndarray((a.shape[1], b.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
    product_of_tails(a, b, output, True)
    return output


@nki.jit
def sum_made_anew(x, w):
    """x: [K, 128], w: [K, 512]"""
    assert x.shape[0] % 128 == 0
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for k in range(x.shape[0] // 128):
        total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)  # expect-warning: NKI708 K == 128
        left = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        right = nl.ndarray((128, 512), dtype=w.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=left, src=x[nl.ds(k * 128, 128), 0:128])
        nisa.dma_copy(dst=right, src=w[nl.ds(k * 128, 128), 0:512])
        nisa.nc_matmul(dst=total, stationary=left, moving=right)
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def sum_of_few_made_anew(x, w):
    assert x.shape == (512, 128) and w.shape == (512, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(2):
        for k in range(2):
            total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)  # expect: NKI708
            left = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            right = nl.ndarray((128, 512), dtype=w.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=left, src=x[nl.ds((2 * i + k) * 128, 128), 0:128])
            nisa.dma_copy(dst=right, src=w[nl.ds((2 * i + k) * 128, 128), 0:512])
            nisa.nc_matmul(dst=total, stationary=left, moving=right)
        result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=total)
        nisa.dma_copy(dst=output[i], src=result)
    return output


@nki.jit
def sum_begun_anew(x):
    """x: [128, N]"""
    assert x.shape[1] % 512 == 0
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(x.shape[1] // 512):
        nisa.memset(dst=total, value=0.0)
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:128, nl.ds(k * 512, 512)])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)  # expect-warning: NKI708 N == 512
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def sum_of_few_begun_anew(x):
    assert x.shape == (3, 128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(3):
        nisa.memset(dst=total, value=0.0)
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)  # expect: NKI708
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def sum_begun_for_each_row(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(2):
        nisa.memset(dst=total, value=0.0)
        for k in range(2):
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[2 * i + k])
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.dma_copy(dst=output[i], src=total)
    return output


@nki.jit
def last_tile_read_in_its_iteration(x):
    """x: [B, 128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for k in range(x.shape[0]):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.subtract)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def kept_in_a_list(x):
    """x: [512, 512]"""
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = []
    for k in range(4):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(k * 128, 128), 0:512])
        tiles.append(tile)
    for k in range(4):
        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), 0:512], src=tiles[k])
    return output


@nki.jit
def made_in_the_last_iteration(x):
    """x: [B, 128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for k in range(x.shape[0]):
        if k == x.shape[0] - 1:
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[k])
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def last_state_of_a_recurrence(x):
    """x: [B, 128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=state, value=0.0)
    for k in range(x.shape[0]):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.tensor_tensor(dst=state, data1=state, data2=tile, op=nl.add)
        shown = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=shown, op=nl.tanh, data=state)
    nisa.dma_copy(dst=output, src=shown)
    return output


@nki.jit
def each_activation_overwritten(x):
    assert x.shape == (3, 128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    shown = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(3):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.activation(dst=shown, op=nl.tanh, data=tile)  # expect: NKI708
    nisa.dma_copy(dst=output, src=shown)
    return output


@nki.jit
def each_sum_overwritten(x):
    assert x.shape == (3, 128, 512)
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(3):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        nisa.activation(  # expect: NKI708
            dst=tile,
            op=nl.square,
            data=tile,
            reduce_op=nl.add,
            reduce_res=total,
            reduce_cmd=nisa.reduce_cmd.reset_reduce,
        )
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def sum_in_registers(x):
    assert x.shape == (3, 128, 512)
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(3):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        command = nisa.reduce_cmd.reset_reduce if k == 0 else nisa.reduce_cmd.reduce
        nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=command)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def sum_in_registers_over_blocks(x):
    """x: [B, 128, 512]"""
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(x.shape[0]):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k])
        command = nisa.reduce_cmd.reset_reduce if k == 0 else nisa.reduce_cmd.reduce
        nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=command)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def nothing_reduced(x):
    """x: float32[128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=tile, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total)  # expect-warning: NKI205
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=total)  # expect: NKI701
    nisa.dma_copy(dst=output, src=tile)
    return output
