from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class UndefinedName(Rule):
    """A name is used that is not defined on some path to its use.

    ## What it does
    Follows the kernel along every path that its inputs allow and reports a name that is read before anything is bound
    to it: names that are never defined, names defined in one branch only, and names defined in the body of a loop that
    makes no iteration; and an attribute that an object of a class in the project does not have, where it is known which
    object it is, or that it does not let be set, as frozen records do; likewise a key of a dict, a field of a named
    tuple, a member of an enumeration and an attribute of one of Python's own types or of None. In functions that no
    kernel reaches, and in the rest of a file, the text alone is judged: names that nothing binds, and names that are
    read where no path, not the first iteration of a loop, or not a branch has bound them, unless tests around both
    places may agree; and imports at the top of a file of what a module of the project, or one of Python's own, does not
    have.

    ## Why is this bad?
    Python raises `NameError`, `AttributeError`, `KeyError` or `ImportError` while the kernel is traced, but only for
    the inputs that take this path.

    ## How to fix
    Define the name before the branch or the loop, or correct its spelling.

    ## Source
    Python, Naming and binding.
    """

    code = "NKI808"

    @wording
    def message(self, name: object) -> str:
        return f"`{name}` is not defined"

    @wording
    def conditional(self, name: object) -> str:
        return f"`{name}` is not defined on every path that leads here"

    @wording
    def first(self, name: object) -> str:
        return f"`{name}` is not defined in the first iteration of the loop"

    @wording
    def attribute(self, owner: object, name: object) -> str:
        return f"`{owner}` has no attribute `{name}`"

    @wording
    def of_none(self, owner: object, name: object) -> str:
        return f"`{owner}` is None, which has no attribute `{name}`"

    @wording
    def imported(self, module: object, name: object) -> str:
        return f"`{module}` has no `{name}`: it cannot be imported from there"

    @wording
    def key(self, owner: object, key: object) -> str:
        return f"`{owner}` has no key `{key}`"

    @wording
    def fixed(self, owner: object, name: object) -> str:
        return f"`{name}` of {owner} cannot be set or deleted"

    help = "define the name on every path, or correct its spelling"
    breaks_trace = True
    dynamic = True
    exception = (NameError, ImportError)
    invalid = [
        Example("nl.store(output[0:128, 0:512], value=⟦tile⟧)", message="`tile` is not defined"),
        Example("nisa.tensor_copy(dst=x, src=⟦tile⟧)", message="`tile` is not defined", dialect=NKI),
        Example(
            """
            for k in nl.sequential_range(a.shape[0] // 1024):
                last = k
            nl.store(output[0:128, 0:512], value=x, mask=⟦last⟧ == 0)
            """,
            message="`last` is not defined",
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                if source.shape[0] >= 128:
                    rows = 128
                tile = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nl.store(output[0:⟦rows⟧, 0:512], value=tile)
                return output
            """,
            message="`rows` is not defined on every path that leads here",
            precondition="M >= 128",
        ),
        Example(
            """
            class Tiles:
                rows = 128

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source[0 : ⟦Tiles().row⟧, 0:512])
                nl.store(output, value=tile)
                return output
            """,
            message="`Tiles` has no attribute `row`",
        ),
        Example(
            """
            rows = {"narrow": 64, "wide": 128}
            nisa.memset(dst=x[0 : ⟦rows["whole"]⟧, 0:512], value=0.0)
            """,
            message="`rows` has no key `'whole'`",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            tile = nl.load(a[0:128, 0:512])
            nl.store(output[0:128, 0:512], value=tile)
            """
        ),
        Example("nisa.tensor_copy(dst=x, src=y)", dialect=NKI),
        Example(
            """
            rows = {"narrow": 64, "wide": 128}
            nisa.memset(dst=x[0 : rows["wide"], 0:512], value=0.0)
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                rows = source.shape[0]
                if source.shape[0] >= 128:
                    rows = 128
                output = nl.ndarray((rows, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source[0:rows, 0:512]))
                return output
            """
        ),
    ]
