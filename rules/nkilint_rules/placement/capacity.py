from collections.abc import Sequence
from typing import Protocol, TypeVar

from ..placing.shares import QUARTERS, Alive, Held, bytes_of_each, capacity, quarters, total
from ..rule import Example, Need, Rule, wording
from ..words.conditions import ceil_div
from ..words.dialects import BETA1, NKI
from ..words.memory import MEMORY_NAMES
from ..words.targets import Target

SHOWN = 6  # tensors named in a finding


class Named(Alive, Protocol):
    """A tile, and the variable that it was assigned to, if any."""

    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


class Capacity(Rule):
    """More data is there at once than SBUF or PSUM holds.

    ## What it does
    Requires that each tile fits into its memory, and that all tiles that one instruction takes and makes do together.
    Sizes that inputs choose count as little as they can be.

    Beyond that it advises: it adds up, for each statement of a kernel, the tensors that were written before it and are
    read after it, and compares the largest sum with the memory of the target. Only what surely is there at the same
    time is counted. A kernel that places its tensors itself is not looked at: there, a tile beyond the memory (NKI402)
    and tiles that overwrite each other (NKI501) are reported.

    ## Why is this bad?
    No allocator can place the tiles of one instruction: the compiler stops. Where several statements need too much, it
    has to move data to HBM and back, which costs time, or gives up.

    ## How to fix
    Use data up before the next tensors are filled, load it in smaller pieces, or keep it in a narrower dtype.

    ## Source
    Beta 1 and 0.x: `trainium_inferentia2_arch.rst`, `trainium2_arch.rst`, `trainium3_arch.rst` (sizes of the memories).
    """

    code = "NKI410"
    dialects = (BETA1, NKI)
    advice = ("message",)

    @wording
    def message(self, who: object, bytes: object, memory: object, target: object, capacity: object) -> str:
        return f"{who} {bytes} bytes of each partition at once; {memory} of {target} has {capacity}"

    @wording
    def tile(self, bytes: object, memory: object, target: object, capacity: object) -> str:
        return f"a tile takes {bytes} bytes of each partition; {memory} of {target} has {capacity}"

    @wording
    def instruction(
        self, operation: object, tiles: object, bytes: object, memory: object, target: object, capacity: object
    ) -> str:
        holds = f"`{operation}` holds {tiles} tiles at once, {bytes} bytes of each partition"
        return f"{holds}; {memory} of {target} has {capacity}"

    help = "use some of them up before the others are filled, or load smaller pieces"
    aws = ("GCA046",)
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: first: float32[128, 24576], second: float32[128, 24576], third: float32[128, 24576]
            @nki.jit
            def kernel(first, second, third):
                output = nl.ndarray((3, 128, 24576), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.load(first)
                y = nl.load(second)
                z = ⟦nl.load(third)⟧
                nl.store(output[0], value=x)
                nl.store(output[1], value=y)
                nl.store(output[2], value=z)
                return output
            """,
            message="3 tensors need 294912 bytes of each partition at once; SBUF of trn2 has 229376",
        ),
        Example(
            """
            # nkilint: left: float32[128, 32768], right: float32[128, 32768]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.load(left)
                y = nl.load(right)
                nl.store(output, value=⟦nl.add(x, y)⟧)
                return output
            """,
            message="`add` holds 3 tiles at once, 393216 bytes of each partition; SBUF of trn2 has 229376",
        ),
        Example(
            """
            # nkilint: left: float32[128, 28673], right: float32[128, 28673]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 28673), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 28673), dtype=nl.float32, buffer=nl.sbuf)
                y = nl.ndarray((128, 28673), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=left)
                nisa.dma_copy(dst=y, src=right)
                ⟦nisa.tensor_tensor(dst=y, data1=x, data2=y, op=nl.add)⟧
                nisa.dma_copy(dst=output, src=y)
                return output
            """,
            message="`tensor_tensor` holds 2 tiles at once, 229384 bytes of each partition; SBUF of trn2 has 229376",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 57345]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 57345), dtype=nl.float32, buffer=nl.shared_hbm)
                x = ⟦nl.ndarray((128, 57345), dtype=nl.float32, buffer=nl.sbuf)⟧
                nisa.dma_copy(dst=x, src=source)
                nisa.dma_copy(dst=output, src=x)
                return output
            """,
            message="a tile takes 229380 bytes of each partition; SBUF of trn2 has 229376",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: left: float32[128, 28672], right: float32[128, 28672]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 28672), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 28672), dtype=nl.float32, buffer=nl.sbuf)
                y = nl.ndarray((128, 28672), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=left)
                nisa.dma_copy(dst=y, src=right)
                nisa.tensor_tensor(dst=y, data1=x, data2=y, op=nl.add)
                nisa.dma_copy(dst=output, src=y)
                return output
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: left: float32[128, 32768], right: float32[128, 32768]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in nl.affine_range(64):
                    x = nl.load(left[0:128, nl.ds(i * 512, 512)])
                    y = nl.load(right[0:128, nl.ds(i * 512, 512)])
                    nl.store(output[0:128, nl.ds(i * 512, 512)], value=nl.add(x, y))
                return output
            """
        ),
        Example(
            """
            # nkilint: left: float32[128, 32768], right: float32[128, 32768]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in range(64):
                    x = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                    y = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                    nisa.dma_copy(dst=x, src=left[0:128, i * 512 : (i + 1) * 512])
                    nisa.dma_copy(dst=y, src=right[0:128, i * 512 : (i + 1) * 512])
                    nisa.tensor_tensor(dst=y, data1=x, data2=y, op=nl.add)
                    nisa.dma_copy(dst=output[0:128, i * 512 : (i + 1) * 512], src=y)
                return output
            """,
            dialect=NKI,
        ),
    ]

    def check_tile(self, tile: Held, memory: str, target: Target) -> Need:
        """A tile fits into its memory."""
        most = capacity(memory, target)
        said = self.tile(bytes=tile.bytes, memory=MEMORY_NAMES[memory], target=target, capacity=most)
        return Need(tile.bytes <= most, None, said)

    def check_instruction(self, operation: str, tiles: Sequence[Held], memory: str, target: Target) -> Need:
        """What an instruction takes and makes fits into the memory together."""
        most, needed = capacity(memory, target), bytes_of_each(tiles)
        said = self.instruction(
            operation=operation, tiles=len(tiles), bytes=needed, memory=MEMORY_NAMES[memory], target=target,
            capacity=most,
        )  # fmt: skip
        return Need(quarters(tiles) <= QUARTERS * most, None, said)

    def check_together(self, tiles: Sequence[Alive], memory: str, target: Target) -> Need:
        """What holds data at the same time fits into the memory."""
        most, needed = capacity(memory, target), total(tiles)
        said = self.message(
            who="1 tensor needs" if len(tiles) == 1 else f"{len(tiles)} tensors need",
            bytes=ceil_div(needed, target.pmax), memory=MEMORY_NAMES[memory], target=target, capacity=most,
        )  # fmt: skip
        return Need(needed <= most * target.pmax, None, said)

    @staticmethod
    def largest(tiles: Sequence[N], target: Target) -> list[tuple[str, N]]:
        """The tiles to name, of those that hold data at the same time, each with what it takes."""
        return [(f"`{t.name or 'a result'}` takes {ceil_div(t.area, target.pmax)} bytes", t) for t in tiles[:SHOWN]]
