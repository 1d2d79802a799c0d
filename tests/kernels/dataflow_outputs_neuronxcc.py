"""What kernels hand back: where it is made, in which memory, and what is forgotten (NKI706, NKI707, NKI711)."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


def in_a_function():
    made = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)  # expect: NKI706
    nl.store(made, value=0.0)
    return made


@nki.jit
def shared_tensors_everywhere(x):
    assert x.shape == (128, 512)
    first = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(first, value=nl.load(x))
    for i in range(8):
        second = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)  # expect: NKI706
        nl.store(second, value=nl.load(x))
        nl.store(first, value=nl.load(second))
        if i >= 1:
            third = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)  # expect: NKI706
            nl.store(third, value=nl.load(x))
            nl.store(first, value=nl.load(third))
    fourth = in_a_function()
    return first, fourth


@nki.jit
def one_program_more(x):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((256, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    program = nl.program_id(0)
    nl.store(output[nl.ds(program * 128, 128), 0:512], value=nl.load(x))
    if program >= 1:
        between = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)  # expect: NKI706
        nl.store(between, value=nl.load(x))
        nl.store(output[nl.ds(program * 128, 128), 0:512], value=nl.load(between))
    return output


@nki.jit
def shared_tensors_at_the_top(x, with_second=True):
    rows, columns = x.shape
    assert rows == 128 and columns == 512
    first = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(first, value=nl.load(x))
    if with_second:
        second = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(second, value=nl.load(x))
        return first, second
    return first


@nki.jit
def kept_in_hbm_by_a_loop(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for _ in nl.affine_range(1):
        kept = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)
    nl.store(kept, value=nl.load(x))  # expect: NKI704
    nl.store(output, value=nl.load(kept))
    return output


@nki.jit
def read_in_its_loop(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for _ in nl.affine_range(1):
        kept = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)
        nl.store(kept, value=nl.load(x))
        nl.store(output, value=nl.load(kept))
    return output


@nki.jit
def one_of_each_memory(x):
    assert x.shape == (128, 512)
    tile = nl.load(x)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=tile)
    return output, tile  # expect: NKI707 @ return output, tile


@nki.trace
def part_of_a_kernel(x):
    return nl.exp(nl.load(x))


@nki.jit
def kernel_of_parts(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=part_of_a_kernel(x))
    return output


@nki.jit
def nothing_returned(x):  # expect: NKI711
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x))


@nki.jit
def one_of_two_returned(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    other = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x))
    nl.store(other, value=nl.load(x))
    return output  # expect: NKI711 @ return output


@nki.jit
def returned_in_a_tuple(x):
    assert x.shape == (128, 512)
    outputs = []
    for _ in nl.static_range(2):
        outputs.append(nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm))
        nl.store(outputs[-1], value=nl.load(x))
    return tuple(outputs)


def output_parameter(x, output):
    assert x.shape == (128, 512) and output.shape == (128, 512)
    nl.store(output, value=nl.load(x))


@nki.jit
def read_back(x):
    assert x.shape == (128, 512)
    between = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(between, value=nl.load(x))
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(between))
    return output


@nki.jit
def nothing_is_returned(x):  # expect: NKI711
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.hbm)
    nl.store(output, value=nl.exp(nl.load(x)))


@nki.jit
def written_to_an_input(x, output):
    """What stays in HBM of its own is nobody's output here."""
    assert x.shape == (128, 512) and output.shape == (128, 512)
    kept = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.hbm)
    tile = nl.exp(nl.load(x))
    nl.store(kept, value=tile)
    nl.store(output, value=tile)  # expect: NKI207


@nki.jit
def kept_beside_the_output(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.private_hbm)
    tile = nl.exp(nl.load(x))
    nl.store(kept, value=tile)
    nl.store(output, value=tile)
    return output
