from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class ChangedSignature(Rule):
    """A call is written for the signature that an operation has in another version of NKI.

    ## What it does
    Compares calls that do not fit the signature of the configured version, or give it an argument of the wrong kind,
    with the signatures of the other versions, and reports those that fit one of them. Numbers for members of enums, and
    strings for buffers, which went with 0.3, are reported too. Without a configured `nki-version`, the newest counts.

    ## Why is this bad?
    Arguments that are given by position end up in others' places, or the call raises an error.

    ## How to fix
    Give the arguments by name, as the configured version calls them.

    ## Source
    0.x: `migration/index.rst` (Migrating from NKI 0.2.0 to NKI 0.3.0, API breaking changes).
    """

    code = "NKI903"
    dialects = (NKI,)

    @wording
    def message(self, operation: object, signature: object) -> str:
        return f"the arguments of `{operation}` are in the order of another version; here it takes `{signature}`"

    @wording
    def number(self, name: object, value: object, enum: object) -> str:
        return f"`{name}={value}` is a number; since NKI 0.3 it is a member of `{enum}`"

    @wording
    def string(self, value: object) -> str:
        return f"`buffer={value}` is a string; since NKI 0.3 buffers are objects such as `nl.sbuf`"

    help = "give the arguments as this version takes them, by name"
    breaks_trace = True
    unenforced = ("number",)
    before = ("NKI202", "NKI204", "NKI205", "NKI208", "NKI210", "NKI809")
    invalid = [
        Example(
            "⟦nisa.dma_compute(output, [a, b], [1.0, 1.0], nl.add)⟧",
            message="the arguments of `dma_compute` are in the order of another version; "
            "here it takes `dst, srcs, reduce_op, scales, unique_indices, oob_mode`",
            dialect=NKI,
        ),
        Example(
            "⟦nisa.tensor_copy(dst=x, src=y, engine=1)⟧",
            message="`engine=1` is a number; since NKI 0.3 it is a member of `engine` (documented, not enforced)",
            dialect=NKI,
        ),
        Example(
            """
            t = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer="sbuf")⟧
            nisa.memset(dst=t, value=0.0)
            """,
            message="`buffer='sbuf'` is a string; since NKI 0.3 buffers are objects such as `nl.sbuf`",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("nisa.dma_compute(output, [a, b], nl.add, scales=[1.0, 1.0])", dialect=NKI),
        Example("nisa.dma_compute(output, [a, b], [1.0, 1.0], nl.add)", dialect=NKI, version="0.2"),
        Example("nisa.tensor_copy(dst=x, src=y, engine=nisa.engine.vector)", dialect=NKI),
    ]
