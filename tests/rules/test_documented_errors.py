"""The errors that AWS documents for Beta 1, each in a kernel that fails, found at its place, and in one put right."""

from __future__ import annotations

import pytest

from nkilint_rules.catalogue import rules
from nkilint_rules.words.dialects import BETA1

from ..support.checking import check

FAMILIES = ("NKI1", "NKI2", "NKI3", "NKI6", "NKI7", "NKI8")

# AWS's name, our code, the kernel (the finding between ⟦ and ⟧), the corrected kernel
ERRORS = [
    (
        "err_1d_arange_not_supported",
        "NKI302",
        "rows = nl.arange(64)\nt = nl.exp(⟦x[rows, 0]⟧)",
        "rows = nl.arange(64)[:, None]\nt = nl.exp(x[rows, 0])",
    ),
    (
        "err_activation_bias_invalid_type",
        "NKI202",
        "bias = nisa.memset((128, 1), 1, dtype=nl.int8)\nt = nisa.activation(op=nl.exp, data=x, bias=⟦bias⟧)",
        "bias = nisa.memset((128, 1), 1, dtype=nl.bfloat16)\nt = nisa.activation(op=nl.exp, data=x, bias=bias)",
    ),
    (
        "err_activation_scale_invalid_type",
        "NKI202",
        "scale = nisa.memset((128, 1), 2.0, dtype=nl.float16)\nt = nisa.activation(op=nl.tanh, data=x, scale=⟦scale⟧)",
        "scale = nisa.memset((128, 1), 2.0, dtype=nl.float32)\nt = nisa.activation(op=nl.tanh, data=x, scale=scale)",
    ),
    (
        "err_activation_scale_scalar_or_vector",
        "NKI205",
        "t = nisa.activation(op=nl.tanh, data=x, scale=⟦w⟧)",
        "t = nisa.activation(op=nl.tanh, data=x, scale=w[:, 0:1])",
    ),
    (
        "err_annotation_shape_mismatch",
        "NKI204",
        "⟦t: nt.tensor[128, 512] = nl.zeros((nl.par_dim(128), 256), dtype=nl.float32, buffer=nl.sbuf)⟧",
        "t: nt.tensor[128, 256] = nl.zeros((nl.par_dim(128), 256), dtype=nl.float32, buffer=nl.sbuf)",
    ),
    (
        "err_cannot_assign_to_index",
        "NKI305",
        "column = nl.arange(16)[None, :]\n⟦column[0, 3]⟧ = 7",
        "column = nisa.iota(nl.arange(16)[None, :], dtype=nl.uint32)\ncolumn[0, 3] = 7",
    ),
    (
        "err_cannot_update_immutable_parameter",
        "NKI207",
        "t = nl.load(a[0:128, 0:512])\n⟦nl.store(a[0:128, 0:512], value=t)⟧",
        "t = nl.load(a[0:128, 0:512])\nnl.store(output[0:128, 0:512], value=t)",
    ),
    (
        "err_copy_dynamic_indirect_indices_not_natively_supported",
        "NKI306",
        """
        where = nl.load(a[0:128, 0:1], dtype=nl.uint32)
        table = nl.zeros((128, 8, 4), dtype=nl.float32, buffer=nl.sbuf)
        t = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
        row, column = nl.mgrid[0:128, 0:4]
        t[row, column] = ⟦table[row, where, column]⟧
        """,
        """
        where = nl.load(a[0:1, 0:1], dtype=nl.uint32)
        table = nl.zeros((128, 8, 4), dtype=nl.float32, buffer=nl.sbuf)
        t = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
        row, column = nl.mgrid[0:128, 0:4]
        t[row, column] = nisa.tensor_copy_dynamic_src(table[row, where, column])
        """,
    ),
    (
        "err_exceed_max_supported_dimension",
        "NKI105",
        "cube = nl.zeros((64, 16, 2), dtype=nl.float32, buffer=nl.sbuf)\nt = nl.transpose(⟦cube⟧)",
        "square = nl.zeros((64, 32), dtype=nl.float32, buffer=nl.sbuf)\nt = nl.transpose(square)",
    ),
    (
        "err_failed_to_infer_tile_from_local_tensor",
        "NKI107",
        "blocks = nl.zeros((4, nl.par_dim(8), 8), dtype=nl.float32, buffer=nl.sbuf)\nt = nl.add(⟦blocks⟧, 32)",
        "blocks = nl.zeros((4, nl.par_dim(8), 8), dtype=nl.float32, buffer=nl.sbuf)\nt = nl.add(blocks[2], 32)",
    ),
    (
        "err_hbm_tensor_with_init_value_not_supported",
        "NKI209",
        "ones = ⟦nl.full((128, 512), fill_value=1.0, dtype=nl.float32, buffer=nl.shared_hbm)⟧",
        """
        ones = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.hbm)
        nl.store(ones, value=1.0)
        """,
    ),
    (
        "err_indirect_indices_free_dim",
        "NKI306",
        """
        where = nl.load(a[0:1, 0:64], dtype=nl.uint32)
        t = nl.load(⟦b[nl.arange(64)[:, None], where]⟧)
        """,
        """
        where = nl.load(a[0:64, 0:1], dtype=nl.uint32)
        t = nl.load(b[where[nl.arange(64)[:, None], 0], nl.arange(64)[None, :]])
        """,
    ),
    (
        "err_leading_dimension_of_tensor_must_be_partition",
        "NKI107",
        "t = nl.exp(⟦nl.zeros((4, nl.par_dim(128), 8), dtype=nl.float32, buffer=nl.sbuf)⟧)",
        "t = nl.exp(nl.zeros((nl.par_dim(128), 4, 8), dtype=nl.float32, buffer=nl.sbuf))",
    ),
    (
        "err_nki_api_outside_of_nki_kernel",
        "NKI805",
        "def host():\n    return ⟦nl.zeros((128, 4), dtype=nl.float32, buffer=nl.sbuf)⟧\n\nhost()",
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (128, 4)
            t = nl.load(a)
            output = nl.ndarray((128, 4), dtype=a.dtype, buffer=nl.shared_hbm)
            nl.store(output, value=t)
            return output

        kernel(np.zeros((128, 4), dtype=np.float32))
        """,
    ),
    (
        "err_num_partition_exceed_arch_limit",
        "NKI101",
        "t = ⟦nl.zeros((192, 64), dtype=nl.float32, buffer=nl.sbuf)⟧",
        "t = nl.zeros((96, 64), dtype=nl.float32, buffer=nl.sbuf)",
    ),
    (
        "err_num_partition_mismatch",
        "NKI203",
        "t = nisa.tensor_tensor(x, ⟦y[0:1, 0:512]⟧, op=nl.add)",
        "t = nisa.tensor_tensor(x, y[0:1, 0:512].broadcast_to((128, 512)), op=nl.add)",
    ),
    (
        "err_size_of_dimension_exceed_arch_limit",
        "NKI102",
        "t = nl.transpose(⟦x⟧)",
        "t = nl.transpose(x[0:128, 0:128])",
    ),
    (
        "err_store_dst_shape_smaller_than_other_shape",
        "NKI204",
        "narrow = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n⟦narrow[...]⟧ = x",
        "narrow = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)\nx[...] = narrow",
    ),
    (
        "err_tensor_access_out_of_bound",
        "NKI301",
        """
        for i in nl.affine_range((500 + 128 - 1) // 128):
            tile = nl.mgrid[0:128, 0:128]
            nl.store(⟦output[tile.p, i * 128 + 1 + tile.x]⟧, value=0)
        """,
        """
        for i in nl.affine_range((500 + 128 - 1) // 128):
            tile = nl.mgrid[0:128, 0:128]
            nl.store(output[tile.p, i * 128 + 1 + tile.x], value=0, mask=i * 128 + 1 + tile.x < 500)
        """,
    ),
    (
        "err_unsupported_memory",
        "NKI201",
        "t = nl.load(⟦x⟧)",
        "t = nl.copy(x)",
    ),
    (
        "err_unsupported_memory",
        "NKI201",
        "t = nl.exp(⟦a[0:128, 0:512]⟧)",
        "t = nl.exp(nl.load(a[0:128, 0:512]))",
    ),
    (
        "err_unsupported_mixing_basic_advanced_tensor_indexing",
        "NKI303",
        "rows = nl.arange(128)[:, None]\nt = nl.exp(⟦x[rows, :]⟧)",
        "rows = nl.arange(128)[:, None]\nt = nl.exp(x[rows, nl.arange(512)[None, :]])",
    ),
    (
        "err_unexpected_output_dependencies",
        "NKI602",
        """
        for i in nl.affine_range(4):
            t = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
            ⟦nl.store(output[0:128, 0:512], value=t)⟧
        """,
        """
        for i in nl.affine_range(4):
            t = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
            nl.store(output[i * 128 : (i + 1) * 128, 0:512], value=t)
        """,
    ),
    (
        "err_unexpected_output_dependencies",
        "NKI603",
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (128, 512) and nl.num_programs(0) == 4
            output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            ⟦nl.store(output, value=nl.add(nl.load(a), nl.program_id(0)))⟧
            return output
        """,
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (128, 512) and nl.num_programs(0) == 4
            output = nl.ndarray((4, 128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            nl.store(output[nl.program_id(0)], value=nl.load(a))
            return output
        """,
    ),
    (
        "err_tensor_output_not_written_to",
        "NKI702",
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (100, 512)
            output = nl.ndarray((100, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            for i in nl.affine_range(a.shape[0] // 128):
                nl.store(output[i * 128 : (i + 1) * 128, :], value=nl.load(a[i * 128 : (i + 1) * 128, :]))
            ⟦return output⟧
        """,
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (100, 512)
            output = nl.ndarray((100, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            p, j = nl.mgrid[0:128, 0:512]
            for i in nl.affine_range(math.ceil(a.shape[0] / 128)):
                inside = i * 128 + p < a.shape[0]
                nl.store(output[i * 128 + p, j], value=nl.load(a[i * 128 + p, j], mask=inside), mask=inside)
            return output
        """,
    ),
    (
        "err_tensor_output_not_written_to",
        "NKI703",
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (200, 512)
            output = nl.ndarray((200, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            for i in nl.affine_range(a.shape[0] // 128):
                nl.store(output[i * 128 : (i + 1) * 128, :], value=nl.load(a[i * 128 : (i + 1) * 128, :]))
            ⟦return output⟧
        """,
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (200, 512)
            output = nl.ndarray((200, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            for i in nl.affine_range(a.shape[0] // 100):
                nl.store(output[i * 100 : (i + 1) * 100, :], value=nl.load(a[i * 100 : (i + 1) * 100, :]))
            return output
        """,
    ),
    (
        "err_local_variable_used_out_of_scope",
        "NKI704",
        """
        for i in nl.affine_range(4):
            t = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
        ⟦nl.store(output[0:128, 0:512], value=t)⟧
        """,
        """
        for i in nl.affine_range(4):
            t = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
            nl.store(output[i * 128 : (i + 1) * 128, 0:512], value=t)
        """,
    ),
    (
        "err_local_variable_used_out_of_scope",
        "NKI705",
        """
        t = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        for i in nl.sequential_range(4):
            ⟦t = nl.add(t, nl.load(a[i * 128 : (i + 1) * 128, 0:512]))⟧
        nl.store(output[0:128, 0:512], value=t)
        """,
        """
        t = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        for i in nl.sequential_range(4):
            t[...] = nl.add(t, nl.load(a[i * 128 : (i + 1) * 128, 0:512]))
        nl.store(output[0:128, 0:512], value=t)
        """,
    ),
    (
        "err_shared_hbm_must_in_kernel_level",
        "NKI706",
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (128, 512)
            output = nl.ndarray((2, 128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            for i in range(2):
                between = ⟦nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)⟧
                nl.store(between, value=nl.load(a))
                nl.store(output[i], value=nl.load(between))
            return output
        """,
        """
        @nki.jit
        def kernel(a):
            assert a.shape == (128, 512)
            output = nl.ndarray((2, 128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            between = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            nl.store(between, value=nl.load(a))
            for i in range(2):
                nl.store(output[i], value=nl.load(between))
            return output
        """,
    ),
    (
        "err_dynamic_control_flow_not_supported",
        "NKI801",
        "flag = nl.load(a[0:1, 0:1])\nif ⟦flag⟧:\n    nl.store(output[0:128, 0:512], value=x)",
        "flag = a.shape[0] > 256\nif flag:\n    nl.store(output[0:128, 0:512], value=x)",
    ),
    (
        "err_control_flow_condition_depending_on_arange",
        "NKI802",
        "i, j = nl.mgrid[0:128, 0:512]\nif ⟦j > 255⟧:\n    nl.store(output[i, j], value=x)",
        "i, j = nl.mgrid[0:128, 0:512]\nnl.store(output[i, j], value=x, mask=j > 255)",
    ),
    (
        "err_nested_kernel_with_spmd_grid",
        "NKI804",
        """
        @nki.trace
        def doubled(tile):
            return nl.multiply(tile, 2.0)

        @nki.jit
        def kernel(a):
            assert a.shape == (128, 512)
            output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            nl.store(output, value=⟦doubled[2](nl.load(a))⟧)
            return output
        """,
        """
        @nki.trace
        def doubled(tile):
            return nl.multiply(tile, 2.0)

        @nki.jit
        def kernel(a):
            assert a.shape == (128, 512)
            output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            nl.store(output, value=doubled(nl.load(a)))
            return output
        """,
    ),
]


@pytest.mark.parametrize(
    ("name", "code", "failing", "corrected"), ERRORS, ids=[e[0].removeprefix("err_") for e in ERRORS]
)
def test_documented_error(name: str, code: str, failing: str, corrected: str) -> None:
    check(failing, code, dialect=BETA1)
    check(corrected, dialect=BETA1)


def test_every_documented_error_of_these_families_has_its_kernels() -> None:
    documented = {
        name
        for rule in rules().values()
        if rule.code.startswith(FAMILIES)
        for name in rule.aws
        if name.startswith("err_")
    }
    assert documented <= {name for name, *_ in ERRORS}
