from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class UnsupportedPython(Rule):
    """A kernel uses Python that the compiler of NKI does not take.

    ## What it does
    Reports, for NKI 0.3 and later, what the migration guide names: `is` and `is not` in code that runs in a kernel
    (with None as advice: public kernels of every version since are full of it), keyword-only parameters of a kernel,
    and lists as its arguments or their defaults. For every version of `nki`, and in all functions that a kernel leads
    to, whether a run gets there or not: functions inside functions, items such as `parts[0]` as targets of an
    unpacking, integers that do not fit into 32 bits, and loops on the device in a block of `no_reorder`; for
    versions before 0.3 comprehensions, too. Python's arithmetic operators on tiles are reported where they are met.
    Without a configured `nki-version`, the newest counts.

    ## Why is this bad?
    The compiler evaluates a part of Python of its own, in which these do not exist. The simulator, which runs Python
    itself, takes them.

    ## How to fix
    Write `==` and `!=`, leave out the `*`, and pass tuples. Move an inner function to the top level of the module, and
    hand over what it uses of the function around it. Unpack into names first. Fill a list in a loop. Put the block of
    `no_reorder` into the loop. Call the operation that an operator stands for, such as `nl.subtract`.

    ## Source
    0.x: `migration/index.rst` (Migrating from NKI 0.2.0 to NKI 0.3.0, Language restrictions),
    `get-started/nki-language-guide.rst` (NKI Values), `guides/nki_simulator.rst` (NKI Meta-Programming Support),
    `deep-dives/nki-dynamic-loops.rst` (Interaction with no_reorder), the page of `NkiTensor`, which has no operators.
    What no page says, and why it is reported, is in `docs/readings.md`.
    """

    code = "NKI803"
    dialects = (NKI,)
    severity = Severity.WARNING
    style = True
    advice = ("none",)
    unenforced = ("none",)

    @wording
    def message(self, instead: object, operator: object) -> str:
        return f"kernels of NKI compare with `{instead}`, not with `{operator}`"

    @wording
    def none(self, instead: object, operator: object) -> str:
        return f"kernels of NKI compare with `{instead}`, not with `{operator}`"

    @wording
    def separator(self, parameter: object) -> str:
        return f"`{parameter}` can be given by name only, which kernels of NKI do not take"

    @wording
    def list(self, parameter: object) -> str:
        return f"`{parameter}` is a list, which kernels of NKI do not take"

    @wording
    def function(self, name: object) -> str:
        return f"`{name}` is a function inside a function, which kernels of NKI do not take"

    @wording
    def item(self, target: object) -> str:
        return f"`{target}` is no name; kernels of NKI unpack into names only"

    @wording
    def integer(self, value: object) -> str:
        return f"{value} does not fit into 32 bits, which integers in kernels of NKI have"

    @wording
    def comprehension(self, version: object) -> str:
        return f"kernels of NKI {version} take no comprehensions"

    @wording
    def ordered(self, loop: object) -> str:
        return f"a loop over `{loop}` stands in `no_reorder`, which kernels of NKI do not take"

    @wording
    def ordered_call(self, loop: object) -> str:
        return f"`{loop}` stands in `no_reorder`, which takes no loops on the device"

    @wording
    def operator(self, operation: object) -> str:
        return f"tiles of NKI have no operators; this is `nl.{operation}`"

    help = "write it with what the compiler takes; `nkilint rule NKI803` says what that is in each case"
    invalid = [
        Example(
            """
            if ⟦b is not None⟧:
                nisa.dma_copy(dst=output, src=b)
            """,
            message="kernels of NKI compare with `!=`, not with `is not` (documented, not enforced)",
            dialect=NKI,
        ),
        Example(
            """
            if ⟦b is a⟧:
                nisa.dma_copy(dst=output, src=b)
            """,
            message="kernels of NKI compare with `==`, not with `is`",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source, *, ⟦twice⟧=False):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            message="`twice` can be given by name only, which kernels of NKI do not take",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source, ⟦steps⟧=[1, 1]):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            message="`steps` is a list, which kernels of NKI do not take",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                def ⟦copied⟧(tensor):
                    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                    nisa.dma_copy(dst=output, src=tensor)
                    return output

                return copied(source)
            """,
            message="`copied` is a function inside a function, which kernels of NKI do not take",
            dialect=NKI,
        ),
        Example(
            """
            parts = [a, b]
            ⟦parts[0]⟧, parts[1] = parts[1], parts[0]
            nisa.dma_copy(dst=output, src=parts[0])
            """,
            message="`parts[0]` is no name; kernels of NKI unpack into names only",
            dialect=NKI,
        ),
        Example(
            """
            with nl.no_reorder():
                for _ in ⟦nl.dynamic_range(3)⟧:
                    nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=1.0)
            """,
            message="a loop over `nl.dynamic_range(3)` stands in `no_reorder`, which kernels of NKI do not take",
            dialect=NKI,
            version="0.5",
        ),
        Example(
            """
            nisa.memset(dst=x, value=⟦1 << 32⟧)
            """,
            message="4294967296 does not fit into 32 bits, which integers in kernels of NKI have",
            dialect=NKI,
        ),
        Example(
            """
            parts = ⟦[tile for tile in (a, b)]⟧
            nisa.dma_copy(dst=output, src=parts[0])
            """,
            message="kernels of NKI 0.2 take no comprehensions",
            dialect=NKI,
            version="0.2",
        ),
        Example(
            """
            z = ⟦x - y⟧
            """,
            message="tiles of NKI have no operators; this is `nl.subtract`",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            if b != None:
                nisa.dma_copy(dst=output, src=b)
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source, twice=False, steps=(1, 1)):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source, *, twice=False):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            dialect=NKI,
            version="0.2",
        ),
        Example(
            """
            first, second = a, b
            parts = [first, second]
            parts[0] = parts[1]
            limit = 0xFFFFFFFF
            nisa.dma_copy(dst=output, src=parts[0])
            """,
            dialect=NKI,
        ),
        Example(
            """
            parts = [tile for tile in (a, b)]
            nisa.dma_copy(dst=output, src=parts[0])
            """,
            dialect=NKI,
        ),
        Example(
            """
            z = nl.subtract(x, y)
            nisa.dma_copy(dst=output[0:128, :], src=z)
            """,
            dialect=NKI,
        ),
        Example(
            """
            for _ in nl.dynamic_range(3):
                with nl.no_reorder():
                    nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=1.0)
            """,
            dialect=NKI,
            version="0.5",
        ),
    ]
