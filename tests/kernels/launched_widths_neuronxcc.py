"""Places on chip that suffice for narrow elements, in kernels that are launched with wide ones."""

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl


def rotating(x, distance):
    """Two tensors side by side, each with two places, of which the second begins at `distance`."""
    low = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    high = ncc.sbuf.mod_alloc(base_addr=distance, num_free_tiles=(2,))
    left = nl.ndarray((4, nl.par_dim(128), 128), dtype=x.dtype, buffer=low)
    right = nl.ndarray((4, nl.par_dim(128), 512), dtype=x.dtype, buffer=high)
    return left, right


@nki.jit
def room_for_narrow_elements(x, y):
    assert x.shape == (512, 128) and y.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left, right = rotating(x, 256)
    for k in nl.affine_range(4):
        left[k] = nl.load(x[nl.ds(k * 128, 128), :])
        right[k] = nl.load(y[nl.ds(k * 128, 128), :])
        right[k, :, 0:128] = nl.add(right[k, :, 0:128], left[k])  # expect: NKI501
        nl.store(output[nl.ds(k * 128, 128), :], value=right[k])
    return output


@nki.jit
def room_for_wide_elements(x, y):
    assert x.shape == (512, 128) and y.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left, right = rotating(x, 1024)
    for k in nl.affine_range(4):
        left[k] = nl.load(x[nl.ds(k * 128, 128), :])
        right[k] = nl.load(y[nl.ds(k * 128, 128), :])
        right[k, :, 0:128] = nl.add(right[k, :, 0:128], left[k])
        nl.store(output[nl.ds(k * 128, 128), :], value=right[k])
    return output


@nki.jit
def launched_with_narrow_elements(x, y):
    assert x.shape == (512, 128) and y.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left, right = rotating(x, 256)
    for k in nl.affine_range(4):
        left[k] = nl.load(x[nl.ds(k * 128, 128), :])
        right[k] = nl.load(y[nl.ds(k * 128, 128), :])
        right[k, :, 0:128] = nl.add(right[k, :, 0:128], left[k])
        nl.store(output[nl.ds(k * 128, 128), :], value=right[k])
    return output


if __name__ == "__main__":
    wide = np.zeros((512, 128), np.float32), np.zeros((512, 512), np.float32)
    narrow = np.zeros((512, 128), np.float16), np.zeros((512, 512), np.float16)
    room_for_narrow_elements(*wide)
    room_for_wide_elements(*wide)
    launched_with_narrow_elements(*narrow)
