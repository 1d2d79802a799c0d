"""Sizes of elements are written out.

`nl.constants.sizeinbytes` is on no page of `nki`. Where the dtype is that of an input, the number is chosen by it.
"""

from __future__ import annotations

import ast

from nkilint.fixes.edits import Edit, applied
from nkilint.migrate.placing import width_of
from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.source import Source
from nkilint.migrate.steps import Example, Step, Surroundings
from nkilint_rules.words.dtypes import DTYPES, DType

_KERNEL = """

@nki.jit
def kernel(x):
    size = {}
    out = nl.ndarray((x.shape[0], x.shape[1] // size), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[:, 0:x.shape[1] // size]))
    return out


kernel(np.ones((128, 256), np.float32))
"""
_IMPORTS = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\nimport numpy as np\n{}"
_OLD = _IMPORTS.format("from neuronxcc.nki.language.constants import sizeinbytes\n")
_NEW = "import nki\nimport nki.language as nl\nimport numpy as np\n"
STEP = Step(
    "sizes",
    "0.2",
    "E",
    __doc__,
    (
        Example(_OLD + _KERNEL.format("sizeinbytes(nl.bfloat16)"), _NEW + _KERNEL.format("2")),
        Example(
            _OLD + _KERNEL.format("sizeinbytes(x.dtype)"),
            _NEW
            + _KERNEL.format(
                "(4 if x.dtype in (nl.float32, nl.int32, nl.uint32) else 1 if x.dtype in (nl.int8, "
                "nl.uint8, nl.float8_e4m3, nl.float8_e5m2) else 2)"
            ),
        ),
    ),
)

_MODULE = "nki.language.constants"
_FUNCTION = f"{_MODULE}.sizeinbytes"


@STEP.rewrites(ast.Call)
def size(r: Rewriter, node: ast.Call) -> str | None:
    """`sizeinbytes(dtype)`."""
    if (r.dotted(node.func) or "").removeprefix("neuronxcc.") != _FUNCTION or len(node.args) != 1:
        return None
    kind = node.args[0]
    known = _sizes(r, kind)
    if len(known) == 1:
        return str(known.pop())
    if not isinstance(kind, (ast.Name, ast.Attribute)):
        raise Undecided("`sizeinbytes` is not there any more: write the size of an element")
    return width_of(r, r.render(kind))


def _sizes(r: Rewriter, kind: ast.expr) -> set[int]:
    """The sizes that a dtype has in all evaluations; empty where some input says it."""
    named = (r.dotted(kind) or "").rpartition(".")[2]
    if named in DTYPES:
        return {DTYPES[named].itemsize}
    kinds = [k for rank in r.ranks(kind) for k in r.values(kind, rank)]
    return {k.itemsize for k in kinds} if all(isinstance(k, DType) for k in kinds) else set()


@STEP.first
def one_namespace(source: Source, around: Surroundings) -> tuple[str, int]:
    """A file of Beta 1 that takes the function from `nki` means the same one."""
    imports = [n for n in source.tree.body if isinstance(n, ast.ImportFrom)]
    old = any((n.module or "").startswith("neuronxcc") for n in ast.walk(source.tree) if isinstance(n, ast.ImportFrom))
    old = old or any(
        a.name.startswith("neuronxcc") for n in source.tree.body if isinstance(n, ast.Import) for a in n.names
    )
    edits = []
    for node in imports if old else ():
        if node.module == _MODULE:
            text = source.text_of(node).replace(_MODULE, f"neuronxcc.{_MODULE}", 1)
            edits.append(Edit(*source.place(node), text))
    return applied(edits, source.text), len(edits)
