"""Shares of programs that are cut unevenly: how many programs there are is looked at number by number."""

import nki
import nki.isa as nisa
import nki.language as nl


def copy_rows(out, x, low, high):
    for row in range(low, high, 128):
        rows = min(128, high - row)
        tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:rows, :], src=x[row : row + rows, :])
        nisa.dma_copy(dst=out[row : row + rows, :], src=tile[0:rows, :])


@nki.jit
def rounded_up_shares(x):
    rows, columns = x.shape
    programs, program = nl.num_programs(0), nl.program_id(0)
    assert columns <= 4096
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    share = (rows + programs - 1) // programs
    low = min(program * share, rows)
    copy_rows(out, x, low, min(low + share, rows))
    return out


@nki.jit
def last_program_takes_the_rest(x):
    rows, columns = x.shape
    programs, program = nl.num_programs(0), nl.program_id(0)
    assert columns <= 4096
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    share = rows // programs
    high = rows if program == programs - 1 else (program + 1) * share
    copy_rows(out, x, program * share, high)
    return out


@nki.jit
def rounded_down_shares(x):
    rows, columns = x.shape
    programs, program = nl.num_programs(0), nl.program_id(0)
    assert columns <= 4096
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    share = rows // programs
    copy_rows(out, x, program * share, (program + 1) * share)
    return out  # expect: NKI703 rows % num_programs(0) == 0


@nki.jit
def shares_beyond_the_end(x):
    rows, columns = x.shape
    programs, program = nl.num_programs(0), nl.program_id(0)
    assert columns <= 4096
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    share = (rows + programs - 1) // programs
    for row in range(program * share, (program + 1) * share, 128):
        size = min(128, (program + 1) * share - row)
        tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:size, :], src=x[row : row + size, :])  # expect: NKI301 rows % num_programs(0) == 0
        nisa.dma_copy(dst=out[row : row + size, :], src=tile[0:size, :])
    return out


@nki.jit
def each_takes_all_after_its_first(x):
    rows, columns = x.shape
    programs, program = nl.num_programs(0), nl.program_id(0)
    assert rows % 256 == 0 and columns <= 4096
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        if i % programs >= program:
            tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=program)
            nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)  # expect: NKI603
    return out


@nki.jit
def each_takes_its_turn(x):
    rows, columns = x.shape
    programs, program = nl.num_programs(0), nl.program_id(0)
    assert rows % 256 == 0 and columns <= 4096
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        if i % programs == program:
            tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
            nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
    return out


@nki.jit
def whole_tiles_of_each_share(x):
    rows, columns = x.shape
    programs, program = nl.num_programs(0), nl.program_id(0)
    assert rows % 128 == 0 and columns <= 4096
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    share = rows // programs
    for i in range(share // 128):
        first = program * share + i * 128
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[first : first + 128, :])
        nisa.dma_copy(dst=out[first : first + 128, :], src=tile)
    return out  # expect: NKI703 rows % (128*num_programs(0)) == 0


@nki.jit
def place_divided_by_the_iteration(x):  # expect: NKI003
    rows, columns = x.shape
    programs, program = nl.num_programs(0), nl.program_id(0)
    assert rows % (128 * programs) == 0 and columns <= 4096
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    share = rows // programs
    for i in range(share // 128):
        first = program * share // (i * 128)  # expect: NKI806
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[first : first + 128, :])
        nisa.dma_copy(dst=out[first : first + 128, :], src=tile)  # expect-warning: NKI603
    return out
