"""The names on the index pages of the documentation, written out: a new operation gets its name here."""

from __future__ import annotations

from nkilint_rules.words.dialects import BETA1, NKI

# The index page and the classes of `nki.isa`, of Beta 1 (SDK 2.20 to 2.26) and of 0.x (up to 0.6).
BETA1_ISA = """
nc_matmul nc_transpose activation activation_reduce tensor_reduce tensor_partition_reduce tensor_tensor
tensor_tensor_scan scalar_tensor_tensor tensor_scalar tensor_scalar_reduce tensor_copy tensor_copy_dynamic_src
tensor_copy_dynamic_dst tensor_copy_predicated reciprocal iota dropout affine_select range_select select_reduce
sequence_bounds memset bn_stats bn_aggr local_gather dma_copy dma_transpose max8 nc_find_index8 nc_match_replace8
nc_stream_shuffle builtin_custom_op attention_kernel attention_kernel_cache engine reduce_cmd dge_mode oob_mode
nc_version get_nc_version tensor_engine vector_engine scalar_engine gpsimd_engine dma_engine unknown_engine fp32.min
"""
NKI_ISA = """
nc_matmul nc_matmul_mx nc_transpose activation activation_reduce activate2 tensor_reduce tensor_partition_reduce
tensor_tensor tensor_tensor_scan scalar_tensor_tensor tensor_scalar tensor_scalar_reduce tensor_scalar_cumulative
tensor_copy tensor_copy_predicated tensor_copy_dynamic_src tensor_copy_dynamic_dst exponential reciprocal quantize_mx
iota dropout affine_select range_select select_reduce sequence_bounds memset bn_stats bn_aggr local_gather nc_n_gather
dma_copy dma_transpose dma_compute max8 nc_find_index8 nc_match_replace8 nc_stream_shuffle register_alloc register_load
register_move register_store core_barrier sendrecv rng rand2 rand_set_state rand_get_state set_rng_seed
nonzero_with_count topk engine dma_engine reduce_cmd dge_mode oob_mode matmul_perf_mode nc_version get_nc_version
get_nc_sub_version VirtualRegister NkiInstruction NkiValidationError tensor_engine vector_engine scalar_engine
gpsimd_engine unknown_engine
"""

BETA1_LANGUAGE = """
load store load_transpose2d atomic_rmw copy broadcast_to
ndarray empty_like zeros zeros_like ones full rand random_seed shared_constant shared_identity_matrix
add subtract multiply divide power maximum minimum max min mean var sum prod all abs negative sign trunc floor ceil mod
fmod exp log cos sin tan tanh arctan sqrt rsqrt sigmoid relu gelu gelu_dx gelu_apprx_tanh gelu_apprx_sigmoid silu
silu_dx erf erf_dx softplus mish square softmax rms_norm dropout matmul transpose reciprocal
bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
equal not_equal greater greater_equal less less_equal logical_and logical_or logical_xor logical_not
ds arange mgrid expand_dims where gather_flattened all_reduce static_range affine_range sequential_range
par_dim psum sbuf hbm private_hbm shared_hbm program_id num_programs program_ndim spmd_dim nc device_print loop_reduce
tfloat32 float32 bfloat16 float16 float8_e4m3 float8_e5m2 int32 uint32 int16 uint16 int8 uint8 bool_ tile_size fp32
finfo static_cast gemm_grid gemm_stationary_grid bfp16 fp32.min bfp16.min
tile_size.pmax tile_size.psum_fmax tile_size.gemm_stationary_fmax tile_size.gemm_moving_fmax tile_size.bn_stats_fmax
tile_size.psum_min_align tile_size.sbuf_min_align tile_size.total_available_sbuf_size
"""
BETA1_COMPILER = """
sbuf.alloc sbuf.mod_alloc sbuf.auto_alloc psum.alloc psum.mod_alloc psum.auto_alloc sbuf psum
skip_middle_end_transformations enable_stack_allocator force_auto_alloc no_reorder multi_buffer allocation_scope
"""
BETA1_NKI = "jit benchmark profile baremetal simulate_kernel trace tensor FrameworkKernel typing.tensor"
BETA1_TENSOR = "assert_shape astype broadcast_to dtype expand_dims itemsize ndim reshape shape view"

NKI_LANGUAGE = """
ndarray zeros ones full zeros_like empty_like shared_constant shared_identity_matrix rand random_seed
load load_transpose2d store copy matmul transpose
abs abs_max abs_min add arctan ceil cos divide exp floor log maximum minimum multiply negative power reciprocal rsqrt
sign sin sqrt square subtract tan tanh trunc mod fmod
relu sigmoid silu silu_dx gelu gelu_dx gelu_apprx_sigmoid gelu_apprx_sigmoid_dx gelu_apprx_tanh mish softplus softmax
erf erf_dx dropout rms_norm all max mean min prod sum var
equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not
bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
broadcast_to ds expand_dims where gather_flattened affine_range dynamic_range sequential_range static_range
fori_loop while_loop psum sbuf hbm private_hbm shared_hbm is_psum is_sbuf is_hbm is_on_chip
device_print no_reorder program_id num_programs program_ndim
bool_ int8 int16 int32 uint8 uint16 uint32 float16 float32 bfloat16 tfloat32 float8_e4m3 float8_e5m2 float8_e4m3fn
float8_e8m0fnu float8_e5m2_x4 float8_e4m3fn_x4 float4_e2m1fn_x4 tile_size prelu bypass average
NkiTensor NKIObject MemoryRegion MemoryRegion.sbuf MemoryRegion.psum MemoryRegion.private_hbm MemoryRegion.shared_hbm
tile_size.pmax tile_size.psum_fmax tile_size.psum_bank_fmax tile_size.psum_bank_fmax_bytes tile_size.psum_num_banks
tile_size.sbuf_size_bytes tile_size.sbuf_fmax tile_size.sbuf_fmax_bytes tile_size.gemm_stationary_fmax
tile_size.gemm_moving_fmax tile_size.bn_stats_fmax tile_size.psum_min_align tile_size.sbuf_min_align
tile_size.total_available_sbuf_size
"""
NKI_COLLECTIVES = """
all_reduce all_gather all_gather_v reduce_scatter all_to_all all_to_all_v collective_permute
collective_permute_implicit collective_permute_implicit_reduce collective_permute_implicit_current_processing_rank_id
rank_id ReplicaGroup
"""
NKI_NKI = "jit simulate typing.tensor typing.mutable_tensor"
NKI_TENSOR = """
shape strides offset name dtype buffer ndim size is_contiguous get_pattern is_indirect permute broadcast expand_dim
squeeze_dim reshape_dim flatten_dims reshape rearrange slice select vector_select ap view reinterpret_cast indirect
is_identity __getitem__ __setitem__ sim_value device_value
"""

LEFT_OUT = {
    (NKI, "tensor.__getitem__"): "indexing is syntax",
    (NKI, "tensor.__setitem__"): "indexing is syntax",
    (NKI, "tensor.sim_value"): "data of a simulation, outside a kernel; 0.4 alone",
    (NKI, "tensor.device_value"): "data of a device dump, outside a kernel; 0.4 alone",
}
"""Documented names that are no operation, and why."""

DOCUMENTED = [
    (dialect, prefix + name)
    for dialect, prefix, names in (
        (BETA1, "isa.", BETA1_ISA),
        (NKI, "isa.", NKI_ISA),
        (BETA1, "language.", BETA1_LANGUAGE),
        (BETA1, "compiler.", BETA1_COMPILER),
        (BETA1, "", BETA1_NKI),
        (BETA1, "tensor.", BETA1_TENSOR),
        (NKI, "language.", NKI_LANGUAGE),
        (NKI, "collectives.", NKI_COLLECTIVES),
        (NKI, "", NKI_NKI),
        (NKI, "tensor.", NKI_TENSOR),
        (NKI, "instruction.", "depends_on"),
    )
    for name in names.split()
]

ELSEWHERE = {
    (BETA1, "isa.tensor_scalar_cumulative"): "AWS's own example calls it in Beta 1",
    (BETA1, "language.constants.sizeinbytes"): "a kernel of nki-samples calls it",
    (BETA1, "typing.mutable_tensor"): "kernels of nki-samples have it",
    (BETA1, "typing.scalar"): "kernels of nki-samples have it",
}
"""Operations that are on no index page, and where they are seen."""
