from collections.abc import Iterator

from ..needs import new_tiles, on_chip, shape_text
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.conditions import any_of, product
from ..words.dialects import BETA1, NKI
from ..words.memory import PSUM
from ..words.tiles import Tile


class PsumBankLimit(Rule):
    """A PSUM tile is larger than what a tile may take of a partition.

    ## What it does
    Compares the bytes that a new PSUM tile takes in each partition with a bank, 2 KiB, in Beta 1, where every block of
    a tensor is a tile of its own. In 0.x, whose tensors may span banks as long as each matmul writes to one, with the
    whole partition, 16 KiB; there, of a matmul that writes to a part of such a tensor, it looks at the first and the
    last byte. On trn3 a matmul may write to several banks.

    ## Why is this bad?
    A bank is what the Tensor Engine accumulates in: 512 floats in each of 128 partitions. Beyond the partition the
    compiler stops with an error. Tiles of several banks have run on devices (`docs/readings.md`): of these it warns.

    ## How to fix
    Make one tile for each bank, and split the free dimension among them.

    ## Source
    Beta 1: `programming_model.rst` (Tile size considerations, TC#2), `arch/trainium_inferentia2_arch.rst`
    (Near-memory accumulation in PSUM). 0.x: `get-started/about/tiling-overview.rst`, `migration/index.rst` (Improved
    allocation API).
    """

    code = "NKI104"

    @wording
    def message(self, shape: object, bytes: object, target: object, limit: object) -> str:
        return f"PSUM tile {shape} takes {bytes} bytes in each partition; a partition of {target} has {limit}"

    @wording
    def bank(self, shape: object, bytes: object, target: object, limit: object) -> str:
        return f"PSUM tile {shape} takes {bytes} bytes in each partition; a bank of {target} has {limit}"

    @wording
    def across(self, first: object, end: object, target: object, limit: object) -> str:
        return f"the product goes to bytes {first} to {end} of `dst`, across banks; one of {target} has {limit}"

    help = "split the free dimension over several tiles of one bank each"
    dynamic = True
    unenforced = ("bank",)
    judges_calls = True
    invalid = [
        Example(
            "t = ⟦nl.zeros((128, 513), dtype=nl.float32, buffer=nl.psum)⟧",
            message="PSUM tile [128, 513] takes 2052 bytes in each partition; a bank of trn2 has 2048 "
            "(documented, not enforced)",
        ),
        Example(
            "t = ⟦nl.ndarray((2, nl.par_dim(128), 2, 513), dtype=nl.bfloat16, buffer=nl.psum)⟧",
            message="PSUM tile [128, 2, 513] takes 2052 bytes in each partition; a bank of trn2 has 2048 "
            "(documented, not enforced)",
        ),
        Example(
            "t = ⟦nl.ndarray((128, 4097), dtype=nl.float32, buffer=nl.psum)⟧",
            message="PSUM tile [128, 4097] takes 16388 bytes in each partition; a partition of trn2 has 16384",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, N]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, source.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
                total = ⟦nl.zeros((128, source.shape[1]), dtype=nl.float32, buffer=nl.psum)⟧
                nl.store(output, value=nl.copy(total))
                return output
            """,
            precondition="N <= 512",
        ),
        Example(
            """
            t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=⟦t[:, 256:768]⟧, stationary=w, moving=x)
            """,
            message="the product goes to bytes 1024 to 3072 of `dst`, across banks; one of trn2 has 2048",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("t = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)"),
        Example("t = nl.ndarray((8, nl.par_dim(128), 2, 512), dtype=nl.bfloat16, buffer=nl.psum)"),
        Example("t = nl.zeros((128, 4096), dtype=nl.float32, buffer=nl.sbuf)"),
        Example("t = nl.ndarray((128, 8, 512), dtype=nl.float32, buffer=nl.psum)", dialect=NKI),
        Example(
            """
            t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=t[:, 512:1024], stationary=w, moving=x)
            """,
            dialect=NKI,
        ),
        Example(
            """
            t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=t[:, 256:768], stationary=w, moving=x)
            """,
            dialect=NKI,
            target="trn3",
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        if call.operation.kind == "create":
            yield from self._small(call)
        elif call.operation.kind == "matmul":
            yield from self._in_one_bank(call)

    def _small(self, call: Call) -> Iterator[Need]:
        target = call.target
        one_bank = call.dialect == BETA1 and not target.matmul_spans_banks
        for made in new_tiles(call):
            if made.memory == PSUM:
                size = product(made.shape[made.blocks + 1 :]) * made.dtype.itemsize
                shape = shape_text(made.shape[made.blocks :])
                whole, bank = target.psum_bytes, target.psum_bank_bytes
                yield Need(size <= whole, None, self.message(shape=shape, bytes=size, target=target, limit=whole))
                if one_bank:
                    yield Need(size <= bank, None, self.bank(shape=shape, bytes=size, target=target, limit=bank))

    def _in_one_bank(self, call: Call) -> Iterator[Need]:
        """A matmul whose result goes to a part of a tensor writes to one bank."""
        to, target = call.get("dst"), call.target
        if not isinstance(to, Tile) or not on_chip(to) or to.memory != PSUM or target.matmul_spans_banks:
            return
        if to.span is not None:
            first, last = (element * to.dtype.itemsize for element in to.span)
            bank = target.psum_bank_bytes
            said = self.across(first=first, end=last + to.dtype.itemsize, target=target, limit=bank)
            empty = last < first
            yield Need(any_of((first // bank == last // bank, empty)), "dst", said)
