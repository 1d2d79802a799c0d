"""Work shared by the cores of a launch: shares of flattened tokens, positions that are not used, shares that overlap."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def tokens_shared_by_cores(x):
    B, S, H = x.shape
    tokens = B * S
    assert tokens % 128 == 0
    tiles = tokens // 128
    cores, core = nl.num_programs(0), nl.program_id(0)
    assert tiles % cores == 0
    share = tiles // cores
    output = nl.ndarray((B, S, H), dtype=x.dtype, buffer=nl.shared_hbm)
    rows, written = x.flatten_dims(0, 1), output.reshape((tokens, H))
    for t in range(core * share, (core + 1) * share):
        tile = nl.ndarray((128, H), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=rows[nl.ds(t * 128, 128), :])
        nisa.dma_copy(dst=written[nl.ds(t * 128, 128), :], src=tile)
    return output


@nki.jit
def position_not_used(x, sharded=True):
    M, N = x.shape
    assert M <= 128
    cores, core = (nl.num_programs(0), nl.program_id(0)) if sharded else (1, 0)
    assert N % cores == 0
    share = N // cores
    output = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(share):
        tile = nl.ndarray((M, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, i : i + 1])
        nisa.dma_copy(dst=output[:, i : i + 1], src=tile)  # expect: NKI605
    return output  # expect-warning: NKI703 num_programs(0) == 1


@nki.jit
def shares_that_overlap(x):
    assert x.shape == (160, 512)
    output = nl.ndarray((160, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[core * 64 : core * 64 + 128])  # expect-warning: NKI301 num_programs(0) == 1
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 128], src=tile)  # expect: NKI603
    return output  # expect-warning: NKI703 num_programs(0) == 2


@nki.jit
def shares_of_a_grid_that_may_have_no_axis(x):
    assert x.shape == (256, 512)
    cores, core = (nl.num_programs(0), nl.program_id(0)) if nl.program_ndim() != 0 else (1, 0)
    share = 256 // cores
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(share // 128):
        rows = nl.ds(core * share + 128 * i, 128)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[rows])
        nisa.dma_copy(dst=output[rows], src=tile)
    return output


@nki.jit
def one_share_too_few(x):
    assert x.shape == (384, 512)
    cores, core = (nl.num_programs(0), nl.program_id(0)) if nl.program_ndim() != 0 else (1, 0)
    share = 384 // cores
    output = nl.ndarray((384, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(share // 128):
        rows = nl.ds(core * share + 128 * i, 128)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[rows])
        nisa.dma_copy(dst=output[rows], src=tile)
    return output  # expect-warning: NKI703 num_programs(0) == 1


@nki.jit
def halves_by_a_size(x, parts):
    assert x.shape == (256, 512) and parts == 2
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ds(nl.program_id(0) * (256 // parts), 128)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[rows])
    nisa.dma_copy(dst=output[rows], src=tile)
    return output  # expect-warning: NKI703 num_programs(0) == 2


@nki.jit
def shares_for_two_without_a_grid(x):
    assert x.shape == (256, 512)
    cores, core = (nl.num_programs(0), nl.program_id(0)) if nl.program_ndim() == 1 else (2, 0)
    share = 256 // cores
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(share // 128):
        rows = nl.ds(core * share + 128 * i, 128)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[rows])
        nisa.dma_copy(dst=output[rows], src=tile)
    return output  # expect-warning: NKI703 program_ndim() == 1


@nki.jit
def zeros_by_all(x):
    assert x.shape == (256, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    zeros = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=zeros, value=0.0)
    for i in range(2):
        nisa.dma_copy(dst=output[i * 128 : i * 128 + 128], src=zeros)  # expect: NKI605
    nisa.core_barrier(output, (0, 1))
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    rows = nl.ds(core * 128, 128)
    nisa.dma_copy(dst=tile, src=x[rows])
    nisa.dma_copy(dst=output[rows], src=tile)
    return output


@nki.jit
def number_by_all(x):
    assert x.shape == (256, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=core)
    for i in range(2):
        nisa.dma_copy(dst=output[i * 128 : i * 128 + 128], src=tile)  # expect: NKI603
    return output


@nki.jit
def own_rows_to_all(x):
    assert x.shape == (256, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    other = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[nl.ds(nl.program_id(0) * 128, 128)])
    nisa.tensor_copy(dst=other, src=tile)
    nisa.dma_copy(dst=output, src=other)  # expect: NKI603
    return output


@nki.jit
def chosen_value(x):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    if nl.program_id(0) == 0:
        nisa.memset(dst=tile, value=0.0)
    else:
        nisa.memset(dst=tile, value=1.0)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)  # expect: NKI603
    return output


@nki.jit
def chosen_by_list(x):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    zero = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    one = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=zero, value=0.0)
    nisa.memset(dst=one, value=1.0)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=[zero, one][nl.program_id(0)])  # expect: NKI603
    return output


@nki.jit
def trips_of_a_program(x):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=1.0)
    for _ in range(nl.program_id(0)):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)  # expect: NKI603
    return output


@nki.jit
def summed_by_both_cores(x):  # expect: NKI003
    """Both write the sum of what each has sent the other."""
    assert x.shape == (256, 64)
    i = nl.program_id(0)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    other = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    both = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x[i * 128 : i * 128 + 128, :])
    nisa.sendrecv(src=mine, dst=other, send_to_rank=1 - i, recv_from_rank=1 - i, pipe_id=0)
    nisa.tensor_tensor(dst=both, data1=mine, data2=other, op=nl.add)
    nisa.dma_copy(dst=output, src=both)
    return output
