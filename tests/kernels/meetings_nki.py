"""Cores that meet only sometimes, and cores that go round faster than others."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def sometimes(x, flag: bool = True):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    shared = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[:, core * 256 : core * 256 + 256])
    nisa.dma_copy(dst=shared[:, core * 256 : core * 256 + 256], src=t)  # expect: NKI603 flag
    if flag:
        nisa.core_barrier(shared, (0, 1))
    a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=shared)  # expect: NKI701 flag
    nisa.dma_copy(dst=out[core], src=a)
    return out


@nki.jit
def by_loop(x, n):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    shared = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[:, core * 256 : core * 256 + 256])
    nisa.dma_copy(dst=shared[:, core * 256 : core * 256 + 256], src=t)  # expect-warning: NKI603 n >= 1
    for i in range(n):
        nisa.core_barrier(shared, (0, 1))
    a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=shared)
    nisa.dma_copy(dst=out[core], src=a)
    return out


@nki.jit
def big(x):
    assert x.shape[0] == 128 and x.shape[1] % 2 == 0 and nl.num_programs(0) == 2
    n = x.shape[1] // 2
    core = nl.program_id(0)
    shared = nl.ndarray((128, 2 * n), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 128, 2 * n), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[:, core * n : core * n + n])
    nisa.dma_copy(dst=shared[:, core * n : core * n + n], src=t)  # expect-warning: NKI603 x.shape[1] >= 10
    if n > 4:
        nisa.core_barrier(shared, (0, 1))
    a = nl.ndarray((128, 2 * n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=shared)
    nisa.dma_copy(dst=out[core], src=a)
    return out


@nki.jit
def ring(x):
    assert x.shape == (4, 128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    shared = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 4, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i, :, core * 256 : core * 256 + 256])
        nisa.dma_copy(dst=shared[:, core * 256 : core * 256 + 256], src=t)  # expect: NKI603
        nisa.core_barrier(shared, (0, 1))
        a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=shared)
        nisa.dma_copy(dst=out[core, i], src=a)
    return out


@nki.jit
def ring_twice(x):
    assert x.shape == (4, 128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    shared = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 4, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i, :, core * 256 : core * 256 + 256])
        nisa.dma_copy(dst=shared[:, core * 256 : core * 256 + 256], src=t)
        nisa.core_barrier(shared, (0, 1))
        a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=shared)
        nisa.dma_copy(dst=out[core, i], src=a)
        nisa.core_barrier(shared, (0, 1))
    return out


@nki.jit
def ring_open(x, n):
    assert x.shape == (4, 128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    shared = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, n, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n):
        t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[0, :, core * 256 : core * 256 + 256])
        nisa.dma_copy(dst=shared[:, core * 256 : core * 256 + 256], src=t)  # expect: NKI603
        nisa.core_barrier(shared, (0, 1))
        a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=shared)
        nisa.dma_copy(dst=out[core, i], src=a)
    return out


@nki.jit
def ring_open_twice(x, n):
    assert x.shape == (4, 128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    shared = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, n, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n):
        t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[0, :, core * 256 : core * 256 + 256])
        nisa.dma_copy(dst=shared[:, core * 256 : core * 256 + 256], src=t)
        nisa.core_barrier(shared, (0, 1))
        a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=shared)
        nisa.dma_copy(dst=out[core, i], src=a)
        nisa.core_barrier(shared, (0, 1))
    return out


@nki.jit
def ring_own_slot(x, n):
    assert x.shape == (4, 128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    shared = nl.ndarray((n, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, n, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n):
        t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[0, :, core * 256 : core * 256 + 256])
        nisa.dma_copy(dst=shared[i, :, core * 256 : core * 256 + 256], src=t)
        nisa.core_barrier(shared, (0, 1))
        a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=shared[i])
        nisa.dma_copy(dst=out[core, i], src=a)
    return out


@nki.jit
def halves_apart(x, n):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    half = nl.ds(core * 256, 256)
    nisa.dma_copy(dst=t, src=x[:, half])
    nisa.dma_copy(dst=out[:, half], src=t)
    for i in range(n):
        if i % 2 == 0:
            nisa.core_barrier(out, (0, 1))
    nisa.dma_copy(dst=out[:, half], src=t)
    return out


def staged(x, buffer, place, i):
    rows = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=x[128 * i : 128 * i + 128, :])
    nisa.dma_copy(dst=buffer[place], src=rows)


def taken(buffer, place, out, i):
    rows = nl.ndarray((128, 512), dtype=out.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=buffer[place])
    nisa.dma_copy(dst=out[nl.program_id(0), 128 * i : 128 * i + 128, :], src=rows)


@nki.jit
def two_slots_and_one_meeting(x):
    """What is read in one iteration is written again two iterations later, after the meeting in between."""
    assert x.shape == (1024, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    slots = nl.ndarray((2, 2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 1024, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(8):
        staged(x, slots, (i % 2, core), i)
        nisa.core_barrier(slots, (0, 1))
        taken(slots, (i % 2, 1 - core), out, i)
    return out


@nki.jit
def slots_by_size(x):
    assert nl.num_programs(0) == 2
    assert x.shape[0] % 128 == 0 and x.shape[1] == 512
    core = nl.program_id(0)
    slots = nl.ndarray((3, 2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, x.shape[0], 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        staged(x, slots, (i % 3, core), i)
        nisa.core_barrier(slots, (0, 1))
        taken(slots, (i % 3, 1 - core), out, i)
    return out


@nki.jit
def one_slot_and_one_meeting(x):
    """The next iteration writes what the other core may still read."""
    assert x.shape == (1024, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    slots = nl.ndarray((2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 1024, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(8):
        rows = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=rows, src=x[128 * i : 128 * i + 128, :])
        nisa.dma_copy(dst=slots[core], src=rows)  # expect: NKI603
        nisa.core_barrier(slots, (0, 1))
        taken(slots, 1 - core, out, i)
    return out


@nki.jit
def slot_of_the_iteration_before(x):
    """What is read is written by the next iteration of the other core, before they meet again."""
    assert x.shape == (1024, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    slots = nl.ndarray((2, 2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 1024, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    staged(x, slots, (1, core), 0)
    for i in range(8):
        rows = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=rows, src=x[128 * i : 128 * i + 128, :])
        nisa.dma_copy(dst=slots[i % 2, core], src=rows)  # expect: NKI603
        nisa.core_barrier(slots, (0, 1))
        taken(slots, ((i + 1) % 2, 1 - core), out, i)
    return out


@nki.jit
def slots_of_rows(x):
    """In two loops: the last inner iteration and the first one of the next row follow each other, too."""
    assert x.shape == (768, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    slots = nl.ndarray((2, 2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 768, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for row in range(2):
        for j in range(3):
            rows = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=rows, src=x[384 * row + 128 * j : 384 * row + 128 * j + 128, :])
            nisa.dma_copy(dst=slots[j % 2, core], src=rows)  # expect: NKI603
            nisa.core_barrier(slots, (0, 1))
            taken(slots, (j % 2, 1 - core), out, 3 * row + j)
    return out


@nki.jit
def meetings_of_every_other_iteration(x):
    """Two slots are one here: the iterations that meet are two apart, and nothing orders a read and the next write."""
    assert x.shape == (1024, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    slots = nl.ndarray((2, 2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 1024, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(8):
        rows = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=rows, src=x[128 * i : 128 * i + 128, :])
        if i % 2 == 0:
            nisa.dma_copy(dst=slots[i % 2, core], src=rows)  # expect: NKI603
            nisa.core_barrier(slots, (0, 1))
            nisa.dma_copy(dst=rows, src=slots[i % 2, 1 - core])
        nisa.dma_copy(dst=out[core, 128 * i : 128 * i + 128, :], src=rows)
    return out


@nki.jit
def meetings_of_a_flag(x, meet: bool = True):
    assert x.shape == (1024, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    slots = nl.ndarray((2, 2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray((2, 1024, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(8):
        if meet:
            staged(x, slots, (i % 2, core), i)
            nisa.core_barrier(slots, (0, 1))
            taken(slots, (i % 2, 1 - core), out, i)
        else:
            staged(x, out, (core, slice(128 * i, 128 * i + 128)), i)
    return out


def columns_of_this_core(x, out, meets):
    """Writes every other column; the cores meet in the iterations that `meets` says."""
    core = nl.program_id(0)
    for i in range(x.shape[1]):
        if i % 2 == core:
            nisa.dma_copy(dst=out[:, i : i + 1], src=x[:, i : i + 1])
        if meets(i):
            nisa.core_barrier(data=out, cores=(0, 1))


def columns_of_the_other_core(x, out):
    core = nl.program_id(0)
    for i in range(x.shape[1]):
        if i % 2 != core:
            nisa.dma_copy(dst=out[:, i : i + 1], src=x[:, i : i + 1])


# nkilint: x: float32[64, N], N % 2 == 0
@nki.jit
def meeting_in_later_iterations(x):  # expect: NKI003
    """What an iteration wrote without a meeting is there after the meeting of the next one."""
    assert nl.num_programs(0) == 2
    parts = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    columns_of_this_core(x, parts, lambda i: i % 2 == 1)
    columns_of_the_other_core(parts, out)
    return out


# nkilint: x: float32[64, N], N % 2 == 0
@nki.jit
def meeting_in_all_iterations(x):
    assert nl.num_programs(0) == 2
    parts = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    columns_of_this_core(x, parts, lambda i: True)
    columns_of_the_other_core(parts, out)
    return out
