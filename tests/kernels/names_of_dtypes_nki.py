"""Sizes and dtypes looked up by what `str` gives of a dtype."""

import nki
import nki.isa as nisa
import nki.language as nl


def size_of(dtype):
    if str(dtype) == str(nl.float32) or str(dtype) == "int32":
        return 4
    elif str(dtype) in ["float8e4", "float8_e4m3", "float8_e4m3fn", "float8e5", "float8_e5m2"]:
        return 1
    elif str(dtype) == str(nl.float8_e4m3fn_x4):
        return 4
    return 2


@nki.jit
def sizes(x):
    reveal(size_of(nl.float32), size_of(nl.int32), size_of(nl.bfloat16))  # revealed: 4
    reveal(size_of(nl.bfloat16))  # revealed: 2
    reveal(size_of(nl.float8_e4m3fn_x4))  # revealed: 4
    reveal(size_of(nl.float8_e4m3))  # revealed: 1
    reveal(str(nl.float8_e5m2) == "float8_e5m2")  # revealed: line 24: whether `str` of `float8_e5m2` is 'float8_e5m2'
    reveal(str(nl.float8_e5m2) == "float8e4")  # revealed: False
    reveal(str(nl.uint8) == "bf16")  # revealed: line 26: whether `str` of `uint8` is 'bf16'
    reveal(str(x.dtype) == "bfloat16")  # revealed: x.dtype == bfloat16
    reveal(str(x.dtype) in ("float8e5", "float8_e5m2"))  # revealed: x.dtype == float8_e5m2
    reveal(str(nl.float8_e4m3) in ["float8_e4m3", "int8", "float8e4"])  # revealed: True
    reveal(str(nl.float8_e4m3fn) in ["float8_e4m3", "float8e4"])  # revealed: False
    reveal(str(x.dtype) == "float8e4")  # revealed: line 31: whether `str` of `x.dtype` is 'float8e4'
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output
