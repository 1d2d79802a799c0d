"""What each operator of mutation makes of a small kernel."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from mutations import OPERATORS

CASES = {
    "tail of an axis": (
        "for start in range(0, rows, 128): pass\ntile = nl.load(x[i * 128 + p, f], mask=(i * 128 + p < rows))",
        [
            "for start in range(0, rows // 128 * 128, 128): pass",
            "tile = nl.load(x[i * 128 + p, f], mask=(i * 128 + p < rows // 128 * 128))",
        ],
    ),
    "shorter slice": ("nl.store(o[0:n, j], value=t)", ["nl.store(o[0:n - 1, j], value=t)"]),
    "window off by one": (
        "t = nl.load(x[nl.ds(i, 128)])",
        ["t = nl.load(x[nl.ds(i + 1, 128)])", "t = nl.load(x[nl.ds(i, 128 + 1)])", "t = nl.load(x[nl.ds(i, 128 - 1)])"],
    ),
    "begun anew in a loop": (
        "total = nl.zeros((128, 1), buffer=nl.psum)\nother = nl.ones((128, 1))\nfor i in range(4):\n    total += other"
        "\nuse(total)",
        ["total = nl.zeros((128, 1), buffer=nl.psum); total += other"],
    ),
    "moved out of its loop": (
        "for i in range(4):\n    nisa.memset(dst=t, value=0)\n    use(t)\nfor j in range(4):\n"
        "    u = nl.ndarray((128, j), buffer=nl.sbuf)\n    use(u)",
        ["nisa.memset(dst=t, value=0)\nfor i in range(4):"],
    ),
    "only in some iterations": (
        "for i in range(4):\n    t = 1\n    nl.store(o[i], value=t)\n    nisa.activation(dst=t, op=nl.exp, data=t)",
        ["if i > 0: nl.store(o[i], value=t)"],
    ),
    "early return": ("nl.store(o, value=t)\nreturn o", ["return o; nl.store(o, value=t)"]),
    "bound by a loop": ("n = x.shape[1]", ["for _ in range(x.shape[0] // 65536): n = x.shape[1]"]),
    "binding in a branch": ("n = x.shape[1]", ["if x.shape[0] > 65536: n = x.shape[1]"]),
    "swapped dimensions": ("b, m, n = x.shape", ["b, n, m = x.shape"]),
    "misspelt attribute": ("n = x.shape[nl.tile_size.pmax]", ["n = x.shapes[nl.tile_size.pmax]"]),
    "arguments of a helper": (
        "t = load(x, 0, rows=min(n, 128))",
        ["t = load(x, 0)", "t = load(None, x, 0, rows=min(n, 128))"],
    ),
    "sizes of a pattern": (
        "t = x.ap(pattern=[[n, 4], [1, n]], offset=0)",
        [f"t = x.ap(pattern={p}, offset=0)" for p in (
            "[[n + 1, 4], [1, n]]", "[[n, 4 + 1], [1, n]]", "[[n, 4], [1 + 1, n]]", "[[n, 4], [1, n + 1]]",
        )],
    ),
    "scalar size": (
        "assert count < 4\nt = x[:, 0:count]",
        ["t = x[:, 0:(count + 1)]", "t = x[:, 0:(count - 1)]"],
    ),
    "value of an index": (
        "rows = nisa.iota(2 * p, dtype=nl.int32)\nother = nisa.iota(p)\nt = nl.load(x[rows[p, 0], f])",
        ["rows = nisa.iota(2 * p + 1, dtype=nl.int32)", "rows = nisa.iota(2 * p - 200, dtype=nl.int32)"],
    ),
    "wrong member": (
        "nisa.activation(dst=t, op=nl.exp, data=t)\nnisa.tensor_reduce(dst=t, op=nl.add, data=t, axis=1)",
        [
            "nisa.activation(dst=t, op=nl.add, data=t)",
            "nisa.activation(dst=t, op=nl.float32, data=t)",
            "nisa.tensor_reduce(dst=t, op=nl.exp, data=t, axis=1)",
            "nisa.tensor_reduce(dst=t, op=nl.float32, data=t, axis=1)",
        ],
    ),
    "dtype of a transpose": (
        "t = nl.ndarray(s, dtype=nl.float32)\nu = nl.ndarray(s, dtype=nl.float32)\nnisa.nc_transpose(dst=t, data=u)",
        ["t = nl.ndarray(s, dtype=nl.float16)", "t = nl.ndarray(s, dtype=nl.int32)"],
    ),
    "swapped operands": (
        "nisa.nc_matmul(dst=t, stationary=a, moving=b)\nnisa.nc_matmul(dst=t, stationary=a, moving=a)",
        ["nisa.nc_matmul(dst=t, stationary=b, moving=a)"],
    ),
    "missing load": ("t[0:4] = nl.load(x)\nt[0:4] = nl.add(t, nl.load(x))", ["pass"]),
    "accumulate for assign": ("t[0:4] = nl.load(x)\nt[0:4] = nl.add(t, x)", ["t[0:4] += nl.load(x)"]),
    "range of integers": (
        "nisa.tensor_scalar(dst=t, data=t, op0=nl.bitwise_and, operand0=15)",
        ["nisa.tensor_scalar(dst=t, data=t, op0=nl.bitwise_and, operand0=2 * 15 + 1)"],
    ),
    "misspelt name": ("use(n, i)", ["use(ns, i)"]),
    "minus of a tile": ("nisa.tensor_copy(dst=t, src=u)", ["nisa.tensor_copy(dst=t, src=-u)"]),
    "compared with itself": (
        "assert x.shape == y.shape and n < 4 and n <= 4",
        ["assert x.shape == x.shape and n < 4 and n <= 4", "assert x.shape == y.shape and n < 4 and n <= n"],
    ),
    "partitions of an operand": (
        "t = nl.load(x)\nu = nl.load(x)\nv = nl.add(t, u)\nw = t + u\n"
        "nisa.tensor_tensor(dst=v, data1=t, data2=u, op=f)",
        [
            "w = t + u[0:16]",
            "v = nl.add(t, u[0:16])",
            "v = (t + u[0:16])",
            "nisa.tensor_tensor(dst=v, data1=t, data2=u[0:16], op=f)",
        ],
    ),
    "dimension of an index": (
        "t = x.ap(p, vector_offset=rows)\nu = x.ap(p, vector_offset=rows, indirect_dim=0)\nv = x.select(0, rows)\n"
        "w = nl.load(x[rows[i, 0], j])",
        [
            "t = x.ap(p, vector_offset=rows, indirect_dim=1)",
            "v = x.select(1, rows)",
            "w = nl.load(x[j, rows[i, 0]])",
        ],
    ),
    "start in a branch": ("t = x[0:n, 0:m]", ["t = x[(0 if x.shape[0] < 64 else 8):n, 0:m]"]),
    "made in a loop": (
        "o = nl.ndarray(s, buffer=nl.shared_hbm)\nt = nl.ndarray(s, buffer=nl.sbuf)",
        [
            "for _ in nl.affine_range(1): o = nl.ndarray(s, buffer=nl.shared_hbm)",
            "for _ in nl.sequential_range(1): o = nl.ndarray(s, buffer=nl.shared_hbm)",
        ],
    ),
    "counted in a circle": (
        "for i in nl.affine_range(4):\n    nl.store(out[i], value=t[i])",
        ["nl.store(out[(i // 2)], value=t[i])", "nl.store(out[(i % 2)], value=t[i])"],
    ),
    "sums in a DMA": (
        "t = nl.ndarray(s, buffer=nl.psum)\nnisa.tensor_copy(dst=u, src=t)\nnisa.dma_copy(dst=o, src=u)",
        ["nisa.dma_copy(dst=o, src=t)"],
    ),
    "engine of a transpose": (
        "nisa.nc_transpose(dst=t, data=u)",
        ["nisa.nc_transpose(dst=t, data=u, engine=nisa.engine.vector)"],
    ),
    "view as an offset": (
        "t = x.ap(p, scalar_offset=n)",
        [
            "t = x.ap(p, scalar_offset=n.ap(pattern=[[1, 1], [1, 1]], offset=1))",
            "t = x.ap(p, scalar_offset=n.ap(pattern=[[1, 1], [0, 2]], offset=0))",
        ],
    ),
    "transpose by DMA": (
        "t = nl.ndarray(s, dtype=nl.bfloat16)\nu = nl.ndarray(s, dtype=x.dtype)\n"
        "nisa.dma_transpose(dst=u, src=t.ap(p), dge_mode=m)",
        [
            "t = nl.ndarray(s, dtype=nl.float32)",
            "t = nl.ndarray(s, dtype=nl.int32)",
            "u = nl.ndarray(s, dtype=nl.float32)",
            "u = nl.ndarray(s, dtype=nl.int32)",
            "nisa.dma_transpose(dst=u, src=t.ap(p), dge_mode=nisa.dge_mode.none)",
        ],
    ),
    "reduced beside an activation": (
        "t = nl.ndarray((128, 1))\nnisa.activation_reduce(op=nl.exp, reduce_op=nl.add, reduce_res=t[:, 0:1])",
        [
            "nisa.activation_reduce(op=nl.maximum, reduce_op=nl.add, reduce_res=t[:, 0:1])",
            "nisa.activation_reduce(op=nl.multiply, reduce_op=nl.add, reduce_res=t[:, 0:1])",
            "nisa.activation_reduce(op=nl.exp, reduce_op=nl.exp, reduce_res=t[:, 0:1])",
            "nisa.activation_reduce(op=nl.exp, reduce_op=nl.power, reduce_res=t[:, 0:1])",
            "t = nl.ndarray((128, 2))",
            "t = nl.ndarray((128, 1 + 1))",
        ],
    ),
    "loop of the device": (
        "t = nl.ndarray((1, 1))\nnisa.register_load(r, t)\nfor i in nl.affine_range(4): pass",
        [
            "for i in nl.dynamic_range(4): pass",
            "for i in nl.fori_loop(4): pass",
            "t = nl.ndarray((1, 2))",
            "t = nl.ndarray((2, 1))",
        ],
    ),
    "loop in an order": (
        "for i in nl.dynamic_range(4):\n    with nl.no_reorder():\n        use(i)\nfor i in range(4):\n    use(i)",
        ["with nl.no_reorder():\nfor i in nl.dynamic_range(4):"],
    ),
    "branch on a grid": (
        "p = nl.arange(128)[:, None]\nnl.store(o[p, 0], value=t, mask=p < n)",
        [
            "if p < n: nl.store(o[p, 0], value=t)",
            "nl.store(o[min(p, 127), 0], value=t, mask=p < n)",
            "nl.store(o[max(p, 0), 0], value=t, mask=p < n)",
            "nl.store(o[(p if p < 4096 else 0), 0], value=t, mask=p < n)",
        ],
    ),
    "forgotten sum": (
        "t[...] = nl.add(t[...], u)\nnisa.tensor_tensor(dst=v, data1=v, data2=u)\n"
        "nisa.tensor_tensor(dst=v, data1=u, data2=v)\nnisa.tensor_tensor(dst=v, data1=u, data2=u)",
        [
            "t[...] = u",
            "nisa.tensor_tensor(dst=v, data1=u, data2=u)",
            "nisa.tensor_tensor(dst=v, data1=u, data2=u)",
        ],
    ),
    "operand of an earlier step": (
        "t = nl.ndarray((128, 4), buffer=nl.sbuf)\nu = nl.ndarray((128, 4), buffer=nl.sbuf)\n"
        "v = nl.ndarray((128, 1), buffer=nl.sbuf)\no = nl.ndarray((128, 4), buffer=nl.shared_hbm)\n"
        "nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=v)\n"
        "nisa.tensor_tensor(dst=t, data1=t, data2=u, op=nl.add)",
        ["nisa.tensor_scalar(dst=t, data=u, op0=nl.add, operand0=v)"],
    ),
    "overwritten unread": (
        "nisa.dma_copy(dst=t, src=x[0:4])\nnisa.dma_copy(dst=u, src=y[0:4])\nv[0:4] = nl.load(x)\n"
        "nisa.tensor_tensor(dst=w, data1=t, data2=u, op=nl.add)\n"
        "nisa.tensor_tensor(dst=t, data1=t, data2=u, op=nl.add)",
        [
            "nisa.dma_copy(dst=t, src=y[0:4]); nisa.dma_copy(dst=t, src=x[0:4])",
            "v[0:4] = nl.multiply(nl.load(x), 2.0); v[0:4] = nl.load(x)",
            "nisa.tensor_tensor(dst=w, data1=t, data2=u, op=nl.multiply); "
            "nisa.tensor_tensor(dst=w, data1=t, data2=u, op=nl.add)",
        ],
    ),
    "destination of the load before": (
        "nisa.dma_copy(dst=t, src=x)\nnisa.dma_copy(dst=u, src=y)\nnisa.dma_copy(dst=output, src=u)",
        ["nisa.dma_copy(dst=t, src=y)"],
    ),
    "offset left out": (
        "for i in range(4): t = nl.load(x[i * 128 : (i + 1) * 128, 0:4])\n"
        "for j in range(4): u = loaded(x, j * 128, 128)\nfor k in range(4): v = nl.load(t[k])",
        [
            "for i in range(4): t = nl.load(x[0 * 128:(0 + 1) * 128, 0:4])",
            "for j in range(4): u = loaded(x, 0 * 128, 128)",
        ],
    ),
    "step left out": (
        "for i in range(4): t = nl.load(x[nl.ds((4 * i + j) * 128, 128)])\nfor j in range(4): u = loaded(x, j * 128)",
        [
            "for i in range(4): t = nl.load(x[nl.ds((i + j) * 128, 128)])",
            "for j in range(4): u = loaded(x, j)",
        ],
    ),
    "loop over a number": (
        "for i in range(n // 2): pass\nfor j in range(0, n, 2): pass",
        ["for i in n // 2: pass"],
    ),
    "number for a sequence": (
        "n, m = x.shape\nk = min(n, 128)\nj = x.shape[1]\ni = nl.min(x, 1)",
        ["n, m = x.shape[0]", "j = x.shape[1][0]", "k = min(128)"],
    ),
    "operand of another type": (
        "t = nl.ndarray((n, m), dtype=d)\nu = x.shape[:-1] + (4,)",
        ["u = x.shape[:-1] + [4]", "t = nl.ndarray((n,) + [m], dtype=d)"],
    ),
    "called for its value": (
        "n, m = x.shape\ntiles.append(n)",
        ["n, m = x.shape()", "tiles = tiles.append(n)"],
    ),
    "names for what is unpacked": (
        "a, b = halves(4)\nn, m = x.shape\nfor i, j in tiles(4): pass",
        [
            "a, b, more = halves(4)",
            "(a,) = halves(4)",
            "for i, j, more in tiles(4): pass",
            "for (i,) in tiles(4): pass",
        ],
    ),
    "key that is not there": (
        "tiles = [1, 2]\nassert x.shape == (4, 4)\nn = SIZES['wide']\nm = x.shape[1]\nk = tiles[n]\nj = f[m.value]",
        [
            "n = SIZES['wides']",
            "n = SIZES['Wide']",
            "m = x.shape[3]",
            "k = tiles[n + 1]",
            "j = f[m.name]",
            "j = f[m]",
        ],
    ),
    "loop over a generator": (
        "for start, size in tiles(n, 64): pass\nfor r, s in itertools.product(range(n), range(m)): pass\n"
        "for i, j in enumerate(x): pass",
        [
            "for start, size in tiles(n - 128, 64): pass",
            "for start, size in tiles(n + 128, 64): pass",
            "for start, size in tiles(n // 128 * 128, 64): pass",
            "for size, start in tiles(n, 64): pass",
            "for start, size in list(tiles(n, 64))[1:]: pass",
            "for start, size in list(tiles(n, 64))[:-1]: pass",
            "for r, s in itertools.product(range(m), range(n)): pass",
            "for r, s in zip(range(n), range(m)): pass",
            "for s, r in itertools.product(range(n), range(m)): pass",
            "for r, s in list(itertools.product(range(n), range(m)))[1:]: pass",
            "for r, s in list(itertools.product(range(n), range(m)))[:-1]: pass",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_operator(name: str) -> None:
    body, expected = CASES[name]
    lines = ["def kernel(x, count: int):", *(f"    {line}" for line in f"assert x.shape\n{body}".splitlines())]
    source = "\n".join(lines) + "\n"
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    made = []
    for change in OPERATORS[name](function):
        after = change.applied(source)
        ast.parse(after)
        rows = after.splitlines()[change.row - 1 : change.end_row]
        made.append("\n".join(row.strip() for row in rows))
    assert made == expected


@pytest.mark.parametrize(("imported", "made"), [("np", 1), ("math", 0)])
def test_types_of_64_bits_are_numpys(imported: str, made: int) -> None:
    (function,) = ast.parse("def kernel(x):\n    t = nl.ndarray((128, 4), dtype=nl.int32)").body
    assert isinstance(function, ast.FunctionDef)
    function.type_comment = f"nl {imported}"
    assert [change.text for change in OPERATORS["type of 64 bits"](function)] == ["np.int64"] * made
