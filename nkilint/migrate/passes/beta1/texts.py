"""Code in texts stays as it is, and is told of.

What is handed to `exec`, or written to a file, may be put together at run time: only its author can migrate it. Of
a module that is imported by its name in a text nothing more is known.
"""

from __future__ import annotations

import ast
import re

from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import COPYING, Example, Step

_FILE = "import {}nki as nki\nimport {}nki.language as nl\nimport numpy as np\n\n{}TEXT = 'import neuronxcc.nki'\n"
_WHY = "a text with code for `neuronxcc` in it: migrate that by hand"
STEP = Step(
    "texts",
    "0.2",
    "P",
    __doc__,
    (
        Example(
            f"{_FILE.format('neuronxcc.', 'neuronxcc.', '')}{COPYING}",
            f"{_FILE.format('', '', f'# nkilint: migrate: {_WHY}{chr(10)}')}{COPYING}".replace("nki as nki", "nki"),
        ),
    ),
)

_LOADERS = frozenset({"import_module", "__import__", "importorskip", "find_spec"})
_MODULE = re.compile(r"neuronxcc\.nki(\.\w+)*")
_CODE = re.compile(r"^\s*(import|from)\s+neuronxcc\b", re.MULTILINE)


@STEP.rewrites(ast.Constant)
def text(r: Rewriter, node: ast.Constant) -> str | None:
    """A text that imports the old namespace, and is no docstring."""
    if isinstance(node.value, str) and _CODE.search(node.value) and not isinstance(r.source.parents[node], ast.Expr):
        raise Undecided(_WHY)
    return None


@STEP.rewrites(ast.Call)
def loaded(r: Rewriter, node: ast.Call) -> None:
    """`importlib.import_module("neuronxcc.nki")`."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    if name in _LOADERS and isinstance(given, str) and _MODULE.fullmatch(given):
        raise Undecided(f"`{given}` is named in a text: import it by a statement, and migrate again")
