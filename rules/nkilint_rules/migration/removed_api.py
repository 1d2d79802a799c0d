from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class RemovedApi(Rule):
    """An operation or an argument that the configured version of NKI has no longer.

    ## What it does
    Compares the operations that a kernel calls, and their keyword arguments and those of `nki.jit`, with those of
    earlier versions. Without a configured `nki-version`, the newest counts.

    ## Why is this bad?
    The call raises an error when the kernel is traced.

    ## How to fix
    Write what took its place, which the help names, or configure the version that the kernel is written for.

    ## Source
    0.x: `migration/index.rst` (API breaking changes, Removed APIs), `release-notes/components/nki.rst`.
    """

    code = "NKI902"
    dialects = (NKI,)

    @wording
    def message(self, name: object, version: object, instead: object) -> str:
        return f"`{name}` was removed in NKI {version}"

    @wording
    def argument(self, operation: object, name: object, version: object, instead: object) -> str:
        return f"`{operation}` takes no argument `{name}` since NKI {version}"

    help = "write {instead}"
    breaks_trace = True
    before = ("NKI208",)
    invalid = [
        Example(
            "⟦nisa.tensor_copy_dynamic_src(dst=x, src=y)⟧",
            message="`tensor_copy_dynamic_src` was removed in NKI 0.4",
            dialect=NKI,
        ),
        Example(
            "⟦nisa.dma_copy(dst=output, src=a, dst_rmw_op=nl.add)⟧",
            message="`dma_copy` takes no argument `dst_rmw_op` since NKI 0.3",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit(platform_target=⟦"trn2"⟧)
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            message="`jit` takes no argument `platform_target` since NKI 0.3",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("nisa.tensor_copy_dynamic_src(dst=x, src=y)", dialect=NKI, version="0.2"),
        Example("nisa.tensor_copy(dst=x, src=y)", dialect=NKI),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit(platform_target="trn2")
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            dialect=NKI,
            version="0.2",
        ),
        Example("nisa.dma_compute(dst=output, srcs=[a, b], reduce_op=nl.add)", dialect=NKI),
    ]
