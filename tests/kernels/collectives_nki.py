"""Collectives among ranks that an argument counts: operators, dimensions, and what arrives."""

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl


@nki.jit
def summed(x, ranks):
    """x: [R, C]"""
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([list(range(ranks))])
    ncc.all_reduce(srcs=[x], dsts=[output], replica_group=group, op=nl.add)
    return output


@nki.jit
def multiplied(x, ranks):
    """x: [R, C]"""
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([list(range(ranks))])
    ncc.all_reduce(srcs=[x], dsts=[output], replica_group=group, op=nl.multiply)  # expect: NKI205
    return output


@nki.jit
def summed_into_fewer_columns(x):
    """x: [R, C]"""
    output = nl.ndarray((x.shape[0], 128), dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1]])
    ncc.all_reduce(srcs=[x], dsts=[output], replica_group=group, op=nl.add)  # expect-warning: NKI204 C == 128
    return output


@nki.jit
def gathered(x, ranks):
    """x: [R, C]"""
    output = nl.ndarray((ranks * x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([list(range(ranks))])
    ncc.all_gather(srcs=[x], dsts=[output], replica_group=group, collective_dim=0)
    return output


@nki.jit
def gathered_side_by_side(x):
    """x: [R, C]"""
    output = nl.ndarray((x.shape[0], 2 * x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1]])
    ncc.all_gather(srcs=[x], dsts=[output], replica_group=group, collective_dim=1)  # expect: NKI205
    return output


@nki.jit
def gathered_on_chip(x):
    """x: float32[128, 256]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    all_of_them = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x)
    ncc.all_gather(srcs=[mine], dsts=[all_of_them], replica_group=ncc.ReplicaGroup([[0, 1]]), collective_dim=1)
    nisa.dma_copy(dst=output, src=all_of_them)
    return output


@nki.jit
def scattered(x):
    """x: [R, C]"""
    assert x.shape[0] % 4 == 0
    output = nl.ndarray((x.shape[0] // 4, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1, 2, 3]])
    ncc.reduce_scatter(srcs=[x], dsts=[output], replica_group=group, collective_dim=0, op=nl.add)
    return output


@nki.jit
def scattered_by_columns(x):
    """x: [R, C]"""
    assert x.shape[1] % 4 == 0
    output = nl.ndarray((x.shape[0], x.shape[1] // 4), dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1, 2, 3]])
    ncc.reduce_scatter(
        srcs=[x],
        dsts=[output],
        replica_group=group,
        collective_dim=1,  # expect: NKI205
        op=nl.add,
    )
    return output


@nki.jit
def to_all(x):
    """x: [R, C]"""
    assert x.shape[0] % 2 == 0
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1]])
    ncc.all_to_all(srcs=[x], dsts=[output, output], replica_group=group, collective_dim=0)  # expect: NKI205
    return output


# --- what arrives, by the number of ranks ---


@nki.jit
def gathered_into_too_much(x):
    """x: float32[128, 512]"""
    output = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1, 2, 3]])
    ncc.all_gather(srcs=[x], dsts=[output], replica_group=group, collective_dim=0)  # expect: NKI204
    return output


@nki.jit
def gathered_by_two(x):
    """x: [R, C]"""
    output = nl.ndarray((1024, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 2], [1, 3]])
    ncc.all_gather(srcs=[x], dsts=[output], replica_group=group, collective_dim=0)  # expect-warning: NKI204 R == 512
    return output


@nki.jit
def gathered_by_those_handed_in(x, ranks, group):
    """x: [R, C]"""
    output = nl.ndarray((ranks * x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    ncc.all_gather(srcs=[x], dsts=[output], replica_group=group, collective_dim=0)
    return output


@nki.jit
def gathered_by_those_handed_in_into_less(x, group: ncc.ReplicaGroup):
    assert x.shape == (128, 512)
    output = nl.ndarray((320, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    ncc.all_gather(srcs=[x], dsts=[output], replica_group=group, collective_dim=0)  # expect: NKI204
    return output


@nki.jit
def scattered_into_too_much(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1, 2, 3]])
    ncc.reduce_scatter(srcs=[x], dsts=[output], replica_group=group, collective_dim=0, op=nl.add)  # expect: NKI204
    return output


@nki.jit
def rows_that_do_not_divide(x):
    assert x.shape == (130, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1, 2, 3]])
    ncc.all_to_all(srcs=[x], dsts=[output], replica_group=group, collective_dim=0)  # expect: NKI109
    return output


@nki.jit
def in_two_groups(x):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1], [1, 2]])
    ncc.all_reduce(srcs=[x], dsts=[output], replica_group=group, op=nl.add)  # expect: NKI205
    return output


# --- where the tensors lie, and how many there are ---


@nki.jit
def from_chip_to_memory(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x)
    group = ncc.ReplicaGroup([[0, 1]])
    ncc.all_reduce(srcs=[mine], dsts=[output], replica_group=group, op=nl.add)  # expect: NKI201
    return output


@nki.jit
def two_tiles_at_once(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sent = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    sums = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    for tile in sent:
        nisa.dma_copy(dst=tile, src=x)
    group = ncc.ReplicaGroup([[0, 1]])
    ncc.all_reduce(srcs=sent, dsts=sums, replica_group=group, op=nl.add)  # expect: NKI201
    for number, tile in enumerate(sums):
        nisa.dma_copy(dst=output[number], src=tile)
    return output


@nki.jit
def two_tensors_at_once(x, y):
    """x: [R, C], y: [R, C]"""
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    other = nl.ndarray(y.shape, dtype=y.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1]])
    ncc.all_reduce(srcs=[x, y], dsts=[output, other], replica_group=group, op=nl.add)
    return output, other
