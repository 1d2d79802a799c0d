from collections.abc import Iterator

from ..needs import declared, required
from ..operations.form import Call
from ..operations.isa_results import moving_columns, moving_limit, stationary_columns
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI


class MatmulTileLimit(Rule):
    """An operand of a matrix multiplication has more columns than one instruction takes.

    ## What it does
    Requires that the stationary operand has at most 128 columns and the moving one at most 512. On trn3 the moving
    operand may fill all PSUM banks: 4096 columns for a float32 result, 8192 for a bfloat16 one. In tiling mode the
    stationary operand fits into `tile_size`.

    ## Why is this bad?
    The Tensor Engine is an array of 128 rows and 128 columns, and what one matmul writes goes to a single PSUM bank of
    512 floats on trn1 and trn2. The compiler stops with an error.

    ## How to fix
    Loop over tiles of the rows and columns of the product, and accumulate over tiles of 128 of the contraction.

    ## Source
    Beta 1: `programming_model.rst` (Tile size considerations, TC#3), `nki.isa.nc_matmul`, `nki.language.matmul`,
    `arch/trainium_inferentia2_arch.rst` (Tensor Engine). 0.x: `nki.isa.nc_matmul` (Tile size).
    """

    code = "NKI103"

    @wording
    def message(self, operand: object, columns: object, target: object, limit: object) -> str:
        return f"{operand} operand has {columns} columns; {target} takes at most {limit}"

    @wording
    def declared(self, operand: object, quantity: object, value: object, operation: object, bound: object) -> str:
        return f"`{operand}` has {quantity} {value}; `{operation}` takes {bound}"

    help = "split the free dimension into tiles of that size"
    aws = ("err_size_of_dimension_exceed_arch_limit",)
    dynamic = True
    judges_calls = True
    before = ("NKI102", "NKI101", "NKI104")
    invalid = [
        Example(
            """
            t = nl.zeros((128, 513), dtype=nl.float32, buffer=nl.sbuf)
            r = nisa.nc_matmul(w, ⟦t⟧)
            """,
            message="moving operand has 513 columns; trn2 takes at most 512",
        ),
        Example(
            "r = nisa.nc_matmul(⟦x[0:128, 0:129]⟧, y)",
            message="stationary operand has 129 columns; trn2 takes at most 128",
        ),
        Example(
            """
            t = nl.zeros((128, 513), dtype=nl.float32, buffer=nl.sbuf)
            r = nl.matmul(w, ⟦t⟧, transpose_x=True)
            """,
            message="`y` has free size 513; `matmul` takes at most 512",
        ),
        Example(
            """
            t = nl.ndarray((128, 513), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0.0)
            q = nl.ndarray((128, 513), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=q, stationary=w, moving=⟦t⟧)
            """,
            message="moving operand has 513 columns; trn2 takes at most 512",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, N], weights: float32[128, 128]
            @nki.jit
            def kernel(source, weights):
                output = nl.ndarray((128, source.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
                moving, stationary = nl.load(source), nl.load(weights)
                nl.store(output, value=nl.copy(nisa.nc_matmul(stationary, ⟦moving⟧)))
                return output
            """,
            message="moving operand has N columns; trn2 takes at most 512",
            precondition="N <= 512",
        ),
    ]
    valid = [
        Example("r = nisa.nc_matmul(w, x)"),
        Example("r = nl.matmul(w, x, transpose_x=True)"),
        Example("nisa.nc_matmul(dst=p, stationary=w, moving=x)", dialect=NKI),
        Example(
            """
            t = nl.ndarray((128, 4096), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0.0)
            q = nl.ndarray((128, 4096), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=q, stationary=t[0:128, 0:128], moving=t)
            """,
            dialect=NKI,
            target="trn3",
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        if call.required.multiplies:
            target = call.target
            for name, columns, limit in (
                ("stationary", stationary_columns(call), target.gemm_stationary_fmax),
                ("moving", moving_columns(call), moving_limit(call)),
            ):
                yield Need(
                    columns <= limit, name, self.message(operand=name, columns=columns, target=target, limit=limit)
                )
        yield from declared(call, self.declared)
        yield from required(call, type(self))
