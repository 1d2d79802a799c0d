from collections.abc import Iterator

from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI
from ..words.shapes import axes_of
from ..words.tiles import Tile

_INDICES = {"select": ("index",), "vector_select": ("vector_offset",), "ap": ("scalar_offset", "vector_offset")}


class IndirectIndex(Rule):
    """An index that only the running kernel knows stands where the hardware takes none.

    ## What it does
    Follows indices that are read from tiles. In Beta 1 `nl.load`, `nl.store` and `nisa.dma_copy` take them on the
    partition axis or on a block axis, built from `nl.arange`; `nisa.tensor_copy_dynamic_src` and
    `tensor_copy_dynamic_dst` take them on the free axes; everything else, an assignment between tiles included, takes
    none. In 0.x `vector_select` takes them on axis 0 of a tensor in HBM, and `select` on any axis but the partition
    axis of a tile; what was selected by one is not selected from by another one.

    ## Why is this bad?
    An engine's addresses are the same in every partition and are fixed when the kernel is compiled. Only the DMA
    engines and the dynamic copies read addresses while they run. The compiler stops with an error.

    ## How to fix
    Copy the selected part with one of the operations above, and compute on the copy.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_indirect_indices_free_dim`,
    `err_copy_dynamic_indirect_indices_not_natively_supported`), `nki_known_issues.rst`. 0.x: `api/nki/language`
    (`NkiTensor.select`, `vector_select`, `is_indirect`).
    """

    code = "NKI306"

    @wording
    def message(self, index: object, operation: object, where: object) -> str:
        return f"`{index}` is known only at run time; `{operation}` takes such an index only on {where}"

    @wording
    def none(self, index: object, operation: object) -> str:
        return f"`{index}` is known only at run time; {operation} takes no such index"

    @wording
    def mgrid(self, index: object) -> str:
        return f"`{index}` is known only at run time; beside it indices come from `nl.arange`, not `nl.mgrid`"

    @wording
    def again(self, index: object, operation: object) -> str:
        return f"`{index}` is known only at run time, as is where `self` begins; `{operation}` takes no such view"

    help = "copy the selected part with a DMA or a dynamic copy first"
    aws = ("err_indirect_indices_free_dim", "err_copy_dynamic_indirect_indices_not_natively_supported")
    dynamic = True
    judges_calls = True
    ops = tuple(f"tensor.{name}" for name in _INDICES)
    invalid = [
        Example(
            """
            places = nisa.iota(2 * nl.arange(64)[None, :], dtype=nl.int32)
            i = nl.arange(128)[:, None]
            r = nl.load(⟦a[i, places]⟧)
            """,
            message="`places` is known only at run time; `load` takes such an index only on "
            "the partition or a block axis",
        ),
        Example(
            """
            places = nisa.iota(2 * nl.arange(64)[:, None], dtype=nl.int32)
            i, j = nl.mgrid[0:64, 0:512]
            r = nl.load(⟦a[places[i, 0], j]⟧)
            """,
            message="`places[i, 0]` is known only at run time; beside it indices come from `nl.arange`, not `nl.mgrid`",
        ),
        Example(
            """
            place = nl.load(c[0:1, 0:1], dtype=nl.int32)
            i = nl.arange(128)[:, None]
            j = nl.arange(4)[None, :]
            r = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            r[i, j] = ⟦x[i, place[0, 0] + j]⟧
            """,
            message="`place[0, 0] + j` is known only at run time; an assignment takes no such index",
        ),
        Example(
            """
            place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(dst=place, value=3)
            nisa.tensor_copy(dst=y[0:1, 0:512], src=⟦x.select(0, place)⟧)
            """,
            message="`place` is known only at run time; `select` takes such an index only on a free axis",
            dialect=NKI,
        ),
        Example(
            """
            places = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.iota(places, [[1, 1]], 0, 1)
            nisa.dma_copy(dst=y, src=a.vector_select(1, ⟦places⟧))
            """,
            message="`vector_offset` is known only at run time; `vector_select` takes such an index only on axis 0",
            dialect=NKI,
        ),
        Example(
            """
            place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(dst=place, value=3)
            row = a.select(0, place)
            nisa.dma_copy(dst=y[0:1, 0:1], src=row.select(0, ⟦place⟧))
            """,
            message="`index` is known only at run time, as is where `self` begins; `select` takes no such view",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            places = nisa.iota(2 * nl.arange(64)[:, None], dtype=nl.int32)
            j = nl.arange(512)[None, :]
            r = nl.load(a[places, j])
            """
        ),
        Example(
            """
            place = nl.load(c[0:1, 0:1], dtype=nl.int32)
            i = nl.arange(128)[:, None]
            j = nl.arange(4)[None, :]
            r = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            r[i, j] = nisa.tensor_copy_dynamic_src(x[i, place[0, 0] + j])
            """
        ),
        Example(
            """
            place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(dst=place, value=3)
            nisa.dma_copy(dst=y[0:1, 0:512], src=a.select(0, place))
            """,
            dialect=NKI,
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        if call.operation.leaf == "vector_select":
            said = self.message(index="vector_offset", operation=call.operation.leaf, where="axis 0")
            yield Need(axes_of(call.dim, call.self.rank) == (0,), "vector_offset", said)
        for name in _INDICES[call.operation.leaf]:
            if isinstance(call.get(name), Tile):
                yield Need(not call.self.indirect, name, self.again(index=name, operation=call.operation.leaf))
