"""Imports name `nki` instead of `neuronxcc.nki`.

From 0.4 on the old namespace does not compile.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter, Undecided
from nkilint.migrate.steps import COPYING, Example, Step

_WAITING = (
    "\n\ndef wait(x):\n    from neuronxcc.nki._private.private_api import core_barrier\n\n    core_barrier(x, (0, 1))\n"
)
_PRIVATE = "`{}` is private to the compiler of Beta 1, and `nki` documents nothing in its place"
_WAITED = _WAITING.replace(
    "    from", f"    # nkilint: migrate: {_PRIVATE.format('neuronxcc.nki._private.private_api')}\n    from"
).replace("    core", f"    # nkilint: migrate: {_PRIVATE.format('core_barrier')}\n    core")
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
        Example(
            f"import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\nimport numpy as np\n{COPYING}"
            f"{_WAITING}",
            f"import nki\nimport nki.language as nl\nimport numpy as np\n{COPYING}{_WAITED}",
        ),
    ),
)

GONE = frozenset(
    {"benchmark", "baremetal", "profile", "simulate_kernel", "trace", "compiler", "nki_call", "par_dim", "sizeinbytes"}
)
"""Names of the old namespace without a successor; what uses them is rewritten by other steps."""

_RUNNERS = frozenset({"benchmark", "baremetal", "profile", "simulate_kernel", "trace"})


@STEP.rewrites(ast.Import)
def module(r: Rewriter, node: ast.Import) -> str | None:
    """`import neuronxcc.nki.language as nl`."""
    parts, changed = [], False
    for alias in node.names:
        name = alias.name
        if _is_private(name) or _is_private(f"{name}.*"):
            raise Undecided(_PRIVATE.format(name))
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
    if _is_private(f"{source}.*") and source not in ("neuronxcc.nki", "neuronxcc"):
        raise Undecided(_PRIVATE.format(source))
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


def _is_private(dotted: str) -> bool:
    """Whether a dotted name is one of the compiler's own, or in a module of NKI that no page names."""
    if not dotted.startswith("neuronxcc.nki."):
        return False
    first, *rest = dotted.split(".")[2:]
    return any(part.startswith("_") for part in (first, *rest)) or (bool(rest) and first not in _MODULES)


_MODULES = frozenset({"compiler", "isa", "kernels", "language", "typing"})


@STEP.rewrites(ast.Call)
def private(r: Rewriter, node: ast.Call) -> None:
    """A call of what is private."""
    dotted = r.dotted(node.func) or ""
    if _is_private(dotted):
        raise Undecided(_PRIVATE.format(dotted.rpartition(".")[2]))


def _needs_top(r: Rewriter, node: ast.ImportFrom) -> bool:
    """Whether what takes the place of a name that goes is named by `nki`, which nothing else imports."""
    if any(dotted in ("neuronxcc.nki", "nki") for dotted in r.imports.values()):
        return False
    gone = {a.asname or a.name for a in node.names if a.name in _RUNNERS}
    return any(isinstance(n, ast.Name) and n.id in gone for n in ast.walk(r.source.tree))


def _listed(aliases: list[ast.alias]) -> str:
    return ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in aliases)
