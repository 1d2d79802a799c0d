from collections.abc import Iterator

from ..placing.located import PlacedTiles
from ..placing.places import at_bank_start, bank_exists
from ..rule import Example, Need, wording
from ..words.conditions import all_of
from ..words.dialects import BETA1, NKI
from ..words.memory import PSUM
from .place_rule import PlaceRule


class PlacementBank(PlaceRule):
    """A PSUM tile is placed in a bank that does not exist, or not at the start of one.

    ## What it does
    Evaluates the allocator of a PSUM tensor for every block. In Beta 1 a tile has a bank of its own: the bank is one of
    eight, and the byte within it and the first partition are 0. In 0.x a tensor starts at the first byte of a bank.

    ## Why is this bad?
    The compiler rejects the placement: only one tile lives in a bank at a time.

    ## How to fix
    Use `num_bank_tiles` to go through the banks, and leave `base_addr`, `base_partition`, `num_par_tiles` and
    `num_free_tiles` alone. In 0.x, place tensors at multiples of 2048 bytes.

    ## Source
    Beta 1: `nki_direct_allocation_guide.rst` (Known Limitations), `nki.compiler.psum.alloc`,
    `nki.compiler.psum.mod_alloc`. 0.x: `migration/index.rst` (Improved allocation API).
    """

    code = "NKI404"

    @wording
    def message(self, bank: object, target: object, banks: object) -> str:
        return f"PSUM bank {bank} does not exist; {target} has {banks}"

    @wording
    def byte(self, byte: object) -> str:
        return f"a PSUM tile starts at byte {byte} of its bank; tiles start at byte 0"

    @wording
    def partition(self, partition: object) -> str:
        return f"a PSUM tile starts at partition {partition}; tiles start at partition 0"

    @wording
    def start(self, byte: object, bank_bytes: object) -> str:
        return f"a PSUM tensor starts at byte {byte}, within a bank; tensors start at multiples of {bank_bytes}"

    help = "give each PSUM tile the start of a bank"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: left: float32[128, 128], right: float32[128, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                y = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
                r = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32,
                               buffer=ncc.sbuf.mod_alloc(base_addr=2560, num_free_tiles=(2,)))
                z = ⟦nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32,
                               buffer=ncc.psum.mod_alloc(base_bank=7, num_bank_tiles=(2,)))⟧
                x[...] = nl.load(left)
                y[...] = nl.load(right)
                for i in nl.affine_range(2):
                    z[i] = nisa.nc_matmul(x, y)
                    r[i] = nl.copy(z[i])
                    nl.store(output[i], value=r[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 128), dtype=np.float32), np.zeros((128, 512), dtype=np.float32))
            """,
            message="PSUM bank 8 does not exist; trn2 has 8",
        ),
        Example(
            """
            # nkilint: left: float32[128, 128], right: float32[128, 256]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                y = nl.ndarray((128, 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
                z = ⟦nl.ndarray((128, 256), dtype=nl.float32,
                               buffer=ncc.psum.mod_alloc(base_bank=0, base_addr=1024))⟧
                r = nl.ndarray((128, 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1536))
                x[...] = nl.load(left)
                y[...] = nl.load(right)
                z[...] = nisa.nc_matmul(x, y)
                r[...] = nl.copy(z)
                nl.store(output, value=r)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 128), dtype=np.float32), np.zeros((128, 256), dtype=np.float32))
            """,
            message="a PSUM tile starts at byte 1024 of its bank; tiles start at byte 0",
        ),
        Example(
            """
            # nkilint: source: float32[128, 128]
            @nki.jit
            def kernel(source):
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=source)
                z = ⟦nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum, address=(0, 512))⟧
                nisa.nc_matmul(dst=z, stationary=x, moving=x)
                r = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.tensor_copy(dst=r, src=z)
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=r)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
            message="a PSUM tensor starts at byte 512, within a bank; tensors start at multiples of 2048",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: left: float32[128, 128], right: float32[128, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                y = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
                r = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32,
                               buffer=ncc.sbuf.mod_alloc(base_addr=2560, num_free_tiles=(2,)))
                z = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32,
                               buffer=ncc.psum.mod_alloc(base_bank=6, num_bank_tiles=(2,)))
                x[...] = nl.load(left)
                y[...] = nl.load(right)
                for i in nl.affine_range(4):
                    z[i] = nisa.nc_matmul(x, y)
                    r[i] = nl.copy(z[i])
                    nl.store(output[i], value=r[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 128), dtype=np.float32), np.zeros((128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 128]
            @nki.jit
            def kernel(source):
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=source)
                z = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum, address=(0, 3 * 2048))
                nisa.nc_matmul(dst=z, stationary=x, moving=x)
                r = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.tensor_copy(dst=r, src=z)
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=r)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
    dialects = (BETA1, NKI)

    def check_place(self, tiles: PlacedTiles) -> Iterator[Need]:
        target, bank, byte = tiles.target, tiles.at.bank, tiles.byte_given
        if tiles.memory != PSUM:
            return
        begins = at_bank_start(byte, target, tiles.dialect)
        if bank is None:
            yield Need(begins, None, self.start(byte=byte, bank_bytes=target.psum_bank_bytes))
            return
        exists = all_of((bank_exists(bank.first, target), bank_exists(bank.last, target)))
        yield Need(exists, None, self.message(bank=bank.last, banks=target.psum_banks, target=target))
        yield Need(begins, None, self.byte(byte=byte))
        partition = tiles.at.partition
        yield Need(partition == 0, None, self.partition(partition=partition))
