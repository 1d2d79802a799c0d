"""Random kernels of many families: tilings of both axes, products, running sums, lists of tiles, windows, transposes,
block dimensions, branches and helpers; right ones, and ones with a mistake or two."""

from __future__ import annotations

import random
from collections.abc import Callable

from .random_kernels import HEADS, Generated, output

Made = tuple[str, tuple[tuple[str, ...], ...], list[str]]  # dialect, names of the sizes of each input, lines
Family = Callable[[random.Random], Made]


def generated_family(seed: int) -> Generated:
    """The kernel for a seed; seeds that follow each other are of different families."""
    choose = random.Random(seed)
    dialect, inputs, lines = FAMILIES[seed % len(FAMILIES)](choose)
    names = ("x", "y", "z")[: len(inputs)]
    unpacked = [f"    {', '.join(axes)} = {name}.shape" for name, axes in zip(names, inputs, strict=True)]
    head = ["@nki.jit", f"def kernel({', '.join(names)}):", *unpacked]
    source = "\n".join([*head, *(f"    {line}" for line in lines)])
    return Generated(
        dialect, f"{HEADS[dialect]}\n\n{source}\n", dict(zip(names, inputs, strict=True)), "program_id" in source
    )


def often(choose: random.Random, right: str, *wrong: str) -> str:
    """Mostly the right one."""
    return right if choose.random() < 0.75 else choose.choice(wrong)


def trips(choose: random.Random, size: str, step: int) -> str:
    """How many tiles of `step` a loop makes of `size`."""
    up = f"math.ceil({size} / {step})"
    return often(
        choose, up, f"{size} // {step}", f"{up} - 1", f"{size} // {step} + 1", f"({size} + {step - 1}) // {step}"
    )


def indented(lines: list[str], depth: int = 1) -> list[str]:
    return ["    " * depth + line for line in lines]


# --- Beta 1 ---


def both_axes(choose: random.Random) -> Made:
    rows, columns = choose.choice((64, 128, 128)), choose.choice((64, 256, 512))
    inside = often(
        choose, f"(i * {rows} + p < M) & (j * {columns} + f < N)", f"i * {rows} + p < M", f"j * {columns} + f < N"
    )
    masked = often(choose, f", mask=({inside})", "")
    stored = often(choose, masked, "")
    lines = [
        output("(M, N)"),
        f"p = nl.arange({rows})[:, None]",
        f"f = nl.arange({columns})[None, :]",
        f"for i in nl.affine_range({trips(choose, 'M', rows)}):",
        f"    for j in nl.{choose.choice(('affine_range', 'sequential_range'))}({trips(choose, 'N', columns)}):",
        f"        tile = nl.load(x[i * {rows} + p, j * {columns} + f]{masked})",
        f"        nl.store(output[i * {rows} + p, j * {columns} + f], nl.exp(tile{masked}){stored})",
        "return output",
    ]
    return "neuronxcc", (("M", "N"),), lines


def product(choose: random.Random) -> Made:
    rows, columns, depth = choose.choice((64, 128)), choose.choice((128, 512)), choose.choice((64, 128))
    assumed = often(
        choose, f"assert K % {depth} == 0 and M % {rows} == 0 and N % {columns} == 0", "", "assert K % 32 == 0"
    )
    start = often(choose, "zeros", "ndarray")
    sums = often(choose, "+=", "=") if choose.random() < 0.5 else "+="
    lines = [
        assumed or "pass",
        "assert K2 == K",
        output("(M, N)"),
        f"for i in nl.affine_range(M // {rows}):",
        f"    for j in nl.affine_range(N // {columns}):",
        f"        total = nl.{start}((nl.par_dim({rows}), {columns}), dtype=nl.float32, buffer=nl.psum)",
        f"        for k in nl.{often(choose, 'affine_range', 'sequential_range')}(K // {depth}):",
        f"            a = nl.load(x[k * {depth} : (k + 1) * {depth}, i * {rows} : (i + 1) * {rows}])",
        f"            b = nl.load(y[k * {depth} : (k + 1) * {depth}, j * {columns} : (j + 1) * {columns}])",
        f"            total[...] {sums} nisa.nc_matmul(a, b)",
        f"        nl.store(output[i * {rows} : (i + 1) * {rows}, j * {columns} : (j + 1) * {columns}], total)",
        "return output",
    ]
    return "neuronxcc", (("K", "M"), ("K2", "N")), lines


def running(choose: random.Random) -> Made:
    columns = choose.choice((64, 128, 512))
    loop = often(choose, "sequential_range", "affine_range")
    start = often(choose, "zeros", "ndarray")
    inside = f"j * {columns} + f < N"
    masked = often(choose, f", mask=({inside})", "")
    sized = choose.choice((f"nl.sum(tile, axis=1, keepdims=True{masked})", "nl.sum(tile, axis=1, keepdims=True)"))
    lines = [
        "assert M <= 128",
        output("(M, 1)"),
        f"total = nl.{start}((nl.par_dim(M), 1), dtype=nl.float32, buffer=nl.sbuf)",
        "p = nl.arange(M)[:, None]",
        f"f = nl.arange({columns})[None, :]",
        f"for j in nl.{loop}({trips(choose, 'N', columns)}):",
        f"    tile = nl.load(x[p, j * {columns} + f]{masked})",
        f"    total[...] = nl.add(total, {sized})",
        "nl.store(output[0:M, 0:1], total)",
        "return output",
    ]
    return "neuronxcc", (("M", "N"),), lines


def blocks(choose: random.Random) -> Made:
    rows = choose.choice((64, 128))
    first, second = trips(choose, "M", rows), trips(choose, "M", rows)
    masked = often(choose, f", mask=(i * {rows} + p < M)", "")
    stored = often(choose, f", mask=(k * {rows} + p < M)", "")
    lines = [
        output("(M, N)"),
        f"kept = nl.ndarray(({first}, nl.par_dim({rows}), N), dtype=nl.float32, buffer=nl.sbuf)",
        f"p = nl.arange({rows})[:, None]",
        "f = nl.arange(N)[None, :]",
        f"for i in nl.affine_range({often(choose, first, trips(choose, 'M', rows))}):",
        f"    kept[i, p, f] = nl.load(x[i * {rows} + p, f]{masked})",
        f"for k in nl.affine_range({often(choose, first, second)}):",
        f"    nl.store(output[k * {rows} + p, f], kept[k, p, f]{stored})",
        "return output",
    ]
    return "neuronxcc", (("M", "N"),), lines


def windows(choose: random.Random) -> Made:
    size, stride = choose.choice((2, 3)), choose.choice((1, 2))
    width = often(choose, f"(N - {size}) // {stride} + 1", f"N // {stride}", f"(N - {size}) // {stride}")
    lines = [
        f"assert M <= 128 and N >= {often(choose, str(size), '1')}",
        f"width = {width}",
        output("(M, width)"),
        "tile = nl.load(x)",
        "p = nl.arange(M)[:, None]",
        "f = nl.arange(width)[None, :]",
        f"best = nl.copy(tile[p, f * {stride}])",
        f"for k in range(1, {size}):",
        f"    best[...] = nl.maximum(best, tile[p, f * {stride} + k])",
        f"nl.store(output[p, {often(choose, 'f', 'f + 1')}], best)",
        "return output",
    ]
    return "neuronxcc", (("M", "N"),), lines


def turned(choose: random.Random) -> Made:
    rows = choose.choice((64, 128))
    inside = f"(i * {rows} + p < M) & (j * {rows} + f < N)"
    flipped = often(choose, f"(j * {rows} + p < N) & (i * {rows} + f < M)", inside)
    lines = [
        output("(N, M)"),
        f"p = nl.arange({rows})[:, None]",
        f"f = nl.arange({rows})[None, :]",
        f"for i in nl.affine_range({trips(choose, 'M', rows)}):",
        f"    for j in nl.affine_range({trips(choose, 'N', rows)}):",
        f"        tile = nl.load(x[i * {rows} + p, j * {rows} + f], mask={inside})",
        f"        other = nisa.nc_transpose(tile[p, f]{often(choose, '', f', mask={inside}')})",
        f"        nl.store(output[j * {rows} + p, i * {rows} + f], other, mask={flipped})",
        "return output",
    ]
    return "neuronxcc", (("M", "N"),), lines


def programs(choose: random.Random) -> Made:
    rows = choose.choice((32, 64, 128))
    first = often(choose, f"i * {rows}", f"i * {rows // 2}", f"(i // 2) * {rows}")
    masked = often(choose, ", mask=(first + p < M)", "")
    lines = [
        often(choose, f"assert M == {rows} * nl.num_programs(0)", "pass"),
        output("(M, N)"),
        "i = nl.program_id(0)",
        f"first = {first}",
        f"p = nl.arange({rows})[:, None]",
        "f = nl.arange(N)[None, :]",
        f"tile = nl.load(x[first + p, f]{masked})",
        f"nl.store(output[{often(choose, 'first + p', f'i * {rows} + p')}, f], nl.exp(tile){masked})",
        "return output",
    ]
    return "neuronxcc", (("M", "N"),), lines


def shared_rows(choose: random.Random) -> Made:
    part = often(choose, "M // nl.num_programs(0)", "-(-M // nl.num_programs(0))")
    height = often(choose, "min(128, (i + 1) * part - first)", "min(128, M - first)", "128")
    lines = [
        "assert nl.num_programs(0) == 2",
        often(choose, "assert M % 2 == 0", "assert M % 256 == 0", "pass"),
        output("(M, N)"),
        "i = nl.program_id(0)",
        f"part = {part}",
        f"for k in range({trips(choose, 'part', 128)}):",
        "    first = i * part + k * 128",
        f"    height = {height}",
        "    tile = nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf)",
        "    nisa.dma_copy(dst=tile[0:height, :], src=x[first : first + height, :])",
        "    nisa.dma_copy(dst=output[first : first + height, :], src=tile[0:height, :])",
        "return output",
    ]
    return "nki", (("M", "N"),), lines


# --- 0.x ---


def tiles_of_both(choose: random.Random) -> Made:
    rows, columns = choose.choice((64, 128)), choose.choice((128, 512))
    height = often(choose, f"min({rows}, M - i * {rows})", str(rows), f"min({rows}, M - i)")
    width = often(choose, f"min({columns}, N - j * {columns})", str(columns))
    lines = [
        output("(M, N)"),
        f"for i in range({trips(choose, 'M', rows)}):",
        f"    height = {height}",
        f"    for j in range({trips(choose, 'N', columns)}):",
        f"        width = {width}",
        f"        tile = nl.ndarray(({rows}, {columns}), dtype=nl.float32, buffer=nl.sbuf)",
        f"        rows, columns = nl.ds(i * {rows}, height), nl.ds(j * {columns}, width)",
        "        nisa.dma_copy(dst=tile[0:height, 0:width], src=x[rows, columns])",
        f"        nisa.activation(dst=tile[{often(choose, '0:height, 0:width', ':, :')}], op=nl.exp, "
        f"data=tile[{often(choose, '0:height, 0:width', ':, :')}])",
        "        nisa.dma_copy(dst=output[rows, columns], src=tile[0:height, 0:width])",
        "return output",
    ]
    return "nki", (("M", "N"),), lines


def listed(choose: random.Random) -> Made:
    rows = choose.choice((64, 128))
    first = trips(choose, "M", rows)
    lines = [
        f"assert M <= {choose.choice((256, 512))} and N <= 512",
        output("(M, N)"),
        "tiles = []",
        f"for i in range({first}):",
        f"    tile = nl.ndarray(({rows}, N), dtype=nl.float32, buffer=nl.sbuf)",
        f"    count = {often(choose, f'min({rows}, M - i * {rows})', str(rows))}",
        f"    nisa.dma_copy(dst=tile[0:count, :], src=x[i * {rows} : i * {rows} + count, :])",
        "    tiles.append(tile)",
        f"for i in range({often(choose, first, trips(choose, 'M', rows))}):",
        f"    count = min({rows}, M - i * {rows})",
        f"    nisa.dma_copy(dst=output[i * {rows} : i * {rows} + count, :], src=tiles[i][0:count, :])",
        "return output",
    ]
    return "nki", (("M", "N"),), lines


def product_of_slices(choose: random.Random) -> Made:
    rows, columns, depth = choose.choice((64, 128)), choose.choice((128, 512)), choose.choice((64, 128))
    tiles = ((rows, "M", "i"), (columns, "N", "j"), (depth, "K", "k"))
    m, n, d = (often(choose, f"min({step}, {size} - {i} * {step})", str(step)) for step, size, i in tiles)
    down, across = f"nl.ds(i * {rows}, m)", f"nl.ds(j * {columns}, n)"
    along = f"nl.ds(k * {depth}, d)"
    lines = [
        "assert K2 == K",
        output("(M, N)"),
        f"for i in range({trips(choose, 'M', rows)}):",
        f"    for j in range({trips(choose, 'N', columns)}):",
        f"        m, n = {m}, {n}",
        f"        total = nl.ndarray(({rows}, {columns}), dtype=nl.float32, buffer=nl.psum)",
        f"        for k in range({trips(choose, 'K', depth)}):",
        f"            d = {d}",
        f"            a = nl.ndarray(({depth}, {rows}), dtype=nl.float32, buffer=nl.sbuf)",
        f"            b = nl.ndarray(({depth}, {columns}), dtype=nl.float32, buffer=nl.sbuf)",
        f"            nisa.dma_copy(dst=a[0:d, 0:m], src=x[{along}, {down}])",
        f"            nisa.dma_copy(dst=b[0:d, 0:n], src=y[{along}, {across}])",
        f"            left = a[0:{often(choose, 'd', str(depth))}, 0:m]",
        "            nisa.nc_matmul(dst=total[0:m, 0:n], stationary=left, moving=b[0:d, 0:n])",
        f"        copied = nl.ndarray(({rows}, {columns}), dtype=nl.float32, buffer=nl.sbuf)",
        "        nisa.tensor_copy(dst=copied[0:m, 0:n], src=total[0:m, 0:n])",
        f"        nisa.dma_copy(dst=output[{down}, {across}], src=copied[0:m, 0:n])",
        "return output",
    ]
    return "nki", (("K", "M"), ("K2", "N")), lines


def branches(choose: random.Random) -> Made:
    rows = choose.choice((64, 128))
    last = often(choose, "i == count - 1", "i == count", "i > 0")
    tail = often(choose, f"M - i * {rows}", f"M % {rows}", str(rows))
    lines = [
        output("(M, N)"),
        f"count = {trips(choose, 'M', rows)}",
        "for i in range(count):",
        f"    if {last}:",
        f"        height = {tail}",
        "    else:",
        f"        height = {rows}",
        f"    tile = nl.ndarray(({rows}, N), dtype=nl.float32, buffer=nl.sbuf)",
        f"    nisa.dma_copy(dst=tile[0:height, :], src=x[i * {rows} : i * {rows} + height, :])",
        "    if N > 512:" if choose.random() < 0.3 else "    if True:",
        "        nisa.activation(dst=tile[0:height, :], op=nl.relu, data=tile[0:height, :])",
        f"    nisa.dma_copy(dst=output[i * {rows} : i * {rows} + height, :], src=tile[0:height, :])",
        "return output",
    ]
    return "nki", (("M", "N"),), lines


def helped(choose: random.Random) -> Made:
    rows = choose.choice((64, 128))
    lines = [
        "def rows_of(source, first, count):",
        f"    tile = nl.ndarray(({rows}, source.shape[1]), dtype=source.dtype, buffer=nl.sbuf)",
        f"    nisa.dma_copy(dst=tile[0:{often(choose, 'count', str(rows))}, :], src=source[first : first + count, :])",
        "    return tile",
        "",
        output("(M, N)"),
        often(choose, "assert M2 == M and N2 == N", "assert N2 == N"),
        f"for first in range(0, {often(choose, 'M', 'M2')}, {rows}):",
        f"    count = min({rows}, {often(choose, 'M', 'M2')} - first)",
        "    a, b = rows_of(x, first, count), rows_of(y, first, count)",
        f"    total = nl.ndarray(({rows}, N), dtype=nl.float32, buffer=nl.sbuf)",
        "    nisa.tensor_tensor(dst=total[0:count, :], data1=a[0:count, :], data2=b[0:count, :], op=nl.add)",
        "    nisa.dma_copy(dst=output[first : first + count, :], src=total[0:count, :])",
        "return output",
    ]
    return "nki", (("M", "N"), ("M2", "N2")), lines


def summed_slices(choose: random.Random) -> Made:
    columns = choose.choice((64, 128, 512))
    stored = often(choose, "0:M", "0 : M - 1")
    start = often(choose, "nisa.memset(dst=total, value=0.0)", "pass", "nisa.memset(dst=total[0:64, :], value=0.0)")
    lines = [
        "assert M <= 128",
        output("(M, 1)"),
        "total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)",
        start,
        f"for first in range(0, N, {columns}):",
        f"    width = {often(choose, f'min({columns}, N - first)', str(columns))}",
        f"    tile = nl.ndarray((128, {columns}), dtype=nl.float32, buffer=nl.sbuf)",
        "    part = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)",
        "    nisa.dma_copy(dst=tile[0:M, 0:width], src=x[:, first : first + width])",
        f"    nisa.tensor_reduce(dst=part[0:M, :], op=nl.add, data=tile[0:M, {often(choose, '0:width', ':')}], axis=1)",
        "    nisa.tensor_tensor(dst=total[0:M, :], data1=total[0:M, :], data2=part[0:M, :], op=nl.add)",
        f"nisa.dma_copy(dst=output[{stored}, :], src=total[{stored}, :])",
        "return output",
    ]
    return "nki", (("M", "N"),), lines


def rotated(choose: random.Random) -> Made:
    count, rows = choose.choice((2, 3)), 128
    inner = choose.choice(("load", "store"))
    slot = often(choose, f"i % {count}", f"i % {count - 1}", "0")
    lines = [
        f"assert M % {rows} == 0 and N <= 512",
        output("(M, N)"),
        f"ring = [nl.ndarray(({rows}, N), dtype=nl.float32, buffer=nl.sbuf) for _ in range({count})]",
        "nisa.dma_copy(dst=ring[0], src=x[0:128, :])" if inner == "load" else "pass",
        f"for i in range(M // {rows}):",
        *(
            [
                f"    if i + 1 < {often(choose, f'M // {rows}', f'M // {rows} - 1')}:",
                f"        nisa.dma_copy(dst=ring[(i + 1) % {count}], src=x[(i + 1) * {rows} : (i + 2) * {rows}, :])",
            ]
            if inner == "load"
            else [f"    nisa.dma_copy(dst=ring[i % {count}], src=x[i * {rows} : (i + 1) * {rows}, :])"]
        ),
        f"    nisa.dma_copy(dst=output[i * {rows} : (i + 1) * {rows}, :], src=ring[{slot}])",
        "return output",
    ]
    return "nki", (("M", "N"),), lines


FAMILIES: tuple[Family, ...] = (
    both_axes, product, running, blocks, windows, turned, tiles_of_both, listed, product_of_slices, branches, helped,
    summed_slices, rotated, programs, shared_rows,
)  # fmt: skip
