"""Code in texts stays as it is, and is told of.

What is handed to `exec`, or written to a file, may be put together at run time: only its author can migrate it. Of
a module that is imported by its name in a text nothing more is known.
"""

from __future__ import annotations

import ast
import re
import textwrap
from contextlib import suppress

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

_RUNNERS = frozenset({"exec", "eval", "compile"})
_LOADERS = frozenset({"import_module", "__import__", "importorskip", "find_spec"})
_MODULE = re.compile(r"neuronxcc\.nki(\.\w+)*")
_CODE = re.compile(r"^\s*(import|from)\s+neuronxcc\b", re.MULTILINE)


@STEP.rewrites(ast.Constant)
def text(r: Rewriter, node: ast.Constant) -> str | None:
    """A text that imports the old namespace, or calls it by the names that the file has for it, and is no docstring."""
    if not isinstance(node.value, str) or isinstance(r.source.parents[node], ast.Expr):
        return None
    if _CODE.search(node.value) or _calls(r, node.value):
        raise Undecided(_WHY)
    return None


def _calls(r: Rewriter, text: str) -> bool:
    """Whether a text is code that calls operations, in a file that runs texts."""
    if "(" not in text or not any(isinstance(n, ast.Name) and n.id in _RUNNERS for n in ast.walk(r.source.tree)):
        return False
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        calls = [n for n in ast.walk(ast.parse(textwrap.dedent(text))) if isinstance(n, ast.Call)]
        return any((r.dotted(n.func) or "").startswith("neuronxcc.") for n in calls)
    return False


@STEP.rewrites(ast.Call)
def loaded(r: Rewriter, node: ast.Call) -> None:
    """`importlib.import_module("neuronxcc.nki")`."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    if name in _LOADERS and isinstance(given, str) and _MODULE.fullmatch(given):
        raise Undecided(f"`{given}` is named in a text: import it by a statement, and migrate again")
