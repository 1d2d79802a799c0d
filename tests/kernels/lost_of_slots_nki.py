"""Results that each iteration overwrites (NKI708), made of tiles that take turns, the same one each time or another one."""

import nki
import nki.isa as nisa
import nki.language as nl


def load_blocks(tiles, source, block):
    for k in range(2):
        row = 256 * block + 128 * k
        nisa.dma_copy(dst=tiles[:, k], src=source[row : row + 128])


@nki.jit
def of_two_slots(left, right):
    K, M = left.shape
    assert K % 256 == 0 and M == 128 and tuple(right.shape) == (K, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=sums, value=0.0)
    lefts = []
    rights = []
    for _ in range(2):
        lefts.append(nl.ndarray((128, 2, 128), dtype=left.dtype, buffer=nl.sbuf))
        rights.append(nl.ndarray((128, 2, 512), dtype=right.dtype, buffer=nl.sbuf))
    for block in range(K // 256):
        turn = block % 2
        load_blocks(lefts[turn], left, block)
        load_blocks(rights[turn], right, block)
        product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        for k in range(2):
            nisa.nc_matmul(  # expect: NKI708
                dst=product, stationary=lefts[turn][:, k], moving=rights[turn][:, k], accumulate=False
            )
        nisa.tensor_tensor(dst=sums, data1=sums, data2=product, op=nl.add)
    nisa.dma_copy(dst=output, src=sums)
    return output


@nki.jit
def of_the_other_slot_each_time(left, right):
    K, M = left.shape
    assert K % 256 == 0 and M == 128 and tuple(right.shape) == (K, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=sums, value=0.0)
    lefts = []
    for _ in range(2):
        lefts.append(nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf))
    moving = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=moving, src=right[0:128])
    for block in range(K // 256):
        for k in range(2):
            row = 256 * block + 128 * k
            nisa.dma_copy(dst=lefts[(block + k) % 2], src=left[row : row + 128])
        product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        for k in range(2):
            nisa.nc_matmul(  # expect: NKI708
                dst=product, stationary=lefts[(block + k) % 2], moving=moving, accumulate=False
            )
        nisa.tensor_tensor(dst=sums, data1=sums, data2=product, op=nl.add)
    nisa.dma_copy(dst=output, src=sums)
    return output


@nki.jit
def of_the_same_slot_each_time(left, right):
    K, M = left.shape
    assert K % 128 == 0 and M == 128 and tuple(right.shape) == (K, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=sums, value=0.0)
    lefts = []
    for _ in range(2):
        lefts.append(nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf))
    moving = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=moving, src=right[0:128])
    for block in range(K // 128):
        nisa.dma_copy(dst=lefts[block % 2], src=left[128 * block : 128 * block + 128])
        product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        for _ in range(2):
            nisa.nc_matmul(dst=product, stationary=lefts[block % 2], moving=moving, accumulate=False)
        nisa.tensor_tensor(dst=sums, data1=sums, data2=product, op=nl.add)
    nisa.dma_copy(dst=output, src=sums)
    return output


@nki.jit
def added_up(left, right):
    K, M = left.shape
    assert K % 256 == 0 and M == 128 and tuple(right.shape) == (K, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=sums, value=0.0)
    lefts = []
    rights = []
    for _ in range(2):
        lefts.append(nl.ndarray((128, 2, 128), dtype=left.dtype, buffer=nl.sbuf))
        rights.append(nl.ndarray((128, 2, 512), dtype=right.dtype, buffer=nl.sbuf))
    for block in range(K // 256):
        turn = block % 2
        load_blocks(lefts[turn], left, block)
        load_blocks(rights[turn], right, block)
        product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        for k in range(2):
            nisa.nc_matmul(
                dst=product, stationary=lefts[turn][:, k], moving=rights[turn][:, k], accumulate=k > 0
            )
        nisa.tensor_tensor(dst=sums, data1=sums, data2=product, op=nl.add)
    nisa.dma_copy(dst=output, src=sums)
    return output


@nki.jit
def of_a_number_that_the_caller_gives(x, scale):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    scaled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for _ in range(2):
        nisa.tensor_scalar(dst=scaled, data=tile, op0=nl.multiply, operand0=float(scale))
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def of_such_a_number_and_another_part(x, scale):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    scaled = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for i in range(2):
        part = tile[:, 32 * i : 32 * i + 32]
        nisa.tensor_scalar(dst=scaled, data=part, op0=nl.multiply, operand0=float(scale))  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output
