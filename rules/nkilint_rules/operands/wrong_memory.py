from collections.abc import Iterator

from ..needs import memory_words, required
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.conditions import Unknown
from ..words.dialects import NKI
from ..words.memory import MEMORY_NAMES, PSUM
from ..words.tiles import Tile


class WrongMemory(Rule):
    """An operand lives in a memory where the operation cannot take it.

    ## What it does
    Compares the memory of each operand with those that the operation reads from or writes to: HBM for the far side of
    a load or store, SBUF for the inputs of a matmul and PSUM for its result, SBUF or PSUM for most others, and never
    PSUM for the GpSimd Engine. Also reports two operands in PSUM where the engine reads only one from there. In Beta 1
    an assignment is such an operation: `tile[...] = x` and `out += tile` neither load nor store.

    ## Why is this bad?
    Each engine is wired to some of the memories. The compiler stops with an error.

    ## How to fix
    Load from HBM before computing, copy from PSUM to SBUF with `tensor_copy`, and store from SBUF.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_unsupported_memory`), `nki_known_issues.rst`, `programming_model.rst`. Both
    dialects: the page of each operation, `arch/trainium_inferentia2_arch.rst`. 0.x: release notes of 0.3 (`dma_copy`
    and PSUM).
    """

    code = "NKI201"

    @wording
    def message(self, operand: object, memory: object, operation: object, memories: object) -> str:
        return f"`{operand}` is in {memory}; `{operation}` takes it in {memories}"

    @wording
    def both(self, operand: object, other: object, operation: object) -> str:
        return f"`{operand}` and `{other}` are both in PSUM; `{operation}` reads one of them from there"

    help = "move the operand: load it from HBM, or copy it from PSUM to SBUF"
    aws = ("err_unsupported_memory",)
    dynamic = True
    judges_calls = True
    invalid = [
        Example("r = nl.load(⟦x⟧)", message="`src` is in SBUF; `load` takes it in HBM"),
        Example("r = nl.exp(⟦a[0:128, 0:512]⟧)", message="`x` is in HBM; `exp` takes it in SBUF or PSUM"),
        Example("⟦x[...]⟧ = a[0:128, 0:512]", message="`src` is in HBM; `copy` takes it in SBUF or PSUM"),
        Example("r = nisa.nc_matmul(w, ⟦p⟧)", message="`moving` is in PSUM; `nc_matmul` takes it in SBUF"),
        Example(
            """
            q = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
            r = nisa.tensor_tensor(p, ⟦q⟧, op=nl.add)
            """,
            message="`data2` and `data1` are both in PSUM; `tensor_tensor` reads one of them from there",
        ),
        Example(
            "nisa.nc_matmul(dst=⟦y⟧, stationary=w, moving=x)",
            message="`dst` is in SBUF; `nc_matmul` takes it in PSUM",
            dialect=NKI,
        ),
        Example(
            "nisa.dma_copy(dst=output[0:128, 0:512], src=⟦p⟧)",
            message="`src` is in PSUM; `dma_copy` takes it in HBM or SBUF",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("r = nl.exp(nl.load(a[0:128, 0:512]))"),
        Example("r = nisa.tensor_tensor(p, x, op=nl.add)"),
        Example("p[...] += nisa.nc_matmul(w, x)"),
        Example("x[...] = nl.load(a[0:128, 0:512])"),
        Example(
            """
            nisa.nc_matmul(dst=p, stationary=w, moving=x)
            nisa.tensor_copy(dst=y, src=p)
            nisa.dma_copy(dst=output[0:128, 0:512], src=y)
            """,
            dialect=NKI,
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        for name, operand, tile in call.tiles():
            memory = tile.memory
            memories = operand.memories_in(call.dialect, call.version)
            condition = memory if isinstance(memory, Unknown) else memory in memories
            if condition is not True:
                place = MEMORY_NAMES.get(memory, memory) if isinstance(memory, str) else memory
                taken = memory_words(memories)
                message = self.message(operand=name, memory=place, operation=call.operation.leaf, memories=taken)
                yield Need(condition, name, message)
        pair = call.required.not_both_psum
        if pair is not None:
            first, second = (call.get(name) for name in pair)
            if isinstance(first, Tile) and isinstance(second, Tile) and first.memory == second.memory == PSUM:
                yield Need(False, pair[1], self.both(operand=pair[1], other=pair[0], operation=call.operation.leaf))
        yield from required(call, type(self))
