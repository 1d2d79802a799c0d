from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class ExactGeneration(Rule):
    """A kernel asks for one generation of devices, and newer ones go the way of the older.

    ## What it does
    Advises of `get_nc_version() == nc_version.gen3`, and of `!=`, where nothing in the function speaks of the newer
    generation. A test for the oldest generation, one for the newest, and an assertion or a branch that raises, which
    refuse the others, are left alone.

    ## Why is this bad?
    What a generation brought, the later ones have. A comparison by `==` or `!=` sends them to the code that was written
    for devices without it.

    ## How to fix
    Compare with `>=`, or with `<`.

    ## Source
    Both dialects: `api/nki.isa.rst` (NC Version); the repair is that of nki-samples 97e49c9.
    """

    code = "NKI813"
    severity = Severity.INFO
    style = True

    @wording
    def message(self, generation: object, operator: object, device: object, instead: object) -> str:
        return f"`{generation}` is compared with `{operator}`: {device}, which is newer, goes the way of the older ones"

    help = "compare with `{instead}`"
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                if ⟦nisa.get_nc_version() == nisa.nc_version.gen3⟧:
                    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            message="`gen3` is compared with `==`: trn3, which is newer, goes the way of the older ones",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source)
                if ⟦nisa.get_nc_version() == nisa.nc_version.gen3⟧:
                    tile = nl.multiply(tile, 2.0)
                nl.store(output, tile)
                return output
            """,
            message="`gen3` is compared with `==`: trn3, which is newer, goes the way of the older ones",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                if nisa.get_nc_version() >= nisa.nc_version.gen3:
                    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source)
                if nisa.get_nc_version() >= nisa.nc_version.gen3:
                    tile = nl.multiply(tile, 2.0)
                nl.store(output, tile)
                return output
            """,
        ),
    ]
