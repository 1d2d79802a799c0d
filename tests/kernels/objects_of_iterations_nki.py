"""Objects that a loop makes, and that a list and something else hold: each change is one for both."""

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Part:
    start: int
    rows: int = 128


class Plan:
    def __init__(self):
        self.parts, self.last = [], None

    def add(self, part):
        self.parts.append(part)
        self.last = part


def copied(out, x, start, rows):
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:rows], src=x[start : start + rows])
    nisa.dma_copy(dst=out[start : start + rows], src=tile[0:rows])


# nkilint: x: float32[M, 256], M >= 256
@nki.jit
def changed_by_its_name(x):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = []
    for i in range(x.shape[0] // 128):
        part = Part(i * 128)
        parts.append(part)
    part.rows = 64
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0 : parts[-1].rows], src=x[0 : parts[-1].rows])
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[M, 256], M >= 256
@nki.jit
def changed_in_the_other_list(x):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    parts, others = [], []
    for i in range(x.shape[0] // 128):
        part = Part(i * 128)
        parts.append(part)
        others.append(part)
    others[1].rows = 64
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0 : parts[1].rows], src=x[0 : parts[1].rows])
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[M, 256], M >= 256
@nki.jit
def changed_as_the_last_one(x):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    plan = Plan()
    for i in range((x.shape[0] + 127) // 128):
        plan.add(Part(i * 128))
    plan.last.rows = x.shape[0] - plan.last.start
    for part in plan.parts:
        copied(out, x, part.start, part.rows)
    return out


# nkilint: x: float32[M, 256], M >= 256
@nki.jit
def changed_by_the_next_iteration(x):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    parts, before = [], None
    for i in range(x.shape[0] // 128):
        part = Part(i * 128)
        if before is not None:  # expect: NKI803
            before.rows = 64
        parts.append(part)
        before = part
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0 : parts[0].rows], src=x[0 : parts[0].rows])
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[M, 256]
@nki.jit
def held_by_two_and_left_alone(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    plan, others = Plan(), []
    for i in range((x.shape[0] + 127) // 128):
        part = Part(i * 128, min(128, x.shape[0] - i * 128))
        plan.add(part)
        others.append(part)
    for part, other in zip(plan.parts, others):
        copied(out, x, part.start, other.rows)
    return out
