"""More rows of the matrix: rules about a whole kernel, its placement, its launch or a version, each in several forms.

A cell is a module without its imports; `# here` ends the line where the defect is.
"""

from __future__ import annotations

BETA1, NKI = "neuronxcc.nki", "nki"

BEGIN_1 = """
# nkilint: a: float32[512, 512], b: float32[512, 512]
@nki.jit
def kernel(a, b):
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
"""
TILE_N = "    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
STORE_ALL = """
    for k in {range}(4):
        rows = nl.ds(k * 128, 128)
        {store}
    return output
"""
SEEDED = f"""{BEGIN_1}{TILE_N}    s = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=s, value=7)
    nisa.memset(dst=t, value=1.0)
    for i in range({{trips}}):
        {{seed}}  # here
        {{draw}}
        nisa.dma_copy(dst=output[nl.ds(i * 4, 128), :], src=t)
    return output
"""
STORE_1 = STORE_ALL.format(range="nl.affine_range", store="nl.store(output[rows, :], value=nl.load(a[rows, :]))")
STORE_N = STORE_ALL.format(range="range", store="nisa.dma_copy(dst=output[rows, :], src=a[rows, :])")

PLACED = """
import neuronxcc.nki.compiler as ncc

# nkilint: a: float32[128, 512]
@nki.jit
def kernel(a):
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    {one}
    t[...] = nl.load(a)
    {two}
    nl.store(output, value=t)
    return output
"""
PLACE = "t = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.alloc(place))"
AT_ZERO = "t = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))"

BLOCKS = """
import neuronxcc.nki.compiler as ncc

# nkilint: a: float32[4, 128, 512]
@nki.jit
def kernel(a):
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer={buffer}){mark}
{body}
    return output
"""
ALL_FIRST = """\
    for i in nl.affine_range(4):
        t[i] = nl.load(a[i])
    for i in nl.affine_range(4):
        nl.store(output[i], value=t[i])  # here"""

GRID = """
import numpy as np

# nkilint: a: float32[512, 512]
@nki.jit
def kernel(a):
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
{body}
    return output


def launch(a):
    return kernel[{grid}](a)


if __name__ == "__main__":
    launch(np.zeros((512, 512), np.float32))
"""

WHOLE: dict[tuple[str, str], dict[str, str]] = {
    ("NKI702", BETA1): {
        "returned": f"{BEGIN_1}    t = nl.load(a[0:128, :])\n    return output  # here\n",
        "second": f"{BEGIN_1}    other = nl.ndarray((128, 4), dtype=a.dtype, buffer=nl.shared_hbm)\n"
        + STORE_1.replace("return output", "return output, other  # here"),
        "by zero": f"{BEGIN_1}    for k in nl.affine_range(a.shape[0] - 512):\n"
        "        nl.store(output[k * 128:k * 128 + 128, :], value=nl.load(b[0:128, :]))\n    return output  # here\n",
    },
    ("NKI702", NKI): {
        "returned": f"{BEGIN_1}{TILE_N}    nisa.dma_copy(dst=t, src=a[0:128, :])\n    return output  # here\n",
        "list": f"{BEGIN_1}    results = [output, nl.ndarray((4, 4), dtype=a.dtype, buffer=nl.shared_hbm)]\n"
        + STORE_N.replace("return output", "return tuple(results)  # here"),
    },
    ("NKI703", BETA1): {
        "columns": BEGIN_1 + STORE_1.replace("output[rows, :], value=nl.load(a[rows, :])",
                                             "output[rows, 0:511], value=nl.load(a[rows, 0:511])")
        .replace("return output", "return output  # here"),
        "rows": BEGIN_1 + STORE_1.replace("(4)", "(3)").replace("return output", "return output  # here"),
        "mask": f"{BEGIN_1}    i, j = nl.mgrid[0:128, 0:512]\n    for k in nl.affine_range(4):\n"
        "        nl.store(output[k * 128 + i, j], value=nl.load(a[k * 128 + i, j]), mask=(k * 128 + i < 500))\n"
        "    return output  # here\n",
        "stride": f"{BEGIN_1}    for k in nl.affine_range(2):\n        rows = nl.ds(k * 256, 128)\n"
        "        nl.store(output[rows, :], value=nl.load(a[rows, :]))\n    return output  # here\n",
    },
    ("NKI703", NKI): {
        "view": BEGIN_1 + STORE_N.replace("output[rows, :], src=a[rows, :]",
                                          "output.slice(1, 0, 500)[rows, :], src=a[rows, 0:500]")
        .replace("return output", "return output  # here"),
        "pattern": f"{BEGIN_1}    for k in range(4):\n"
        "        nisa.dma_copy(dst=output.ap(pattern=[[512, 128], [1, 511]], offset=k * 65536),"
        " src=a.ap(pattern=[[512, 128], [1, 511]], offset=k * 65536))\n    return output  # here\n",
        "helper": "\ndef move(dst, src, count):\n    for k in range(count):\n"
        "        nisa.dma_copy(dst=dst[nl.ds(k * 128, 128), :], src=src[nl.ds(k * 128, 128), :])\n"
        f"{BEGIN_1}    move(output, a, 3)\n    return output  # here\n",
    },
    ("NKI705", BETA1): {
        "sum": f"{BEGIN_1}    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "    for k in nl.sequential_range(4):\n"
        "        total = nl.add(total, nl.load(a[nl.ds(k * 128, 128), :]))  # here\n"
        "    for k in nl.affine_range(4):\n        nl.store(output[nl.ds(k * 128, 128), :], value=total)\n"
        "    return output\n",
        "operator": f"{BEGIN_1}    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "    for k in nl.affine_range(4):\n        total = total + nl.load(a[nl.ds(k * 128, 128), :])  # here\n"
        "    for k in nl.affine_range(4):\n        nl.store(output[nl.ds(k * 128, 128), :], value=total)\n"
        "    return output\n",
    },
    ("NKI706", BETA1): {
        "loop": f"{BEGIN_1}    for k in nl.affine_range(4):\n        rows = nl.ds(k * 128, 128)\n"
        "        part = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)  # here\n"
        "        nl.store(part, value=nl.load(a[rows, :]))\n        nl.store(output[rows, :], value=nl.load(part))\n"
        "    return output\n",
        "helper": "\ndef made(like):\n"
        "    return nl.ndarray(like.shape, dtype=like.dtype, buffer=nl.shared_hbm)  # here\n"
        + (BEGIN_1 + STORE_1).replace("nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)", "made(a)"),
    },
    ("NKI707", BETA1): {
        "tile": f"{BEGIN_1}    t = nl.load(a[0:128, :])\n    return nl.exp(t)  # here\n",
        "second": BEGIN_1 + STORE_1.replace("return output", "return output, nl.load(b[0:128, :])  # here"),
    },
    ("NKI707", NKI): {
        "tile": f"{BEGIN_1}{TILE_N}    nisa.dma_copy(dst=t, src=a[0:128, :])\n    return t  # here\n",
        "hbm": (BEGIN_1 + STORE_N).replace("buffer=nl.shared_hbm", "buffer=nl.hbm")
        .replace("return output", "return output  # here"),
        "private": (BEGIN_1 + STORE_N).replace("buffer=nl.shared_hbm", "buffer=nl.private_hbm")
        .replace("return output", "return (output,)  # here"),
    },
    ("NKI708", NKI): {
        "tile": f"{BEGIN_1}{TILE_N}    for k in range(4):\n"
        "        nisa.dma_copy(dst=t, src=a[nl.ds(k * 128, 128), :])  # here\n"
        "    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
        "twice": f"{BEGIN_1}{TILE_N}    nisa.dma_copy(dst=t, src=a[0:128, :])  # here\n"
        "    nisa.dma_copy(dst=t, src=b[0:128, :])\n    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
        "view": f"{BEGIN_1}{TILE_N}    for k in range(4):\n"
        "        nisa.dma_copy(dst=t.slice(0, 0, 128), src=a[nl.ds(k * 128, 128), :])  # here\n"
        "    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
        "helper": "\ndef fetch(dst, src, k):\n    nisa.dma_copy(dst=dst, src=src[nl.ds(k * 128, 128), :])  # here\n"
        f"{BEGIN_1}{TILE_N}    for k in range(4):\n        fetch(t, a, k)\n"
        "    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
    },
    ("NKI708", BETA1): {
        "assignment": f"{BEGIN_1}    t = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)\n"
        "    for k in nl.sequential_range(4):\n        t[...] = nl.load(a[nl.ds(k * 128, 128), :])  # here\n"
        "    for k in nl.affine_range(4):\n"
        "        nl.store(output[nl.ds(k * 128, 128), :], value=t)\n    return output\n",
        "twice": f"{BEGIN_1}    t = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)\n"
        "    t[...] = nl.load(a[0:128, :])  # here\n    t[...] = nl.load(b[0:128, :])\n"
        "    for k in nl.affine_range(4):\n"
        "        nl.store(output[nl.ds(k * 128, 128), :], value=t)\n    return output\n",
        "store": f"{BEGIN_1}    for k in nl.sequential_range(4):\n"
        "        nl.store(output[0:128, :], value=nl.load(a[nl.ds(k * 128, 128), :]))  # here\n"
        "    for k in nl.affine_range(3):\n"
        "        nl.store(output[nl.ds(k * 128 + 128, 128), :], value=nl.load(b[0:128, :]))\n    return output\n",
    },
    ("NKI709", BETA1): {
        "slice": "\n# nkilint: a: float32[N, 512]\n@nki.jit\ndef kernel(a):\n"
        "    output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)\n"
        "    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "    for k in nl.sequential_range(a.shape[0] // 128):\n"
        "        total += nl.load(a[nl.ds(k * 128, 128), :])  # here\n"
        "    nl.store(output, value=total)\n    return output\n",
        "grid": "\n# nkilint: a: float32[128, N]\n@nki.jit\ndef kernel(a):\n"
        "    output = nl.ndarray((128, 64), dtype=a.dtype, buffer=nl.shared_hbm)\n"
        "    total = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n    i, j = nl.mgrid[0:128, 0:64]\n"
        "    for k in nl.sequential_range(a.shape[1] // 64):\n        total += nl.load(a[i, k * 64 + j])  # here\n"
        "    nl.store(output, value=total)\n    return output\n",
    },
    ("NKI709", NKI): {
        "pattern": "\n# nkilint: a: float32[128, N]\n@nki.jit\ndef kernel(a):\n"
        "    output = nl.ndarray((128, 64), dtype=a.dtype, buffer=nl.shared_hbm)\n"
        "    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n    nisa.memset(dst=total, value=0.0)\n"
        "    for k in range(a.shape[1] // 64):\n"
        "        t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
        "        nisa.dma_copy(dst=t, src=a.slice(1, k * 64, k * 64 + 64))  # here\n"
        "        nisa.tensor_tensor(dst=total, data1=total, data2=t, op=nl.add)\n"
        "    nisa.dma_copy(dst=output, src=total)\n    return output\n",
    },
    ("NKI710", BETA1): {
        "loop": BEGIN_1 + STORE_1.replace("    return output", "        return output  # here"),
        "tuple": BEGIN_1 + STORE_1.replace("    return output", "        return output, None  # here"),
    },
    ("NKI710", NKI): {
        "loop": BEGIN_1 + STORE_N.replace("    return output", "        return output  # here"),
        "inner": f"{BEGIN_1}    for k in range(4):\n        for c in range(2):\n"
        "            nisa.dma_copy(dst=output[nl.ds(k * 128, 128), nl.ds(c * 256, 256)],"
        " src=a[nl.ds(k * 128, 128), nl.ds(c * 256, 256)])\n        return output  # here\n",
    },
    ("NKI712", NKI): {
        "instruction": SEEDED.format(trips="4", seed="nisa.set_rng_seed(s)", draw="nisa.dropout(t, t, 0.5)"),
        "function": SEEDED.format(trips="4", seed="nl.random_seed(s)", draw="nisa.dropout(t, t, 0.5)"),
        "many": SEEDED.format(trips="64", seed="nisa.set_rng_seed(s)", draw="nisa.dropout(t, t, 0.5)"),
        "made in the loop": SEEDED.format(trips="4", seed="nisa.memset(dst=s, value=3)\n        nisa.set_rng_seed(s)",
                                          draw="nisa.dropout(t, t, 0.5)"),
    },
    ("NKI712", BETA1): {
        "number": f"{BEGIN_1}    for k in nl.affine_range(4):\n        nl.random_seed(7)  # here\n"
        "        nl.store(output[nl.ds(k * 128, 128), :],\n"
        "                 value=nl.rand((128, 512), dtype=nl.float32))\n    return output\n",
        "tile": f"{BEGIN_1}    s = nl.load(a[0:1, 0:1], dtype=nl.int32)\n    for k in nl.affine_range(4):\n"
        "        nl.random_seed(s)  # here\n        nl.store(output[nl.ds(k * 128, 128), :],\n"
        "                 value=nl.dropout(nl.load(a[nl.ds(k * 128, 128), :]), 0.5))\n    return output\n",
    },
    ("NKI711", BETA1): {
        "nothing": (BEGIN_1 + STORE_1).replace("return output", "return  # here"),
        "other": (BEGIN_1 + STORE_1)
        .replace("    for k", "    other = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)\n"
                 "    nl.store(other, value=nl.load(b[0:128, :]))\n    for k")
        .replace("return output", "return other  # here"),
    },
    ("NKI711", NKI): {
        "nothing": (BEGIN_1 + STORE_N).replace("def kernel(a, b):", "def kernel(a, b):  # here")
        .replace("    return output\n", ""),
    },
    ("NKI403", BETA1): {
        "function": PLACED.format(
            one="place = lambda index, partitions, size: (0, 0, 2)\n    "
            "t = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.psum.alloc(place))  # here", two=""),
    },
    ("NKI405", BETA1): {
        "made": PLACED.format(one=AT_ZERO, two="u = nl.ndarray((nl.par_dim(128), 4), dtype=nl.float32, buffer=nl.sbuf)"
                                               "  # here\n    u[...] = nl.load(a[:, 0:4])"),
        "result": PLACED.format(one=AT_ZERO, two="u = nl.exp(t)  # here\n    t[...] = nl.copy(u)"),
    },
    ("NKI406", BETA1): {
        "activation": PLACED.format(one=AT_ZERO, two="t[...] = nisa.activation(nl.exp, t)  # here"),
    },
    ("NKI407", BETA1): {
        "hbm": PLACED.format(one="spare = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.hbm)  # here\n    "
            "" + AT_ZERO,
                             two="nl.store(spare, value=t)\n    t[...] = nl.load(spare)"),
        "private": PLACED.format(
            one="spare = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)  # here\n    " + AT_ZERO,
            two="nl.store(spare, value=t)\n    t[...] = nl.load(spare)"),
    },
    ("NKI408", BETA1): {
        "zeros": PLACED.format(one=AT_ZERO.replace("nl.ndarray", "nl.zeros") + "  # here", two=""),
        "full": PLACED.format(
            one=AT_ZERO.replace("nl.ndarray(", "nl.full(").replace("512), ", "512), 1.0, ") + "  # here", two=""),
    },
    ("NKI409", BETA1): {
        "counts": BLOCKS.format(buffer="ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2, 2))", mark="  # here",
                                body=ALL_FIRST.replace("  # here", "")),
        "place": PLACED.format(one="place = lambda index, partitions, size: 0\n    " + PLACE + "  # here", two=""),
    },
    ("NKI501", BETA1): {
        "same place": PLACED.format(
            one=AT_ZERO, two=AT_ZERO.replace("t =", "u =") + "\n    u[...] = nl.load(a)\n"
            "    t[...] = nl.add(t, u)  # here"),
        "function": PLACED.format(
            one="place = lambda index, partitions, size: (0, 1024)\n    " + PLACE,
            two=AT_ZERO.replace("t =", "u =") + "\n    u[...] = nl.load(a)\n    t[...] = nl.add(t, u)  # here"),
    },
    ("NKI502", BETA1): {
        "modulo": BLOCKS.format(buffer="ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))", mark="", body=ALL_FIRST),
        "default": BLOCKS.format(buffer="ncc.sbuf.mod_alloc(base_addr=0)", mark="", body=ALL_FIRST),
    },
    ("NKI603", BETA1): {
        "same rows": GRID.format(grid="4", body="    k = nl.program_id(0)\n"
                                 "    nl.store(output[0:128, :], value=nl.load(a[nl.ds(k * 128, 128), :]))  # here"),
        "overlap": GRID.format(grid="4", body="    k = nl.program_id(0)\n    rows = nl.ds(k * 100, 128)\n"
                               "    nl.store(output[rows, :], value=nl.load(a[rows, :]))  # here"),
    },
    ("NKI603", NKI): {
        "same rows": GRID.format(grid="2", body="    k = nl.program_id(0)\n    for r in range(2):\n        "
            "nisa.dma_copy("
                                 "dst=output[nl.ds(r * 128, 128), :], src=a[nl.ds(k * 256 + r * 128, 128), :])  "
                                 "# here"),
        "pattern": GRID.format(grid="2", body="    k = nl.program_id(0)\n    nisa.dma_copy("
                               "dst=output.ap(pattern=[[512, 384], [1, 512]], offset=k * 65536), src=a[0:384, "
                               ":])  # here"),
    },
    ("NKI605", NKI): {
        "copy": GRID.format(grid="2", body="    for r in range(4):\n        nisa.dma_copy("
                            "dst=output[nl.ds(r * 128, 128), :], src=a[nl.ds(r * 128, 128), :])  # here"),
    },
    ("NKI606", NKI): {
        "branch": GRID.format(grid="2", body="    k = nl.program_id(0)\n    nisa.dma_copy("
                              "dst=output[nl.ds(k * 256, 256), :], src=a[nl.ds(k * 256, 256), :])\n"
                              "    if k == 0:\n        nisa.core_barrier(output, cores=(0, 1))  # here"),
        "loop": GRID.format(grid="2", body="    k = nl.program_id(0)\n    nisa.dma_copy("
                            "dst=output[nl.ds(k * 256, 256), :], src=a[nl.ds(k * 256, 256), :])\n"
                            "    for n in range(k + 1):\n        nisa.core_barrier(output, cores=(0, 1))  # here"),
    },
    ("NKI607", NKI): {
        "four": GRID.format(grid="4", body="    k = nl.program_id(0)\n    nisa.dma_copy("
                            "dst=output[nl.ds(k * 128, 128), :], src=a[nl.ds(k * 128, 128), :])")
        .replace("return kernel[4](a)", "return kernel[4](a)  # here").partition("\n\n\nif __name__")[0] + "\n",
    },
    ("NKI804", BETA1): {
        "call": BEGIN_1 + STORE_1 + "\n\n# nkilint: a: float32[512, 512]\n@nki.jit\ndef outer(a):\n"
        "    return kernel[4](a, a)  # here\n",
    },
    ("NKI504", BETA1): {
        "tile": f"{BEGIN_1}    x = nl.load(a[0:128, 0:128])\n    y = nl.load(b[0:128, :])\n"
        "    p = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)\n    for k in nl.sequential_range(4):\n"
        "        p += nisa.nc_matmul(x, y)  # here\n        nl.store(output[nl.ds(k * 128, 128), :], "
        "value=nl.copy(p))\n"
        "    return output\n",
    },
    ("NKI505", NKI): {
        "memset": f"{BEGIN_1}{TILE_N}    p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)\n"
        "    nisa.dma_copy(dst=t, src=a[0:128, :])\n    nisa.memset(dst=p, value=1.0)\n"
        "    nisa.nc_matmul(dst=p, stationary=t[:, 0:128], moving=t, accumulate=True)  # here\n"
        "    nisa.tensor_copy(dst=t, src=p)\n    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
        "view": f"{BEGIN_1}{TILE_N}    p = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)\n"
        "    half = p.slice(1, 512, 1024)\n    nisa.dma_copy(dst=t, src=a[0:128, :])\n"
        "    nisa.tensor_copy(dst=half, src=t)\n"
        "    nisa.nc_matmul(dst=half, stationary=t[:, 0:128], moving=t, accumulate=True)  # here\n"
        "    nisa.tensor_copy(dst=t, src=half)\n    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
    },
    ("NKI506", NKI): {
        "flag": f"{BEGIN_1}{TILE_N}    p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)\n"
        "    nisa.dma_copy(dst=t, src=a[0:128, :])\n    for k in range(4):\n"
        "        nisa.nc_matmul(dst=p, stationary=t[:, 0:128], moving=t, accumulate=k >= 2)  # here\n"
        "    nisa.tensor_copy(dst=t, src=p)\n    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
        "view": f"{BEGIN_1}{TILE_N}    p = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)\n"
        "    half = p.slice(1, 512, 1024)\n    nisa.dma_copy(dst=t, src=a[0:128, :])\n"
        "    nisa.nc_matmul(dst=half, stationary=t[:, 0:128], moving=t, accumulate=False)\n"
        "    nisa.nc_matmul(dst=p[:, 512:1024], stationary=t[:, 0:128], moving=t, accumulate=False)  # here\n"
        "    nisa.tensor_copy(dst=t, src=half)\n    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
    },
    ("NKI411", NKI): {
        "columns": f"{BEGIN_1}    t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)  # here\n"
        "    for k in range(4):\n        nisa.dma_copy(dst=t[:, 0:512], src=a[nl.ds(k * 128, 128), :])\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t[:, 0:512])\n    return output\n",
        "rebound": BEGIN_1 + TILE_N.replace("sbuf)", "sbuf)  # here") + TILE_N
        + "    nisa.dma_copy(dst=t, src=a[0:128, :])\n    for k in range(4):\n"
        "        nisa.dma_copy(dst=output[nl.ds(k * 128, 128), :], src=t)\n    return output\n",
    },
    ("NKI105", BETA1): {
        "tile": f"{BEGIN_1}    t = nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)  # here\n{STORE_1}",
        "subscript": f"{BEGIN_1}    t = nl.load(a[0:128, 0:4, 0:2])  # here\n{STORE_1}",
    },
    ("NKI107", NKI): {
        "permute": f"{BEGIN_1}{TILE_N}    nisa.dma_copy(dst=t, src=a[0:128, :])\n    u = t.permute((1, 0))  # "
            f"here\n{STORE_N}",
        "reshape": f"{BEGIN_1}{TILE_N}    nisa.dma_copy(dst=t, src=a[0:128, :])\n"
        f"    u = t.reshape_dim(0, (2, 64))  # here\n{STORE_N}",
    },
    ("NKI107", BETA1): {
        "blocks": f"{BEGIN_1}    t = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "    for k in nl.affine_range(2):\n        t[k] = nl.load(a[nl.ds(k * 128, 128), :])\n"
        f"    u = nl.exp(t)  # here\n{STORE_1}",
    },
    ("NKI108", BETA1): {
        "slice": f"{BEGIN_1}    t = nl.load(a[0:128, :])\n    u = nl.exp(t[0:128:2, :])  # here\n{STORE_1}",
        "grid": f"{BEGIN_1}    t = nl.load(a[0:128, :])\n    i, j = nl.mgrid[0:64, 0:512]\n"
        f"    u = nl.exp(t[2 * i, j])  # here\n{STORE_1}",
    },
    ("NKI108", NKI): {
        "slice": f"{BEGIN_1}{TILE_N}    nisa.dma_copy(dst=t, src=a[0:128, :])\n"
        f"    nisa.tensor_scalar(dst=t[0:64, :], data=t[0:128:2, :], op0=nl.add, operand0=1.0)  # here\n{STORE_N}",
        "pattern": f"{BEGIN_1}{TILE_N}    nisa.dma_copy(dst=t, src=a[0:128, :])\n    nisa.tensor_scalar(dst=t[0:64, :],"
        f" data=t.ap(pattern=[[1024, 64], [1, 512]]), op0=nl.add, operand0=1.0)  # here\n{STORE_N}",
    },
    ("NKI109", BETA1): {
        "instruction": f"{BEGIN_1}    t = nl.load(a[0:128, 0:4])\n    u = nisa.max8(src=t)  # here\n{STORE_1}",
        "slice": f"{BEGIN_1}    t = nl.load(a[0:128, :])\n    u = nisa.max8(src=t[:, 0:7])  # here\n{STORE_1}",
    },
    ("NKI805", BETA1): {
        "function": BEGIN_1 + STORE_1 + "\n\ndef host(x):\n    return nl.exp(x)  # here\n\n\n"
        "import numpy as np\n\nhost(np.ones((4, 4)))\n",
        "module": "\nSCALE = nl.full((128, 1), 2.0, dtype=nl.float32)  # here\n" + BEGIN_1 + STORE_1,
    },
    ("NKI807", BETA1): {
        "call": BEGIN_1.replace("# nkilint: a: float32[512, 512], b: float32[512, 512]\n", "")
        + "    assert a.shape[0] == 512\n" + STORE_1
        + "\n\nimport numpy as np\n\nkernel(np.ones((256, 512), np.float32), np.ones((512, 512), np.float32))  "
            "# here\n",
        "never": BEGIN_1 + "    assert a.shape[0] > 512  # here\n" + STORE_1,
    },
    ("NKI812", NKI): {
        "function": "\nCOUNT = 4\n\n\ndef choose(n):\n    global COUNT\n    COUNT = n\n"
        + BEGIN_1 + STORE_N.replace("range(4)", "range(COUNT)").replace("(COUNT):", "(COUNT):  # here"),
        "helper": "\nCOUNT = 4\n\n\ndef choose(n):\n    global COUNT\n    COUNT += n\n\n\ndef count():\n"
        "    return COUNT  # here\n" + BEGIN_1 + STORE_N.replace("range(4)", "range(count())"),
    },
    ("NKI813", NKI): {
        "equal": f"{BEGIN_1}    wide = nisa.get_nc_version() == nisa.nc_version.gen3  # here\n{STORE_N}",
        "helper": "\ndef is_new():\n    if nisa.get_nc_version() == nisa.nc_version.gen3:  # here\n        "
            "return True\n"
        f"    return False\n{BEGIN_1}    wide = is_new()\n{STORE_N}",
    },
}  # fmt: skip
