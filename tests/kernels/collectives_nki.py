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
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = ncc.ReplicaGroup([[0, 1]])
    ncc.all_to_all(srcs=[x], dsts=[output, output], replica_group=group, collective_dim=0)  # expect: NKI205
    return output
