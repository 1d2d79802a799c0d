"""Imports name `nki` instead of `neuronxcc.nki`.

From 0.4 on the old namespace does not compile.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import COPYING, Example, Step

STEP = Step(
    "imports",
    "0.2",
    "A",
    __doc__,
    (
        Example(
            f"from neuronxcc import nki\nimport neuronxcc.nki.language as nl\nimport numpy as np\n{COPYING}",
            f"import nki\nimport nki.language as nl\nimport numpy as np\n{COPYING}",
        ),
    ),
)

GONE = frozenset({"benchmark", "baremetal", "profile", "simulate_kernel", "trace", "compiler", "nki_call", "par_dim"})
"""Names of the old namespace without a successor; what uses them is rewritten by other steps."""

_RUNNERS = frozenset({"benchmark", "baremetal", "profile", "simulate_kernel", "trace"})


@STEP.rewrites(ast.Import)
def module(r: Rewriter, node: ast.Import) -> str | None:
    """`import neuronxcc.nki.language as nl`."""
    parts, changed = [], False
    for alias in node.names:
        name = alias.name
        if name == "neuronxcc.nki" or name.startswith("neuronxcc.nki."):
            changed = True
            new = name.removeprefix("neuronxcc.")
            if new == "nki.compiler" or new.startswith("nki.compiler."):
                continue
            local = f" as {alias.asname}" if alias.asname and alias.asname != new else ""
            parts.append(f"{new}{local}")
        else:
            parts.append(f"{name} as {alias.asname}" if alias.asname else name)
    if not changed:
        return None
    return f"import {', '.join(parts)}" if parts else ""


@STEP.rewrites(ast.ImportFrom)
def names(r: Rewriter, node: ast.ImportFrom) -> str | None:
    """`from neuronxcc.nki import ...` and `from neuronxcc import nki`."""
    source = node.module or ""
    if node.level or not (source == "neuronxcc" or source == "neuronxcc.nki" or source.startswith("neuronxcc.nki.")):
        return None
    if source == "neuronxcc":
        lines = []
        kept = [a for a in node.names if a.name != "nki"]
        for alias in node.names:
            if alias.name == "nki":
                lines.append("import nki" + (f" as {alias.asname}" if alias.asname and alias.asname != "nki" else ""))
        if kept:
            lines.append(f"from neuronxcc import {_listed(kept)}")
        return "; ".join(lines) if r.source.indent(node) is None else f"\n{r.source.indent(node)}".join(lines)
    new = source.removeprefix("neuronxcc.")
    kept = [a for a in node.names if a.name not in GONE] if not new.startswith("nki.compiler") else []
    if [a.name for a in kept] == [a.name for a in node.names]:
        return r.source.text_of(node).replace(source, new, 1)
    lines = ["import nki"] if new == "nki" and _needs_top(r, node) else []
    lines += [f"from {new} import {_listed(kept)}"] if kept else []
    indent = r.source.indent(node)
    return ("; " if indent is None else f"\n{indent}").join(lines)


def _needs_top(r: Rewriter, node: ast.ImportFrom) -> bool:
    """Whether what takes the place of a name that goes is named by `nki`, which nothing else imports."""
    if any(dotted in ("neuronxcc.nki", "nki") for dotted in r.imports.values()):
        return False
    gone = {a.asname or a.name for a in node.names if a.name in _RUNNERS}
    return any(isinstance(n, ast.Name) and n.id in gone for n in ast.walk(r.source.tree))


def _listed(aliases: list[ast.alias]) -> str:
    return ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in aliases)
