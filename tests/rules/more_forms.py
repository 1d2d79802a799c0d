"""More forms of the rules in `forms.py`, and the forms that a dialect does not have."""

from __future__ import annotations

BETA1, NKI = "neuronxcc.nki", "nki"

MORE: dict[tuple[str, str], dict[str, str]] = {
    ("NKI101", BETA1): {
        "full": "t = nl.full((129, 4), 1.0, dtype=nl.float32, buffer=nl.sbuf)  # here",
        "grid": "i, j = nl.mgrid[0:130, 0:4]\nr = nl.load(a[i, j])  # here",
        "instruction": "r = nisa.memset((129, 4), 0.0, dtype=nl.float32)  # here",
    },
    ("NKI101", NKI): {
        "view": "t = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.sbuf).reshape((129, 4))  # here",
        "full": "t = nl.full((129, 4), 1.0, dtype=nl.float32, buffer=nl.sbuf)  # here",
    },
    ("NKI102", NKI): {
        "slice": "t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.memset(dst=t, value=0.0)\n"
        "s = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.bn_stats(dst=s, data=t[:, 0:600])  # here",
        "view": "t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.memset(dst=t, value=0.0)\n"
        "s = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.bn_stats(dst=s, data=t.slice(1, 0, 600))  # here",
        "pattern": "t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.memset(dst=t, value=0.0)\n"
        "s = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.bn_stats(dst=s, data=t.ap(pattern=[[1024, 128], [1, 600]]))  # here",
    },
    ("NKI103", BETA1): {
        "function": "r = nl.matmul(x[:, 0:256], y, transpose_x=True)  # here",
        "slice": "r = nisa.nc_matmul(x[0:128, 0:129], y[0:128, 0:512])  # here",
    },
    ("NKI104", NKI): {
        "ndarray": "t = nl.ndarray((128, 8192), dtype=nl.float32, buffer=nl.psum)  # here",
        "zeros": "t = nl.zeros((128, 8192), dtype=nl.float32, buffer=nl.psum)  # here",
    },
    ("NKI107", NKI): {
        "transposed": "nisa.tensor_scalar(dst=y, data=x.permute((1, 0)), op0=nl.add, operand0=1.0)  # here",
    },
    ("NKI109", NKI): {
        "slice": "t = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)\nnisa.max8(dst=t, src=x[:, 0:7])  # here",
        "view": "t = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.max8(dst=t, src=x.slice(1, 0, 7))  # here",
        "pattern": "t = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.max8(dst=t, src=x.ap(pattern=[[512, 128], [1, 7]]))  # here",
    },
    ("NKI109", BETA1): {
        "slice": "r = nisa.max8(src=x[:, 0:7])  # here",
        "grid": "i, j = nl.mgrid[0:128, 0:7]\nr = nisa.max8(src=x[i, j])  # here",
    },
    ("NKI106", NKI): {
        "pattern": "t = x.ap(pattern=[[512, 64], [1, 512]], offset=16 * 512)\n"
        "nisa.tensor_scalar(dst=x[0:64, :], data=t, op0=nl.add, operand0=1.0)  # here",
        "function": "r = nl.exp(x[16:80, :])  # here",
    },
    ("NKI106", BETA1): {
        "grid": "i, j = nl.mgrid[0:64, 0:512]\nr = nl.exp(x[16 + i, j])  # here",
    },
    ("NKI201", BETA1): {
        "slice": "r = nisa.tensor_copy(a[0:128, 0:512])  # here",
        "grid": "i, j = nl.mgrid[0:128, 0:512]\nr = nl.exp(a[i, j])  # here",
    },
    ("NKI202", NKI): {
        "function": "t = nl.ndarray((128, 4), dtype=nl.int32, buffer=nl.sbuf)\nr = nl.bitwise_and(x, y)  # here",
        "instruction": "nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.bitwise_and)  # here",
        "view": "t = x.slice(1, 0, 4)\nnisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.bitwise_and)  # here",
        "pattern": "t = x.ap(pattern=[[512, 128], [1, 512]])\n"
        "nisa.tensor_tensor(dst=x, data1=t, data2=y, op=nl.bitwise_and)  # here",
    },
    ("NKI203", BETA1): {
        "grid": "i, j = nl.mgrid[0:64, 0:512]\nr = nl.add(x, y[i, j])  # here",
        "slice": "r = nl.maximum(x[0:128, :], y[0:32, :])  # here",
    },
    ("NKI204", BETA1): {
        "grid": "i, j = nl.mgrid[0:128, 0:500]\nr = nl.add(x, y[i, j])  # here",
        "instruction": "r = nisa.tensor_tensor(x, y[:, 0:500], op=nl.add)  # here",
        "method": "r = x.reshape((128, 500))  # here",
        "broadcast": "r = x[:, 0:2].broadcast_to((128, 512))  # here",
    },
    ("NKI204", NKI): {
        "weights": "r = nl.rms_norm(x, y[:, 0:500], axis=1, n=512)  # here",
        "function": "r = nl.add(x, y[:, 0:500])  # here",
        "instruction": "nisa.tensor_tensor(dst=x, data1=x, data2=y[:, 0:500], op=nl.add)  # here",
        "rearrange": "r = x.reshape((64, 512))  # here",
    },
    ("NKI205", NKI): {
        "rate": "r = nl.dropout(x, y[:, 0:2])  # here",
        "pattern": "nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=y.ap(pattern=[[512, 128], [1, 2]]))  # here",
    },
    ("NKI205", BETA1): {
        "grid": "i, j = nl.mgrid[0:128, 0:2]\nr = nisa.tensor_scalar(x, op0=nl.add, operand0=y[i, j])  # here",
        "function": "r = nisa.activation(op=nl.exp, data=x, scale=y)  # here",
    },
    ("NKI215", NKI): {
        "view": "r = x.reshape((128, 8, 64)).slice(2, 0, 32).reshape((128, 256))  # here",
        "slice": "r = x[:, 0:512:2].view(nl.uint16)  # here",
        "pattern": "r = x.ap(pattern=[[512, 128], [64, 4], [1, 32]]).flatten_dims(1, 2)  # here",
        "rearrange": "r = x.rearrange(('p', ('a', 'b')), ('p', ('b', 'a')), {'a': 8})  # here",
    },
    ("NKI207", BETA1): {
        "in place": "a[0:128, 0:512] = x  # here",
    },
    ("NKI210", NKI): {
        "view": "nisa.tensor_copy(src=x.slice(1, 0, 4))  # here",
        "activation": "nisa.activation(op=nl.exp, data=x)  # here",
    },
    ("NKI210", BETA1): {
        "instruction": "nisa.tensor_tensor(x, y, op=nl.add)  # here",
        "function": "nl.exp(x)  # here",
    },
    ("NKI213", NKI): {
        "permute": "r = a.permute((0, 0))  # here",
        "dimension": "nisa.tensor_copy(dst=y, src=x.slice(2, 0, 512))  # here",
        "instruction": "t = nl.ndarray((1, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.tensor_reduce(dst=t, op=nl.add, data=x, axis=0)  # here",
        "function": "r = nl.sum(x, axis=0)  # here",
        "view": "t = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.tensor_reduce(dst=t, op=nl.add, data=x.slice(1, 0, 64), axis=0)  # here",
    },
    ("NKI301", BETA1): {
        "in place": "x[0:128, 1:513] = y  # here",
        "operator": "r = x[:, 1:513] + y  # here",
        "function": "r = nl.exp(x[:, 1:513])  # here",
        "negative": "r = nl.load(a[0:128, -513:-1])  # here",
    },
    ("NKI301", NKI): {
        "ds": "nisa.dma_copy(dst=x, src=a[nl.ds(448, 128), 0:512])  # here",
        "function": "r = nl.exp(x[:, 1:513])  # here",
        "vector": "k = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)\n"
        "nisa.memset(dst=k, value=512)\n"
        "nisa.dma_copy(dst=x, src=a.vector_select(0, k))  # here",
        "negative": "nisa.dma_copy(dst=x, src=a[-513:-385, 0:512])  # here",
    },
    ("NKI701", BETA1): {
        "in place": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "t += x  # here\n"
        "nl.store(output[0:128, 0:512], value=t)",
        "instruction": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "r = nisa.tensor_copy(t)  # here\n"
        "nl.store(output[0:128, 0:512], value=r)",
        "grid": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "i, j = nl.mgrid[0:128, 0:512]\n"
        "nl.store(output[i, j], value=t[i, j])  # here",
        "slice": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "t[:, 0:500] = x[:, 0:500]\n"
        "nl.store(output[0:128, 0:512], value=t)  # here",
    },
    ("NKI701", NKI): {
        "slice": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.tensor_copy(dst=t[:, 0:500], src=x[:, 0:500])\n"
        "nisa.dma_copy(dst=output[0:128, 0:512], src=t)  # here",
        "pattern": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.dma_copy(dst=output[0:128, 0:512], src=t.ap(pattern=[[512, 128], [1, 512]]))  # here",
        "function": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "r = nl.exp(t)  # here\n"
        "nisa.dma_copy(dst=output[0:128, 0:512], src=r)",
        "list": "t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
        "parts = [t, x]\n"
        "nisa.dma_copy(dst=output[0:128, 0:512], src=parts[0])  # here",
    },
    ("NKI806", NKI): {
        "remainder": "n = 128 % (a.shape[0] - 512)  # here",
        "division": "n = 1.0 / (a.shape[0] - 512)  # here",
        "function": "n = divmod(128, a.shape[0] - 512)  # here",
    },
    ("NKI806", BETA1): {
        "in place": "n = 8\nn //= a.shape[0] - 512  # here",
    },
    ("NKI808", BETA1): {
        "in place": "undefined_count += 1  # here",
        "call": "r = make_tile(x)  # here",
        "index": "r = nl.load(a[nowhere, 0:512])  # here",
        "default": "r = (lambda v=nowhere: v)()  # here",
    },
    ("NKI808", NKI): {
        "in place": "undefined_count += 1  # here",
        "call": "r = make_tile(x)  # here",
        "index": "nisa.dma_copy(dst=x, src=a[nowhere, 0:512])  # here",
    },
    ("NKI809", BETA1): {
        "keyword": "r = nisa.tensor_scalar(x, op0=nl.add, operand=1.0)  # here",
        "twice": "r = nl.exp(x, x=y)  # here",
    },
    ("NKI809", NKI): {
        "operation": "nisa.memset(x, 0.0, nl.float32, 1, 2, 3, 4)  # here",
    },
    ("NKI810", NKI): {
        "assertion": "assert a.shape[0] == a.shape[0]  # here",
        "guard": "if a.shape[0] != a.shape[0]:  # here\n    r = 1",
    },
    ("NKI810", BETA1): {
        "guard": "if a.shape[0] != a.shape[0]:  # here\n    r = 1",
    },
    ("NKI811", NKI): {
        "ds": "nisa.dma_copy(dst=x[:, 0:256], src=a[0:128, nl.ds(0, 512 / 2)])  # here",
        "slice": "nisa.dma_copy(dst=x[:, 0:256], src=a[0:128, 0 : 512 / 2])  # here",
    },
    ("NKI811", BETA1): {
        "grid": "r = nl.load(a[0:128, nl.arange(512 / 2)[None, :]])  # here",
        "full": "t = nl.full((128, 512 / 2), 1.0, dtype=nl.float32, buffer=nl.sbuf)  # here",
    },
    ("NKI801", NKI): {
        "while": "while x[0, 0]:  # here\n    break",
        "assertion": "assert x[0:1, 0:1] > 0  # here",
        "and": "r = x[0:1, 0:1] and y  # here",
    },
    ("NKI801", BETA1): {
        "assertion": "assert x[0, 0] > 0  # here",
        "and": "r = x[0, 0] > 0 and True  # here",
        "not": "if not x[0, 0] > 0:  # here\n    r = nl.exp(x)",
    },
    ("NKI208", BETA1): {
        "instruction": "r = nisa.nothing(x)  # here",
        "dtype": "t = nl.ndarray((128, 4), dtype=nl.float99, buffer=nl.sbuf)  # here",
        "method call": "r = a.numpy()  # here",
    },
    ("NKI208", NKI): {
        "instruction": "nisa.nothing(dst=x, src=y)  # here",
        "keyword": "nisa.memset(dst=x, value=0.0, nothing=1)  # here",
        "dtype": "t = nl.ndarray((128, 4), dtype=nl.float99, buffer=nl.sbuf)  # here",
        "view": "nisa.tensor_copy(dst=y, src=x.slice(1, 0, 512).nothing())  # here",
    },
    ("NKI803", NKI): {
        "function": "r = x @ y  # here",
        "power": "r = x ** 2  # here",
        "number first": "r = 1.0 - x  # here",
        "inner": "def inner(t):  # here\n    return t",
        "item": "p = [1, 2]\np[0], p[1] = p[1], p[0]  # here",
    },
    ("NKI212", NKI): {
        "function": "t = nl.ndarray((128, 4), dtype=nl.uint8, buffer=nl.sbuf)\n"
        "r = nl.full((128, 4), 300, dtype=nl.uint8, buffer=nl.sbuf)  # here",
        "view": "t = nl.ndarray((128, 4), dtype=nl.uint8, buffer=nl.sbuf)\n"
        "nisa.memset(dst=t.slice(1, 0, 2), value=300)  # here",
        "pattern": "t = nl.ndarray((128, 4), dtype=nl.uint8, buffer=nl.sbuf)\n"
        "nisa.memset(dst=t.ap(pattern=[[4, 128], [1, 2]]), value=300)  # here",
        "sum": "t = nl.ndarray((128, 4), dtype=nl.uint8, buffer=nl.sbuf)\n"
        "i = nl.ndarray((128, 4), dtype=nl.int32, buffer=nl.sbuf)\n"
        "nisa.iota(dst=i, pattern=[[1, 4]], channel_multiplier=4)\n"
        "nisa.tensor_tensor(dst=t, data1=i, data2=i, op=nl.add)  # here",
    },
    ("NKI306", NKI): {
        "vector": "k = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)\nnisa.memset(dst=k, value=0)\n"
        "nisa.dma_copy(dst=x, src=a.vector_select(1, k))  # here",
        "again": "k = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)\nnisa.memset(dst=k, value=0)\n"
        "nisa.dma_copy(dst=x[0:1, 0:1], src=a.select(0, k).select(0, k))  # here",
    },
    ("NKI401", NKI): {
        "psum": "t = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.psum, address=(16, 0))  # here",
    },
    ("NKI403", NKI): {
        "address": "t = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.psum, address=(0, 2))  # here",
    },
    ("NKI807", NKI): {
        "assertion": "assert a.shape[0] == 500  # here",
    },
    ("NKI807", BETA1): {
        "assertion": "assert a.shape[0] == 500  # here",
    },
}  # fmt: skip

IMPOSSIBLE = {
    **dict.fromkeys(
        ("operator", "in place", "unary", "power", "number first"),
        (NKI, "its tiles have no operators, which is NKI803"),
    ),
    **dict.fromkeys(("grid", "arange"), (NKI, "it has no index grids")),
    **dict.fromkeys(("view", "pattern", "select", "vector"), (BETA1, "its tensors have no views and no patterns")),
}
"""Forms that a dialect does not have, and why: its rows lack them, but for the rule that says so."""
