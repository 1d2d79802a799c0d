"""`nki.tensor` is `nki.meta.tensor`.

The release notes have it move with 0.2; kernels of AWS for 0.2 still import it where it was.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import COPYING, Example, Step

_OLD, _NEW = "nki.tensor", "nki.meta.tensor"
_MADE = (
    "import nki\nimport nki.language as nl\nimport numpy as np\n{}\n\ndef constant():\n    import {} as ntensor\n\n"
    "    return nl.shared_constant(ntensor.identity(128, nl.int8))\n"
)
STEP = Step("modules", "0.3", "A", __doc__, (Example(_MADE.format(COPYING, _OLD), _MADE.format(COPYING, _NEW)),))


@STEP.rewrites(ast.Import)
def module(r: Rewriter, node: ast.Import) -> str | None:
    """`import nki.tensor as ntensor`."""
    parts = [_moved(alias.name) + (f" as {alias.asname}" if alias.asname else "") for alias in node.names]
    return f"import {', '.join(parts)}" if any(_moved(a.name) != a.name for a in node.names) else None


@STEP.rewrites(ast.ImportFrom)
def names(r: Rewriter, node: ast.ImportFrom) -> str | None:
    """`from nki.tensor import identity`, and `from nki import tensor`."""
    source = node.module or ""
    if node.level or _moved(source) != source:
        return None if node.level else r.source.text_of(node).replace(source, _moved(source), 1)
    moved = [a for a in node.names if source == "nki" and a.name == "tensor"]
    kept = [a for a in node.names if a not in moved]
    if not moved:
        return None
    lines = [f"from nki import {_listed(kept)}"] if kept else []
    lines.append(f"from nki.meta import {_listed(moved)}")
    indent = r.source.indent(node)
    return ("; " if indent is None else f"\n{indent}").join(lines)


@STEP.rewrites(ast.Attribute)
def attribute(r: Rewriter, node: ast.Attribute) -> str | None:
    """`nki.tensor` behind `import nki.tensor` or `import nki`."""
    return f"{r.render(node.value)}.meta.tensor" if r.dotted(node) == _OLD else None


def _moved(name: str) -> str:
    """The name of a module as it is called from 0.3 on."""
    inside = name == _OLD or name.startswith(f"{_OLD}.")
    return _NEW + name.removeprefix(_OLD) if inside else name


def _listed(aliases: list[ast.alias]) -> str:
    return ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in aliases)
