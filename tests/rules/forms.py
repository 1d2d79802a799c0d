"""The matrix of rules against the forms in which their defect can be written; `# here` ends the line where it is."""

from __future__ import annotations

BETA1, NKI = "neuronxcc.nki", "nki"
TILE = "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)"
SUMS = "p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)"
PLACES = "places = nisa.iota(2 * nl.arange(64)[None, :], dtype=nl.int32)\ni = nl.arange(128)[:, None]"
NUMBERS = "t = nl.ndarray((128, 4), dtype=nl.int32, buffer=nl.sbuf)"
BYTES = "t = nl.ndarray((128, 4), dtype=nl.uint8, buffer=nl.sbuf)"
DEVICE_LOOP = "for i in nl.dynamic_range(4):\n    last = nisa.tensor_copy(dst=x, src=y)\n"

MATRIX: dict[tuple[str, str], dict[str, str]] = {
    ("NKI203", BETA1): {
        "operator": "r = x + y[0:64, :]  # here",
        "function": "r = nl.add(x, y[0:64, :])  # here",
        "instruction": "r = nisa.tensor_tensor(x, y[0:64, :], op=nl.add)  # here",
    },
    ("NKI203", NKI): {
        "slice": "nisa.tensor_tensor(dst=x, data1=x, data2=y[0:64, :], op=nl.add)  # here",
        "view": "nisa.tensor_tensor(dst=x, data1=x, data2=y.slice(0, 0, 64), op=nl.add)  # here",
        "pattern": "nisa.tensor_tensor(dst=x, data1=x, data2=y.ap(pattern=[[512, 64], [1, 512]]), op=nl.add)  # here",
        "function": "r = nl.add(x, y[0:64, :])  # here",
    },
    ("NKI301", BETA1): {
        "slice": "r = nl.load(a[0:128, 0:513])  # here",
        "grid": "i, j = nl.mgrid[0:128, 0:513]\nr = nl.load(a[i, j])  # here",
        "arange": "r = nl.load(a[nl.arange(128)[:, None], nl.arange(513)[None, :]])  # here",
        "store": "nl.store(output[448:576, 0:512], value=x)  # here",
        "ds": "r = nl.load(a[nl.ds(500, 64), 0:512])  # here",
    },
    ("NKI301", NKI): {
        "slice": "nisa.dma_copy(dst=x, src=a[448:576, 0:512])  # here",
        "view": "nisa.dma_copy(dst=x, src=a.slice(0, 448, 576))  # here",
        "pattern": "nisa.dma_copy(dst=x, src=a.ap(pattern=[[512, 128], [1, 512]], offset=512 * 448))  # here",
        "store": "nisa.dma_copy(dst=output[448:576, 0:512], src=x)  # here",
        "select": "nisa.dma_copy(dst=x[0:1, :], src=a.select(0, 512))  # here",
    },
    ("NKI101", BETA1): {
        "ndarray": "t = nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)  # here",
        "zeros": "t = nl.zeros((129, 4), dtype=nl.float32, buffer=nl.psum)  # here",
        "load": "r = nl.load(a[0:129, 0:4])  # here",
    },
    ("NKI101", NKI): {
        "ndarray": "t = nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)  # here",
        "zeros": "t = nl.zeros((129, 4), dtype=nl.float32, buffer=nl.psum)  # here",
    },
    ("NKI204", BETA1): {
        "assignment": "x[...] = y[:, 0:500]  # here",
        "store": "nl.store(output[0:128, 0:512], value=y[:, 0:500])  # here",
        "function": "r = nl.add(x, y[:, 0:500])  # here",
        "operator": "r = x * y[:, 0:500]  # here",
        "in place": "x += y[:, 0:500]  # here",
    },
    ("NKI204", NKI): {
        "slice": "nisa.dma_copy(dst=x, src=a[0:128, 0:500])  # here",
        "view": "nisa.dma_copy(dst=x, src=a.slice(0, 0, 128).slice(1, 0, 500))  # here",
        "pattern": "nisa.dma_copy(dst=x, src=a.ap(pattern=[[512, 128], [1, 500]]))  # here",
        "method": "r = x.reshape((128, 500))  # here",
    },
    ("NKI208", BETA1): {"function": "r = nl.nothing(x)  # here", "method": "r = x.nothing()  # here"},
    ("NKI208", NKI): {"function": "r = nl.nothing(x)  # here", "method": "r = x.nothing()  # here"},
    ("NKI701", BETA1): {
        "store": f"{TILE}\nnl.store(output[0:128, 0:512], value=t)  # here",
        "operator": f"{TILE}\nr = t + x  # here\nnl.store(output[0:128, 0:512], value=r)",
        "function": f"{TILE}\nr = nl.exp(t)  # here\nnl.store(output[0:128, 0:512], value=r)",
    },
    ("NKI701", NKI): {
        "copy": f"{TILE}\nnisa.dma_copy(dst=output[0:128, 0:512], src=t)  # here",
        "view": f"{TILE}\nnisa.dma_copy(dst=output[0:128, 0:512], src=t.slice(1, 0, 512))  # here",
        "instruction": f"{TILE}\nnisa.tensor_tensor(dst=x, data1=t, data2=x, op=nl.add)  # here\n"
        "nisa.dma_copy(dst=output[0:128, 0:512], src=x)",
    },
    ("NKI806", BETA1): {
        "quotient": "n = 128 // (a.shape[0] - 512)  # here",
        "remainder": "n = 128 % (a.shape[0] - 512)  # here",
        "division": "n = 1.0 / (a.shape[0] - 512)  # here",
        "function": "n = divmod(128, a.shape[0] - 512)  # here",
    },
    ("NKI806", NKI): {
        "quotient": "n = 128 // (a.shape[0] - 512)  # here",
        "in place": "n = 8\nn //= a.shape[0] - 512  # here",
    },
    ("NKI602", BETA1): {
        "store": "for i in nl.affine_range(4):\n    nl.store(output[0:128, 0:512], value=x)  # here",
        "remainder": "for i in nl.affine_range(4):\n    nl.store(output[nl.ds(i % 2 * 128, 128), :], value=x)  # here",
    },
    ("NKI608", NKI): {
        "method": f"{DEVICE_LOOP}nisa.tensor_copy(dst=y, src=x).depends_on(last)  # here",
        "chain": f"first = nisa.tensor_copy(dst=x, src=y)\n{DEVICE_LOOP}"
        "nisa.tensor_copy(dst=y, src=x).depends_on(first).depends_on(last)  # here",
        "name": f"{DEVICE_LOOP}later = nisa.tensor_copy(dst=y, src=x)\nlater.depends_on(later, last)  # here",
    },
    ("NKI803", NKI): {
        "operator": "r = x - y  # here",
        "unary": "r = -x  # here",
        "in place": "x += y  # here",
        "integer": "n = 1 << 40  # here",
    },
    ("NKI102", BETA1): {
        "instruction": "t = nl.zeros((128, 1024), dtype=nl.float32, buffer=nl.sbuf)\nr = nisa.bn_stats(t)  # here",
        "slice": "t = nl.zeros((128, 2048), dtype=nl.float32, buffer=nl.sbuf)\nr = nisa.bn_stats(t[:, 0:1024])  # here",
    },
    ("NKI103", BETA1): {
        "instruction": "r = nisa.nc_matmul(x[:, 0:256], y)  # here",
        "grid": "i, j = nl.mgrid[0:128, 0:129]\nr = nisa.nc_matmul(x[i, j], y)  # here",
        "arange": "r = nisa.nc_matmul(x[nl.arange(128)[:, None], nl.arange(256)[None, :]], y)  # here",
    },
    ("NKI103", NKI): {
        "slice": f"{SUMS}\nnisa.nc_matmul(dst=p, stationary=x[:, 0:129], moving=y)  # here",
        "view": f"{SUMS}\nnisa.nc_matmul(dst=p, stationary=x.slice(1, 0, 256), moving=y)  # here",
        "pattern": f"{SUMS}\nnisa.nc_matmul(dst=p, stationary=x.ap(pattern=[[512, 128], [1, 256]]), moving=y)  # here",
    },
    ("NKI104", BETA1): {
        "ndarray": "t = nl.ndarray((128, 8192), dtype=nl.float32, buffer=nl.psum)  # here",
        "zeros": "t = nl.zeros((128, 8192), dtype=nl.float32, buffer=nl.psum)  # here",
    },
    ("NKI106", NKI): {
        "slice": "nisa.tensor_scalar(dst=x[16:80, :], data=x[16:80, :], op0=nl.add, operand0=1.0)  # here",
        "view": "t = x.slice(0, 16, 80)\nnisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)  # here",
    },
    ("NKI106", BETA1): {
        "slice": "r = nisa.tensor_scalar(x[16:80, :], op0=nl.add, operand0=1.0)  # here",
        "arange": "r = nl.exp(x[16 + nl.arange(64)[:, None], nl.arange(512)[None, :]])  # here",
        "operator": "r = x[16:80, :] + 1.0  # here",
        "assignment": "x[16:80, :] = nl.exp(y[0:64, :])  # here",
        "update": "x[16:80, :] *= 2.0  # here",
        "accumulation": "p = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)\n"
        "p[16:80, :] += nisa.nc_matmul(x[:, 0:64], y)  # here",
        "function": "r = nl.exp(x[16:80, :])  # here",
    },
    ("NKI201", BETA1): {
        "instruction": "r = nisa.nc_matmul(nisa.nc_matmul(x[:, 0:128], y), y)  # here",
        "function": "r = nl.exp(a[0:128, 0:512])  # here",
        "operator": "r = a[0:128, 0:512] + x  # here",
        "assignment": "x[0:128, 0:512] = a[0:128, 0:512]  # here",
        "update": "x -= a[0:128, 0:512]  # here",
    },
    ("NKI201", NKI): {
        "slice": "nisa.tensor_copy(dst=x, src=a[0:128, 0:512])  # here",
        "view": "nisa.tensor_copy(dst=x, src=a.slice(0, 0, 128))  # here",
        "pattern": "nisa.tensor_copy(dst=x, src=a.ap(pattern=[[512, 128], [1, 512]]))  # here",
        "function": "r = nl.exp(a[0:128, 0:512])  # here",
    },
    ("NKI202", BETA1): {
        "instruction": "t = nl.zeros((128, 4), dtype=nl.float32, buffer=nl.sbuf)\n"
        "r = nisa.tensor_scalar(t, op0=nl.bitwise_and, operand0=3)  # here",
        "function": "r = nl.bitwise_and(x, y)  # here",
        "operator": "r = x & y  # here",
        "update": "x &= y  # here",
    },
    ("NKI202", NKI): {
        "memset": f"{NUMBERS}\nnisa.memset(dst=t, value=1.5)  # here",
        "slice": f"{NUMBERS}\nnisa.memset(dst=t[:, 0:2], value=1.5)  # here",
    },
    ("NKI205", BETA1): {
        "instruction": "r = nisa.tensor_scalar(x, op0=nl.add, operand0=y)  # here",
        "slice": "r = nisa.tensor_scalar(x, op0=nl.add, operand0=y[:, 0:2])  # here",
    },
    ("NKI205", NKI): {
        "slice": "nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=y[:, 0:2])  # here",
        "view": "nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=y.slice(1, 0, 2))  # here",
    },
    ("NKI207", BETA1): {
        "store": "nl.store(a[0:128, 0:512], value=x)  # here",
        "grid": "i, j = nl.mgrid[0:128, 0:512]\nnl.store(a[i, j], value=x)  # here",
    },
    ("NKI209", BETA1): {
        "zeros": "t = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)  # here",
        "full": "t = nl.full((128, 512), 1.0, dtype=nl.float32, buffer=nl.hbm)  # here",
    },
    ("NKI210", NKI): {
        "instruction": "nisa.tensor_tensor(data1=x, data2=y, op=nl.add)  # here",
        "copy": "nisa.dma_copy(src=a[0:128, 0:512])  # here",
    },
    ("NKI212", BETA1): {
        "memset": "t = nisa.memset((128, 4), 300, dtype=nl.uint8)  # here",
        "full": "t = nl.full((128, 4), 300, dtype=nl.uint8, buffer=nl.sbuf)  # here",
        "iota": "t = nisa.iota(nl.arange(128)[:, None] + 1, dtype=nl.int8)  # here",
        "instruction": "i = nisa.iota(nl.arange(128)[:, None], dtype=nl.int32)\n"
        "t = nisa.tensor_scalar(i, op0=nl.multiply, operand0=3, dtype=nl.uint8)  # here",
    },
    ("NKI212", NKI): {
        "memset": f"{BYTES}\nnisa.memset(dst=t, value=300)  # here",
        "slice": f"{BYTES}\nnisa.memset(dst=t[:, 0:2], value=300)  # here",
        "iota": f"{BYTES}\nnisa.iota(dst=t, pattern=[[1, 4]], channel_multiplier=4)  # here",
        "copy": f"{BYTES}\ni = nl.ndarray((128, 4), dtype=nl.int32, buffer=nl.sbuf)\n"
        "nisa.iota(dst=i, pattern=[[1, 4]], channel_multiplier=4)\nnisa.tensor_copy(dst=t, src=i)  # here",
    },
    ("NKI213", BETA1): {
        "function": "r = nl.sum(x, axis=0)  # here",
        "instruction": "r = nisa.tensor_reduce(nl.add, x, axis=0)  # here",
        "keyword": "r = nl.max(x, axis=(0,))  # here",
    },
    ("NKI302", BETA1): {
        "subscript": "r = nl.load(a[nl.arange(128), 0:512])  # here",
        "store": "nl.store(output[nl.arange(128), nl.arange(512)], value=x)  # here",
    },
    ("NKI303", BETA1): {
        "arange": "r = nl.load(a[nl.arange(128)[:, None], 0:512])  # here",
        "grid": "i, j = nl.mgrid[0:128, 0:512]\nr = nl.load(a[i, 0:512])  # here",
    },
    ("NKI304", BETA1): {
        "and": "i, j = nl.mgrid[0:128, 0:512]\nr = nl.load(a[i, j], mask=(i < 100 and j < 512))  # here",
        "or": "i, j = nl.mgrid[0:128, 0:512]\nr = nl.load(a[i, j], mask=(i < 100 or j < 50))  # here",
        "chain": "i, j = nl.mgrid[0:128, 0:512]\nr = nl.load(a[i, j], mask=(0 < i < 100))  # here",
    },
    ("NKI305", BETA1): {
        "arange": "i = nl.arange(128)[:, None]\ni[0] = 5  # here",
        "grid": "i, j = nl.mgrid[0:128, 0:512]\ni[...] = 5  # here",
    },
    ("NKI306", BETA1): {
        "load": f"{PLACES}\nr = nl.load(a[i, places])  # here",
        "function": f"{PLACES}\nr = nl.exp(x[i, places])  # here",
        "copy": f"{PLACES}\nr = nl.copy(x[i, places])  # here",
        "instruction": f"{PLACES}\nr = nisa.tensor_copy(x[i, places])  # here",
        "operator": f"{PLACES}\nr = x[i, places] + 1.0  # here",
        "assignment": f"{PLACES}\nr = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
        "r[...] = x[i, places]  # here",
    },
    ("NKI306", NKI): {
        "select": "k = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)\nnisa.memset(dst=k, value=0)\n"
        "nisa.tensor_copy(dst=y[0:1, :], src=x.select(0, k))  # here",
        "pattern": "k = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)\nnisa.memset(dst=k, value=0)\n"
        "nisa.dma_copy(dst=x, src=a.ap(pattern=[[512, 128], [1, 512]], vector_offset=k, indirect_dim=1))  # here",
    },
    ("NKI404", NKI): {
        "address": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum, address=(0, 1024))  # here",
    },
    ("NKI402", NKI): {
        "address": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 262144))  # here",
    },
    ("NKI401", NKI): {
        "address": "t = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.sbuf, address=(16, 0))  # here",
    },
    ("NKI601", BETA1): {
        "assignment": "for i in nl.affine_range(4):\n    x[...] = x * 2.0 + y  # here\n"
        "nl.store(output[0:128, :], value=x)",
    },
    ("NKI704", BETA1): {
        "loop": "for i in nl.affine_range(2):\n    t = nl.exp(x)\nr = nl.exp(t)  # here\n"
        "nl.store(output[0:128, :], value=r)",
    },
    ("NKI801", BETA1): {
        "if": "if x[0, 0] > 0:  # here\n    r = nl.exp(x)",
        "while": "while x[0, 0] > 0:  # here\n    r = nl.exp(x)",
        "conditional": "r = x if x[0, 0] > 0 else y  # here",
    },
    ("NKI801", NKI): {
        "if": "if x[0, 0] > 0:  # here\n    r = nl.exp(x)",
        "conditional": "r = x if x[0, 0] > 0 else y  # here",
        "element": "if x[0:1, 0:1]:  # here\n    r = nl.exp(x)",
        "not": "if not x[0:1, 0:1]:  # here\n    r = nl.exp(x)",
    },
    ("NKI802", BETA1): {
        "if": "i, j = nl.mgrid[0:128, 0:512]\nif i > 5:  # here\n    r = nl.exp(x)",
        "while": "i = nl.arange(128)[:, None]\nwhile i > 5:  # here\n    r = nl.exp(x)",
    },
    ("NKI808", BETA1): {"name": "r = nl.exp(nowhere)  # here", "attribute": "n = nowhere.shape[0]  # here"},
    ("NKI808", NKI): {"name": "r = nl.exp(nowhere)  # here", "attribute": "n = nowhere.shape[0]  # here"},
    ("NKI809", BETA1): {
        "operation": "r = nl.exp(x, y, nl.float32, None, 5)  # here",
        "missing": "r = nisa.tensor_scalar(x)  # here",
    },
    ("NKI809", NKI): {"missing": "nisa.tensor_scalar(dst=x)  # here"},
    ("NKI810", BETA1): {"assertion": "assert a.shape[0] == a.shape[0]  # here"},
    ("NKI811", BETA1): {
        "size": "t = nl.ndarray((128, 512 / 2), dtype=nl.float32, buffer=nl.sbuf)  # here",
        "range": "for i in nl.affine_range(8 / 2):  # here\n    r = nl.exp(x)",
        "slice": "r = nl.load(a[0:128, 0 : 512 / 2])  # here",
        "ds": "r = nl.load(a[0:128, nl.ds(0, 512 / 2)])  # here",
        "reshape": "r = x.reshape((128, 512 / 2, 2))  # here",
        "broadcast": "r = x[0:1, :].broadcast_to((256 / 2, 512))  # here",
    },
    ("NKI811", NKI): {
        "size": "t = nl.ndarray((128, 512 / 2), dtype=nl.float32, buffer=nl.sbuf)  # here",
        "range": "for i in range(8 / 2):  # here\n    r = nl.exp(x)",
        "view": "nisa.tensor_copy(dst=y[:, 0:256], src=x.slice(1, 0, 512 / 2))  # here",
        "pattern": "nisa.tensor_copy(dst=y[:, 0:256], src=x.ap(pattern=[[512, 128], [1, 512 / 2]]))  # here",
        "iota": "nisa.iota(dst=y, pattern=[[1, 1024 / 2]])  # here",
        "reshape": "r = x.reshape((128, 512 / 2, 2))  # here",
    },
}  # fmt: skip

ELSEWHERE = {
    **dict.fromkeys(("NKI001", "NKI002", "NKI003", "NKI004"), "about the tool itself"),
    **dict.fromkeys(
        ("NKI206", "NKI901", "NKI902", "NKI903", "NKI904"), "about a target or a version, with its examples"
    ),
    **dict.fromkeys(("NKI410", "NKI604"), "about sums over many tiles, and advice, in `tests/kernels`"),
    "NKI211": "one form only, with its examples",
    "NKI503": "two groups in one bank: one form only, with its examples",
}
"""Rules without a row here or in `whole_forms.py`, and why."""
