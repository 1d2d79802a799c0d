from ..rule import Example, Rule, wording
from ..words.dialects import NKI

BEGINS = "begins at 0 there"


class OutOfBounds(Rule):
    """An access reaches outside its tensor.

    ## What it does
    Proves, for every access to a tensor, that each index stays within the size of its axis: over all iterations of the
    loops around it, for all programs of the launch grid, and for the elements that its mask lets through. A slice that
    ends beyond the tensor is reported too, although Python would cut it short, and so is one that ends before it
    begins: computed bounds that become negative would count from the end. In `.ap(...)` the pattern as a whole is
    compared with the number of elements that the tensor has, and on chip what it takes of one partition with those of
    a partition. Lists that kernels keep tensors in have their items counted, too, and so have tuples. An index that is
    held in a tile is judged by what the tile holds, where constants, `nisa.iota` and arithmetic with constants tell,
    and is taken to be in bounds otherwise; the kernel's report says so. What goes along with it has to be in bounds
    where the index is 0.

    ## Why is this bad?
    Where the indices are known at compile time, the compiler stops with an error. Where they are only known on the
    device, the kernel fails while it runs, or touches the neighbouring tensor. The usual cause is a loop over tiles of
    a fixed size, on a tensor whose size is not a multiple of it.

    ## How to fix
    Pass `mask=` with the real size (Beta 1), end the last slice at `min(...)` of the real size (0.x), or assert the
    divisibility that the kernel relies on.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_tensor_access_out_of_bound`), `programming_model.rst` (Tensor Indexing).
    0.x: `migration/index.rst` (Deprecation of masking), `api/nki/language` (`NkiTensor.slice`, `select`),
    `deep-dives/nki-aps.rst`.
    """

    code = "NKI301"

    @wording
    def message(self, index: object, reach: object, axis: object, tensor: object, size: object) -> str:
        end = BEGINS if isinstance(reach, int) and reach < 0 else f"has size {size} there"
        return f"index `{index}` reaches {reach} on axis {axis}; `{tensor}` {end}"

    @wording
    def backwards(self, index: object, begins: object, ends: object) -> str:
        return f"slice `{index}` begins at {begins} and ends before that, at {ends}"

    @wording
    def item(self, index: object, reach: object, tensor: object, size: object) -> str:
        return f"index `{index}` is {reach}; `{tensor}` has {size} items"

    @wording
    def pattern(self, index: object, reach: object, tensor: object, size: object) -> str:
        return f"pattern `{index}` reaches element {reach}; `{tensor}` has {size}"

    @wording
    def row(self, index: object, reach: object, tensor: object, size: object) -> str:
        return f"pattern `{index}` reaches element {reach} of a partition; `{tensor}` has {size} in each"

    @wording
    def added(self, index: object, reach: object, tensor: object, size: object) -> str:
        return f"`{index}` reaches element {reach} before its run-time offset is added; `{tensor}` has {size}"

    @wording
    def gathered(self, indices: object, reach: object, tensor: object, size: object) -> str:
        return f"`{indices}` holds {reach}; a partition of `{tensor}` has {size} elements"

    @wording
    def known_at_run_time(self, index: object, axis: object, size: object) -> str:
        return f"dynamic index {index} is out of bounds for axis {axis} with size {size}"

    @staticmethod
    def would_count_from_the_end(message: str) -> bool:
        """Whether it speaks of an index that Python counts from the end of the axis."""
        return BEGINS in message

    help = "mask or shorten the last tile, or assert what the sizes have to be"
    aws = ("err_tensor_access_out_of_bound",)
    dynamic = True
    gathering = ("isa.nc_n_gather", "language.gather_flattened")
    """Operations whose indices count the elements of a partition."""
    exception = IndexError
    before = ("NKI204",)
    invalid = [
        Example(
            "r = nl.load(⟦a[0:128, 0:513]⟧)",
            message="index `0:513` reaches 512 on axis 1; `a` has size 512 there",
        ),
        Example(
            """
            i = nl.arange(128)[:, None]
            j = nl.arange(512)[None, :]
            for k in nl.affine_range(5):
                nl.store(⟦output[k * 128 + i, j]⟧, value=x)
            """,
            message="index `k * 128 + i` reaches 639 on axis 0; `output` has size 512 there",
        ),
        Example(
            """
            i = nl.arange(128)[:, None]
            j = nl.arange(512)[None, :]
            r = nl.load(⟦a[i, j - 1]⟧)
            """,
            message="index `j - 1` reaches -1 on axis 1; `a` begins at 0 there",
        ),
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            for k in nl.affine_range(2):
                r = nl.load(⟦a[i, k * 300 + j]⟧, mask=k * 300 + j <= 512)
            """,
            message="index `k * 300 + j` reaches 512 on axis 1; `a` has size 512 there",
        ),
        Example(
            """
            for k in range(5):
                nisa.dma_copy(dst=x, src=⟦a[k * 128 : (k + 1) * 128, 0:512]⟧)
            """,
            message="index `k * 128 : (k + 1) * 128` reaches 639 on axis 0; `a` has size 512 there",
            dialect=NKI,
        ),
        Example(
            """
            for k in range(3):
                nisa.memset(dst=x[:, ⟦k * 128 : min(k * 128 + 128, 200)⟧], value=0.0)
            """,
            message="slice `k * 128 : min(k * 128 + 128, 200)` begins at 256 and ends before that, at 200",
            dialect=NKI,
        ),
        Example(
            "nisa.tensor_copy(dst=x, src=⟦y.ap(pattern=[[512, 128], [1, 512]], offset=1)⟧)",
            message="pattern `[[512, 128], [1, 512]]` reaches element 65536; `y` has 65536",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                for k in nl.affine_range((source.shape[0] + 127) // 128):
                    i, j = nl.mgrid[0:128, 0:512]
                    tile = nl.load(⟦source[k * 128 + i, j]⟧)
                    nl.store(output[k * 128 + i, j], value=tile)
                return output
            """,
            precondition="M % 128 == 0",
        ),
    ]
    valid = [
        Example("r = nl.load(a[0:128, 0:512])"),
        Example(
            """
            i = nl.arange(128)[:, None]
            j = nl.arange(512)[None, :]
            for k in nl.affine_range(4):
                nl.store(output[k * 128 + i, j], value=x)
            """
        ),
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            for k in nl.affine_range(2):
                r = nl.load(a[i, k * 300 + j], mask=k * 300 + j < 512)
            """
        ),
        Example(
            """
            for k in range(4):
                nisa.dma_copy(dst=x, src=a[k * 128 : (k + 1) * 128, 0:512])
            """,
            dialect=NKI,
        ),
        Example("nisa.tensor_copy(dst=x, src=y.ap(pattern=[[512, 128], [1, 512]]))", dialect=NKI),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                for k in nl.affine_range((source.shape[0] + 127) // 128):
                    i, j = nl.mgrid[0:128, 0:512]
                    inside = k * 128 + i < source.shape[0]
                    tile = nl.load(source[k * 128 + i, j], mask=inside)
                    nl.store(output[k * 128 + i, j], value=tile, mask=inside)
                return output
            """
        ),
    ]
