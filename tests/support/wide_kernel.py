"""A kernel that loads one column too many, after something that a test has it do before."""

KERNEL = """

@nki.jit
def {name}(x):
    assert x.shape == (128, 512)
    {before}
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(512)[None, :]
    nl.store(output[i, j], value=nl.load(x[i, j + 1]))
    return output
"""
