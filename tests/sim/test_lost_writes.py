"""Runs tell of results that each iteration overwrites unread (NKI708), and of nothing that kernels mean to write over:
whatever builds on the iteration before, is the same each time, is read in between or is written elsewhere."""

from __future__ import annotations

import ast
import linecache
import re
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import numpy as np
import pytest

import reference_sim

KERNELS = Path(__file__).parents[1] / "kernels"
FILE = "<rewriting>"
HEADS = {
    "neuronxcc": "import neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\n",
    "nki": "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n",
}


def loaded(source: str) -> dict[str, Any]:
    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    space: dict[str, Any] = {"__name__": "kernels", "__file__": FILE}
    exec(compile(source, FILE, "exec"), space)
    return space


def rows_found(kernel: Any, shapes: list[tuple[int, ...]], **options: Any) -> set[int]:
    """The rows of the lost writes that a run tells of."""
    generator = np.random.default_rng(0)
    inputs = [generator.random(shape, dtype=np.float32) for shape in shapes]
    seen = reference_sim.observe(kernel, inputs, **options)
    assert seen.stopped is None, seen.stopped
    assert {f.code for f in seen.findings if f.severity == "error"} <= {"NKI708"}, seen.findings
    return {f.at.row for f in seen.findings if f.code == "NKI708"}


def kernel_of(dialect: str, body: str) -> Any:
    source = f"""{HEADS[dialect]}
@nki.jit
def kernel(x):
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
{indent(dedent(body).strip(), "    ")}
    return output
"""
    return loaded(source)["kernel"], {n for n, line in enumerate(source.splitlines(), 1) if "# lost" in line}


BLOCKS = [(1024, 128), (1024, 512)]
SHAPES = {
    "store_of_the_last": [(512, 512)],
    "sums_over_blocks_not_added_up": BLOCKS,
    "sums_over_blocks_added_up": BLOCKS,
}
"""Of kernels whose assertions leave some open."""


def expectations(name: str) -> list[Any]:
    """The kernels of a file whose shapes are known, with these and the rows of what they lose."""
    source = (KERNELS / f"{name}.py").read_text()
    found = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            text = ast.get_source_segment(source, node) or ""
            shapes = [ast.literal_eval(s) for s in re.findall(r"shape == (\([\d, ]+\))", text)]
            shapes = shapes or SHAPES.get(node.name, [])
            if len(shapes) != len(node.args.args):
                continue
            lines = enumerate(source.splitlines()[node.lineno - 1 : node.end_lineno], node.lineno)
            rows = {row for row, line in lines if re.search(r"# expect(-warning)?: NKI708", line)}
            found.append(pytest.param(name, node.name, shapes, rows, id=node.name))
    assert any(param.values[3] for param in found)
    assert not all(param.values[3] for param in found)
    return found


@pytest.mark.parametrize(
    ("name", "kernel", "shapes", "rows"),
    [*expectations("dataflow_lost_neuronxcc"), *expectations("dataflow_lost_nki")],
)
def test_a_run_tells_of_what_the_linter_tells(name: str, kernel: str, shapes: Any, rows: set[int]) -> None:
    assert rows_found(loaded((KERNELS / f"{name}.py").read_text())[kernel], shapes) == rows


GOOD = {
    "a running maximum": """
        most = nl.full((128, 512), -1e9, dtype=nl.float32)
        for i in nl.sequential_range(4):
            most[...] = nl.maximum(most, nl.load(x[nl.ds(i * 128, 128), 0:512]))
            nl.store(output, value=most)
        """,
    "a maximum and a sum that is rescaled by it": """
        most, total = nl.full((128, 1), -1e9, dtype=nl.float32), nl.zeros((128, 1), dtype=nl.float32)
        scaled = nl.ndarray((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
            larger = nl.maximum(most, nl.max(tile, axis=1, keepdims=True))
            total[...] = total * nl.exp(most - larger) + nl.sum(nl.exp(tile - larger), axis=1, keepdims=True)
            most[...] = nl.copy(larger)
            scaled[...] = nl.exp(tile - larger) / total
        nl.store(output, value=scaled)
        """,
    "two buffers in turn": """
        held = [nl.ndarray((128, 512), dtype=nl.float32) for _ in range(2)]
        for i in range(4):
            held[i % 2][...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output, value=held[0] + held[1])
        """,
    "the tile of the iteration before": """
        now, before = nl.zeros((128, 512), dtype=nl.float32), nl.zeros((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            before[...] = nl.copy(now)
            now[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output, value=now - before)
        """,
    "sums up to each iteration": """
        total = nl.zeros((128, 1), dtype=nl.float32)
        sums = nl.ndarray((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(512):
            total[...] = total + nl.load(x[0:128, nl.ds(i, 1)])
            sums[0:128, nl.ds(i, 1)] = nl.copy(total)
        nl.store(output, value=sums)
        """,
    "the last of tiles that are used in each iteration": """
        last = nl.ndarray((128, 512), dtype=nl.float32)
        total = nl.zeros((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile = nl.exp(nl.load(x[nl.ds(i * 128, 128), 0:512]))
            last[...] = nl.copy(tile)
            total[...] = total + tile
        nl.store(output, value=last + total)
        """,
    "the last of tiles in one place": """
        tile, last = nl.ndarray((128, 512), dtype=nl.float32), nl.ndarray((128, 512), dtype=nl.float32)
        total = nl.zeros((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
            total[...] = total + tile
            last[...] = tile
        nl.store(output, value=last + total)
        """,
    "the start of a sum": """
        for i in nl.sequential_range(2):
            total = nl.ndarray((128, 256), dtype=nl.float32)
            for j in nl.sequential_range(4):
                if j == 0:
                    total[...] = nl.zeros((128, 256), dtype=nl.float32)
                total[...] = total + nl.load(x[nl.ds(j * 128, 128), nl.ds(i * 256, 256)])
            nl.store(output[0:128, nl.ds(i * 256, 256)], value=total)
        """,
    "a buffer that is cleared, filled and read": """
        tile, total = nl.ndarray((128, 512), dtype=nl.float32), nl.zeros((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile[...] = nl.zeros((128, 512), dtype=nl.float32)
            tile[0:128, 0:256] = nl.load(x[nl.ds(i * 128, 128), 0:256])
            total += tile
        nl.store(output, value=total)
        """,
    "masks that exclude each other": """
        part = nl.arange(128)[:, None], nl.arange(512)[None, :]
        for i in nl.sequential_range(4):
            tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
            keep = (part[1] >= i * 128) & (part[1] < i * 128 + 128)
            nl.store(output[part[0], part[1]], value=tile, mask=keep)
        """,
    "less and less of a tile": """
        for i in range(4):
            nl.store(output[0:128, i * 128 : 512], value=nl.load(x[nl.ds(i * 128, 128), i * 128 : 512]))
        """,
    "the last one that a condition meets": """
        for i in range(4):
            if i < 2:
                nl.store(output, value=nl.load(x[nl.ds(i * 128, 128), 0:512]))
        """,
    "a loop that ends early": """
        for i in range(4):
            nl.store(output, value=nl.load(x[nl.ds(i * 128, 128), 0:512]))
            if i == 2:
                break
        """,
    "a result that nothing is made of": """
        rest = nl.ndarray((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            rest[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
            nl.store(output[0:128, nl.ds(i * 128, 128)], value=nl.load(x[nl.ds(i * 128, 128), 0:128]))
        """,
    "a result that is written over before it is read": """
        tile = nl.ndarray((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
        tile[...] = nl.load(x[0:128, 0:512])
        nl.store(output, value=tile)
        """,
    "a read of another part": """
        tile = nl.zeros((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile[0:128, 0:256] = nl.load(x[nl.ds(i * 128, 128), 0:256])
        nl.store(output[0:128, 256:512], value=tile[0:128, 256:512])
        nl.store(output[0:128, 0:256], value=nl.load(x[0:128, 0:256]))
        """,
    "a reduction of Beta 1": """
        total = nl.zeros((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
            total = nl.loop_reduce(tile, op=np.add, loop_indices=[i])
        nl.store(output, value=total)
        """,
}
GOOD_IN_0X = {
    "the registers of an engine": """
        tile, kept = nl.ndarray((128, 512), nl.float32), nl.ndarray((128, 512), nl.float32)
        total = nl.ndarray((128, 1), nl.float32)
        for i in range(4):
            nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
            command = nisa.reduce_cmd.reset_reduce if i == 0 else nisa.reduce_cmd.reduce
            nisa.activation(dst=kept, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=command)
        nisa.dma_copy(dst=output, src=kept)
        nisa.dma_copy(dst=output[:, 0:1], src=total)
        """,
    "what the other elements keep": """
        tile, most = nl.ndarray((128, 512), nl.float32), nl.ndarray((128, 512), nl.float32)
        larger = nl.ndarray((128, 512), nl.uint8)
        nisa.memset(dst=most, value=0.0)
        for i in range(4):
            nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
            nisa.tensor_scalar(dst=larger, data=tile, op0=nl.greater, operand0=0.5)
            nisa.tensor_copy_predicated(dst=most, src=tile, predicate=larger)
        nisa.dma_copy(dst=output, src=most)
        """,
    "one loop for all loops": """
        tile = nl.ndarray((128, 512), nl.float32)
        for i in range(2):
            for j in range(2):
                nisa.dma_copy(dst=tile, src=x[(2 * i + j) * 128 : (2 * i + j + 1) * 128, :])
                if j == 1 and i == 1:
                    nisa.dma_copy(dst=output, src=tile)
        """,
}
BAD = {
    "a maximum that forgets": """
        most = nl.full((128, 512), -1e9, dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
            most[...] = nl.maximum(tile, 0.0)  # lost
        nl.store(output, value=most)
        """,
    "a loop without the running value": """
        total, last = nl.zeros((128, 512), dtype=nl.float32), nl.ndarray((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
            total += tile
            last[...] = nl.exp(tile)  # lost
        nl.store(output, value=total + last)
        """,
    "weights that are loaded before the loop": """
        weights = nl.load(x[0:128, 0:512])
        for i in nl.sequential_range(4):
            tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
            nl.store(output, value=tile * weights)  # lost
        """,
    "a buffer that is made before the loop": """
        tile = nl.ndarray((128, 512), dtype=nl.float32)
        for i in range(4):
            tile[0:128, 0:256] = nl.load(x[nl.ds(i * 128, 128), 0:256])
            tile[0:128, 256:512] = nl.load(x[nl.ds(i * 128, 128), 256:512])
            nl.store(output, value=tile)  # lost
        """,
    "the tiles of an inner loop": """
        for i in range(2):
            for j in nl.static_range(2):
                tile = nl.load(x[nl.ds(i * 128, 128), nl.ds(j * 256, 256)])
                nl.store(output[0:128, nl.ds(j * 256, 256)], value=tile)  # lost
        """,
    "a copy of what is computed for it alone": """
        last = nl.ndarray((128, 512), dtype=nl.float32)
        total = nl.zeros((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
            square = nl.multiply(tile, tile)
            last[...] = nl.copy(square)  # lost
            total[...] = total + tile
        nl.store(output, value=last + total)
        """,
    "a copy of a tile in one place": """
        tile, last = nl.ndarray((128, 512), dtype=nl.float32), nl.ndarray((128, 512), dtype=nl.float32)
        for i in nl.sequential_range(4):
            tile[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
            last[...] = tile  # lost
        nl.store(output, value=last)
        """,
    "half of the result": """
        for i in nl.sequential_range(4):
            nl.store(output[0:128, 0:256], value=nl.load(x[nl.ds(i * 128, 128), 0:256]))  # lost
        nl.store(output[0:128, 256:512], value=nl.load(x[0:128, 256:512]))
        """,
    "a sum that starts anew": """
        for i in nl.sequential_range(2):
            total = nl.zeros((128, 512), dtype=nl.float32)
            for j in nl.sequential_range(2):
                total += nl.load(x[nl.ds((2 * i + j) * 128, 128), 0:512])
            nl.store(output, value=total)  # lost
        """,
}


PRODUCTS = """
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(3):
        left = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        right = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=left, src=x[k * 128 : (k + 1) * 128, 0:128])
        nisa.dma_copy(dst=right, src=x[k * 128 : (k + 1) * 128, :])
        nisa.nc_matmul(dst=total, stationary=left, moving=right{accumulate})  # lost
    copied = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=total)
    nisa.dma_copy(dst=output, src=copied)
    """


@pytest.mark.parametrize(
    ("accumulate", "lost"), [("", False), (", accumulate=k > 0", False), (", accumulate=False", True)]
)
def test_only_a_matmul_that_is_told_so_overwrites(accumulate: str, lost: bool) -> None:
    kernel, rows = kernel_of("nki", PRODUCTS.format(accumulate=accumulate))
    assert rows_found(kernel, [(512, 512)], target="trn2") == (rows if lost else set())


def test_the_range_of_a_module_is_its_own_again() -> None:
    kernel, _ = kernel_of("nki", PRODUCTS.format(accumulate=""))
    rows_found(kernel, [(512, 512)], target="trn2")
    assert "range" not in kernel.func.__globals__


@pytest.mark.parametrize("name", GOOD)
def test_nothing_is_lost_of(name: str) -> None:
    kernel, _ = kernel_of("neuronxcc", "import numpy as np\n" + dedent(GOOD[name]))
    assert rows_found(kernel, [(512, 512)]) == set()


@pytest.mark.parametrize("name", GOOD_IN_0X)
def test_nothing_is_lost_in_0x_of(name: str) -> None:
    kernel, _ = kernel_of("nki", GOOD_IN_0X[name])
    assert rows_found(kernel, [(512, 512)], target="trn2") == set()


@pytest.mark.parametrize("name", BAD)
def test_each_iteration_overwrites(name: str) -> None:
    kernel, rows = kernel_of("neuronxcc", BAD[name])
    assert rows
    assert rows_found(kernel, [(512, 512)]) == rows


KEPT = """
tiles, by_number = [], {}
for k in range(4):
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)  # lost
    nisa.dma_copy(dst=tile, src=x[k])
    KEPT
for k in range(4):
    nisa.dma_copy(dst=output[:, k * 128 : (k + 1) * 128], src=READ)
"""


@pytest.mark.parametrize(
    ("kept", "read"),
    [
        ("tiles.append(tile)", "tiles[k]"),
        ("tiles = [*tiles, tile]", "tiles[3 - k]"),
        ("by_number[k] = tile", "by_number[k]"),
        ("tiles = [tile] if k == 0 else tiles", "(tiles[0] if k == 3 else tile)"),
    ],
)
def test_tiles_that_are_kept_may_be_read_later(kept: str, read: str) -> None:
    kernel, _ = kernel_of("nki", KEPT.replace("KEPT", kept).replace("READ", read))
    assert rows_found(kernel, [(4, 128, 128)]) == set()


def test_tiles_that_nothing_keeps_are_lost() -> None:
    kernel, rows = kernel_of("nki", KEPT.replace("KEPT", "last = tile").replace("READ", "last"))
    assert rows_found(kernel, [(4, 128, 128)]) == rows
