"""Kernels that PyTorch's decorator makes, which are given their outputs, and launches of them."""

import torch
from torch_neuronx import nki_jit
from torch_neuronx.xla_impl.ops import nki_jit as jit_of_ops

import neuronxcc.nki.language as nl


def transposed(source, output):  # expect: NKI703
    rows, columns = source.shape
    assert rows % 128 == 0 and columns % 128 == 0
    for r in nl.affine_range(rows // 128):
        for c in nl.affine_range(columns // 128):
            tile = nl.load_transpose2d(source[nl.ds(r * 128, 128), nl.ds(c * 128, 128)])
            nl.store(output[nl.ds(c * 128, 128), nl.ds(r * 128, 128)], value=tile)  # expect: NKI301


transpose = nki_jit(transposed)


@nki_jit
def doubled(source, output):  # expect: NKI703 output.shape[0] <= 128*num_programs(0)
    assert source.shape == output.shape and source.shape[1] == 512
    part = nl.ds(nl.program_id(0) * 128, 128)
    nl.store(output[part, :], value=nl.multiply(nl.load(source[part, :]), 2))  # expect: NKI301  # expect: NKI301


@jit_of_ops()
def halved(source, output):  # expect: NKI703 output.shape[0] <= 128*num_programs(0)
    assert source.shape == output.shape and source.shape[1] == 512
    part = nl.ds(nl.program_id(0) * 128, 128)
    nl.store(output[part, :], value=nl.multiply(nl.load(source[part, :]), 0.5))  # expect: NKI301 128*num_programs(0) <= source.shape[0]


def main():
    left = torch.rand((256, 1024), dtype=torch.bfloat16)
    transpose(left, torch.empty((1024, 256), dtype=torch.bfloat16))
    transpose(left, left)
    wide = torch.rand((256, 512), dtype=torch.float32)
    doubled[4](wide, torch.empty_like(wide))
    halved[2](wide, torch.empty_like(wide))


if __name__ == "__main__":
    main()
