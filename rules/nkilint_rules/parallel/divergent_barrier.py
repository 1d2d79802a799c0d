from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class DivergentBarrier(Rule):
    """A core waits for another one that does not come, or that exchanges tiles with somebody else.

    ## What it does
    Looks at every `nisa.core_barrier`, `nisa.sendrecv` and collective. Proves that all cores of a launch come to it
    equally often: it stands in no branch, behind no return and in no loop that the position of a core decides about,
    unless the other branch has its counterpart. Of `sendrecv` it proves that ranks pair: the core that one receives
    from sends to it, in a call with the same `pipe_id`, and is another one where there are several.

    ## Why is this bad?
    The core waits for ever: the kernel hangs on the device. Where another exchange comes along, it takes the wrong
    data.

    ## How to fix
    Put what the cores share below the branch, and let only the work differ: `if core == 0: ...`, then the barrier. Give
    both ranks of an exchange from one expression, such as `1 - nl.program_id(0)`.

    ## Source
    0.x: `nki.isa.core_barrier`, `nki.isa.sendrecv`.
    """

    code = "NKI606"
    dialects = (NKI,)

    @wording
    def message(self, operation: object, first: object, second: object) -> str:
        return f"core {first} waits in `{operation}` for core {second}, which does not come to it"

    @wording
    def ranks(self, operation: object, first: object, second: object) -> str:
        return f"core {first} waits in `{operation}` for what core {second} sends, which does not send to it"

    @wording
    def itself(self, operation: object, core: object) -> str:
        return f"core {core} exchanges its tile with itself in `{operation}`, which is for two cores"

    help = "let all cores of the launch come to it, with ranks that pair"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[2, 128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 2
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                core = nl.program_id(0)
                nisa.dma_copy(dst=tile, src=source[core])
                nisa.dma_copy(dst=output[core], src=tile)
                if core == 0:
                    ⟦nisa.core_barrier(output, (0, 1))⟧
                return output

            if __name__ == "__main__":
                kernel[2](np.zeros((2, 128, 512), dtype=np.float32))
            """,
            message="core 0 waits in `core_barrier` for core 1, which does not come to it",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[2, 128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 2
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                other = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                core = nl.program_id(0)
                nisa.dma_copy(dst=tile, src=source[core])
                ⟦nisa.sendrecv(src=tile, dst=other, send_to_rank=core, recv_from_rank=1 - core, pipe_id=0)⟧
                nisa.dma_copy(dst=output[core], src=other)
                return output

            if __name__ == "__main__":
                kernel[2](np.zeros((2, 128, 512), dtype=np.float32))
            """,
            message="core 0 waits in `sendrecv` for what core 1 sends, which does not send to it",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[2, 128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 2
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                other = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                core = nl.program_id(0)
                nisa.dma_copy(dst=tile, src=source[core])
                ⟦nisa.sendrecv(src=tile, dst=other, send_to_rank=core, recv_from_rank=core, pipe_id=0)⟧
                nisa.dma_copy(dst=output[core], src=other)
                return output

            if __name__ == "__main__":
                kernel[2](np.zeros((2, 128, 512), dtype=np.float32))
            """,
            message="core 0 exchanges its tile with itself in `sendrecv`, which is for two cores",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[2, 128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 2
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                core = nl.program_id(0)
                nisa.dma_copy(dst=tile, src=source[core])
                nisa.dma_copy(dst=output[core], src=tile)
                if core == 0:
                    nisa.core_barrier(output, (0, 1))
                else:
                    nisa.core_barrier(output, (0, 1))
                return output

            if __name__ == "__main__":
                kernel[2](np.zeros((2, 128, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[2, 128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 2
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                other = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                core = nl.program_id(0)
                nisa.dma_copy(dst=tile, src=source[core])
                nisa.sendrecv(src=tile, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
                nisa.dma_copy(dst=output[core], src=other)
                return output

            if __name__ == "__main__":
                kernel[2](np.zeros((2, 128, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
