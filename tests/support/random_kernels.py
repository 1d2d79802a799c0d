"""Random kernels of both dialects that tile a matrix by rows: right ones, and ones with a mistake or two."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

HEADS = {
    "neuronxcc": "import math\nimport neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\n"
    "import neuronxcc.nki.language as nl\n",
    "nki": "import math\nimport nki\nimport nki.isa as nisa\nimport nki.language as nl\n",
}
SIZES = (1, 2, 31, 32, 33, 64, 96, 100, 127, 128, 129, 160, 192, 255, 256, 257, 300, 512, 513)


@dataclass(frozen=True)
class Generated:
    """A kernel; for each of its matrices the names of its sizes; whether it is launched on a grid."""

    dialect: str
    source: str
    inputs: Mapping[str, tuple[str, ...]]
    on_grid: bool = False


def generated(seed: int) -> Generated:
    """The kernel for a seed."""
    choose = random.Random(seed)
    dialect = choose.choice(("neuronxcc", "nki"))
    body = _grids(choose) if dialect == "neuronxcc" else _slices(choose)
    lines = [
        "@nki.jit",
        "def kernel(x):",
        "    M, N = x.shape",
        *(f"    {line}" for line in (*_assumed(choose), *body)),
    ]
    return Generated(dialect, HEADS[dialect] + "\n\n" + "\n".join(lines) + "\n", {"x": ("M", "N")})


def _assumed(choose: random.Random) -> list[str]:
    found = []
    if choose.random() < 0.4:
        found.append(f"assert M % {choose.choice((32, 64, 128))} == 0")
    if choose.random() < 0.7:
        found.append(f"assert N <= {choose.choice((128, 256, 512))}")
    return found


def _rows(choose: random.Random) -> int:
    return choose.choice((32, 64, 96, 128, 128, 128, 130))


def _trips(choose: random.Random, size: str, rows: int) -> str:
    exact, up = f"{size} // {rows}", f"math.ceil({size} / {rows})"
    return choose.choice((exact, exact, up, up, up, f"{up} - 1", f"{exact} + 1", f"({size} + {rows - 1}) // {rows}"))


def output(shape: str) -> str:
    return f"output = nl.ndarray({shape}, dtype=nl.float32, buffer=nl.shared_hbm)"


# --- Beta 1: index grids and masks ---


def _grids(choose: random.Random) -> list[str]:
    rows = _rows(choose)
    shift = choose.choice(("", "", "", "", " + 1"))
    loop = choose.choice(("affine_range", "affine_range", "sequential_range"))
    inside = f"i * {rows} + p < M"
    mask = choose.choice(("", "", inside, inside, inside, f"i * {rows} < M", f"i * {rows} + p <= M"))
    masked = f", mask=({mask})" if mask else ""
    reduced = choose.random() < 0.3
    lines = [output("(M, 1)" if reduced else "(M, N)")]
    lines += [f"p = nl.arange({rows})[:, None]", "f = nl.arange(N)[None, :]", "c = nl.arange(1)[None, :]"]
    summed = choose.random() < 0.25
    if summed:
        lines.append(f"total = nl.zeros((nl.par_dim({rows}), 1), dtype=nl.float32, buffer=nl.sbuf)")
    body = [f"tile = nl.load(x[i * {rows} + p{shift}, f]{masked})"]
    for _ in range(choose.randrange(3)):
        body.append(_grid_step(choose, rows, masked))
    value = "tile"
    if summed:
        body.append(f"total[0:{rows}, 0:1] = nl.add(total[0:{rows}, 0:1], nl.sum(tile, axis=1, keepdims=True))")
    if reduced:
        body.append(f"column = nl.sum(tile, axis=1, keepdims=True{masked})")
        value = "total" if summed and choose.random() < 0.5 else "column"
    stored = masked if choose.random() < 0.8 else ""
    body.append(f"nl.store(output[i * {rows} + p, {'c' if reduced else 'f'}], value={value}{stored})")
    return [*lines, f"for i in nl.{loop}({_trips(choose, 'M', rows)}):", *(f"    {b}" for b in body), "return output"]


def _grid_step(choose: random.Random, rows: int, masked: str) -> str:
    return choose.choice(
        (
            f"tile = nl.exp(tile{masked})",
            f"tile = nl.multiply(tile, 2.0{masked})",
            "tile = nisa.activation(nl.relu, tile, scale=0.5)",
            "stats = nisa.bn_stats(tile)",
            "turned = nisa.nc_transpose(tile)",
            f"copied = nl.copy(tile[0:{choose.choice((rows, rows // 2, rows + 1))}, 0:N])",
            "best = nisa.max8(src=tile)",
            f"product = nisa.nc_matmul(nl.ones(({rows}, 64), dtype=nl.float32, buffer=nl.sbuf), tile)",
        )
    )


# --- 0.x: slices ---


def _slices(choose: random.Random) -> list[str]:
    rows = _rows(choose)
    shift = choose.choice(("", "", "", "", " + 1"))
    reduced = choose.random() < 0.3
    count = choose.choice((str(rows), f"min({rows}, M - first)", f"min({rows}, M - first)", f"min({rows}, M - first)"))
    lines = [output("(M, 1)" if reduced else "(M, N)")]
    if choose.random() < 0.5:
        head = [f"for i in range({_trips(choose, 'M', rows)}):", f"    first = i * {rows}"]
    else:
        head = [f"for first in range(0, M, {choose.choice((rows, rows, rows, rows // 2, rows * 2))}):"]
    body = [f"count = {count}", f"tile = nl.ndarray(({rows}, N), dtype=nl.float32, buffer=nl.sbuf)"]
    body.append(f"nisa.dma_copy(dst=tile[0:count, :], src=x[first{shift} : first{shift} + count, :])")
    for _ in range(choose.randrange(3)):
        body += _slice_step(choose, rows)
    used = "0:count" if choose.random() < 0.9 else f"0:{rows}"
    value = f"tile[{used}, :]"
    if reduced:
        body.append(f"column = nl.ndarray(({rows}, 1), dtype=nl.float32, buffer=nl.sbuf)")
        body.append(f"nisa.tensor_reduce(dst=column[{used}, :], op=nl.add, data={value}, axis=1)")
        value = f"column[{used}, :]"
    body.append(f"nisa.dma_copy(dst=output[first : first + count, :], src={value})")
    return [*lines, *head, *(f"    {b}" for b in body), "return output"]


def _slice_step(choose: random.Random, rows: int) -> list[str]:
    part = "tile[0:count, :]"
    other = f"other = nl.ndarray(({rows}, N), dtype=nl.float32, buffer=nl.sbuf)"
    return choose.choice(
        (
            [f"nisa.activation(dst={part}, op=nl.exp, data={part})"],
            [f"nisa.tensor_scalar(dst={part}, data={part}, op0=nl.multiply, operand0=2.0)"],
            [other, f"nisa.tensor_tensor(dst=other[0:count, :], data1={part}, data2={part}, op=nl.add)"],
            [
                f"stats = nl.ndarray(({rows}, 6), dtype=nl.float32, buffer=nl.sbuf)",
                f"nisa.bn_stats(dst=stats[0:count, :], data={part})",
            ],
            [
                f"turned = nl.ndarray((N, {rows}), dtype=nl.float32, buffer=nl.psum)",
                f"nisa.nc_transpose(dst=turned[:, 0:count], data={part})",
            ],
            [
                f"best = nl.ndarray(({rows}, 8), dtype=nl.float32, buffer=nl.sbuf)",
                f"nisa.max8(dst=best[0:count, :], src={part})",
            ],
            [other, f"nisa.tensor_copy(dst=other[0:{choose.choice((rows // 2, 32))}, :], src={part})"],
        )
    )
