"""Decorators and calls of the host: `nki.jit` and `nki.simulate` are what is left of them.

Kernels that other kernels call are plain functions, and hints to the old compiler go.
"""

from __future__ import annotations

import ast
import os
from math import prod

from nkilint.base import ir
from nkilint.base.trees import Function
from nkilint.fixes.edits import Edit
from nkilint.migrate.launches import is_open, launches
from nkilint.migrate.placing import only_allocates
from nkilint.migrate.rewriting import Note, Rewriter, Undecided
from nkilint.migrate.steps import COPYING, CORES, Example, Step

STEP = Step(
    "host",
    "0.2",
    "A",
    __doc__,
    (
        Example(
            "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\nimport numpy as np\n"
            + COPYING.replace("kernel(np", "nki.simulate_kernel(kernel, np"),
            "import nki\nimport nki.language as nl\nimport numpy as np\n"
            + COPYING.replace("kernel(np", "nki.simulate(kernel)(np"),
        ),
    ),
)

_RUNNERS = frozenset({"baremetal", "benchmark", "profile", "trace"})
_KNOWN_OPTIONS = frozenset({"mode", "platform_target"})


@STEP.rewrites(ast.FunctionDef)
def decorators(r: Rewriter, node: ast.FunctionDef) -> str | None:
    """What stands above a kernel."""
    grids = r.facts.grids.get((r.source.path, node.name), ())
    programs = max((prod(n for n in grid if isinstance(n, int)) for grid in grids), default=1)
    if programs > CORES:
        raise Undecided(f"it is launched with {programs} programs, and `nki` has {CORES} at most: loop over the rest")
    if any(is_open(r.source, c, r.facts) for c in launches(r.source, frozenset({(r.source.path, node.name)}))):
        raise Undecided(f"it may be launched with more programs than the {CORES} that `nki` has: loop over the rest")
    around = r.source.function(node)
    if around is not None and (node in (unused := only_allocates(r)) or around in unused):
        if around not in unused and r.runs_on_device(around):
            r.edits.append(r.source.removal(node))
            r.removed.add(node)
            return ""
        return None
    if around is not None and r.runs_on_device(around) and _is_unused(r, node, around):
        _comment_out(r, node)
        return ""
    if around is not None and r.runs_on_device(node) and r.runs_on_device(around) and not _is_body(r, node, around):
        raise Undecided(f"`{node.name}` is a function inside a function, which no kernel of `nki` has: move it out")
    done = None
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        named = r.api(called)
        if named is None or named[0] != "neuronxcc":
            continue
        name = named[1]
        if name.startswith("compiler.") or (name in ("jit", "trace") and _is_inner(r, node)):
            _remove(r, node, decorator)
            done = ""
    return done


def _is_body(r: Rewriter, node: ast.FunctionDef, around: Function) -> bool:
    """Whether a function is the body of a loop that the device counts, as `nki` has them."""
    calls = [n for n in ast.walk(around) if isinstance(n, ast.Call) and (r.dotted(n.func) or "") in _LOOPS]
    return any(isinstance(a, ast.Name) and a.id == node.name for c in calls for a in c.args)


_LOOPS = frozenset({"nki.language.fori_loop", "nki.language.while_loop"})


def _is_unused(r: Rewriter, node: ast.FunctionDef, around: Function) -> bool:
    """Whether nothing names a function inside a kernel."""
    named = (n for n in ast.walk(around) if isinstance(n, ast.Name) and n.id == node.name)
    return r.source.indent(node) is not None and len(around.body) > 1 and not any(named)


def _comment_out(r: Rewriter, node: ast.FunctionDef) -> None:
    """A function that nothing calls becomes a comment, as kernels have none inside."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    indent, last = r.source.indent(node) or "", node.end_lineno or node.lineno
    lines = r.source.lines[first - 1 : last]
    text = "".join(f"{indent}# {line.removeprefix(indent)}".rstrip() + "\n" for line in lines)
    r.edits.append(Edit(first, 1, last + 1, 1, text))
    r.removed.add(node)
    r.notes.append(Note(node.lineno, "A", STEP.name, f"nothing calls `{node.name}`, which is a comment now"))


def _is_inner(r: Rewriter, node: ast.FunctionDef) -> bool:
    """Whether only kernels call it."""
    here = r.source.path, node.name
    return here in r.facts.inner and here not in r.facts.launched


def _remove(r: Rewriter, node: ast.FunctionDef, decorator: ast.expr) -> None:
    row, column, end_row, _ = r.source.place(decorator)
    if r.source.lines[row - 1][: column - 1].strip() != "@":
        raise Undecided("a decorator that shares its line")
    r.edits.append(Edit(row, 1, end_row + 1, 1, ""))
    r.removed.add(decorator)


@STEP.calls("jit", "baremetal", "benchmark", "profile", "trace")
def runner(r: Rewriter, node: ast.Call) -> str | None:
    """`nki.benchmark(...)` and the like, as decorators or in host code."""
    name = r.operation(node) or ""
    jit = f"{r.top()}.jit"
    if name in _RUNNERS:
        if name in ("benchmark", "profile"):
            row = r.source.place(node)[0]
            r.notes.append(Note(row, "A", STEP.name, f"`nki.{name}` is gone: the kernel runs without being measured"))
        if len(node.args) == 1 and _is_decorated(r, node.args[0]):
            return r.render(node.args[0])
        arguments = ", ".join(r.render(a) for a in node.args)
        return f"{jit}({arguments})" if arguments else jit
    kept = [k for k in node.keywords if k.arg in _KNOWN_OPTIONS]
    if len(kept) == len(node.keywords):
        return None
    parts = [*(r.render(a) for a in node.args), *(f"{k.arg}={r.render(k.value)}" for k in kept)]
    return f"{jit}({', '.join(parts)})" if parts else jit


@STEP.rewrites(ast.Call)
def applied(r: Rewriter, node: ast.Call) -> str | None:
    """`nki.baremetal()(kernel)` of a kernel that has its decorator."""
    name = r.operation(node.func) if isinstance(node.func, ast.Call) else None
    if name not in _RUNNERS or len(node.args) != 1 or not _is_decorated(r, node.args[0]):
        return None
    r.translate(node.func)  # what there is to tell of it
    return r.render(node.args[0])


def _is_decorated(r: Rewriter, node: ast.expr) -> bool:
    """Whether a name is that of a kernel that its decorator makes, and that keeps it."""
    found = [k for k in r.facts.kernels if isinstance(node, ast.Name) and k.name == node.id]
    if len(found) != 1 or (os.path.abspath(found[0].module.path), found[0].name) in r.facts.inner - r.facts.launched:
        return False
    return any(_makes_kernels(d) for d in found[0].function.decorators)


def _makes_kernels(decorator: ir.Expr) -> bool:
    called = decorator.func if isinstance(decorator, ir.Call) else decorator
    return isinstance(called, (ir.Attr, ir.Name)) and getattr(called, "name", getattr(called, "id", "")) in _MAKERS


_MAKERS = frozenset({"jit", *_RUNNERS})


@STEP.rewrites(ast.Attribute)
def bare(r: Rewriter, node: ast.Attribute) -> str | None:
    """`@nki.baremetal` without arguments, and what `nki.benchmark` measured."""
    if node.attr == "benchmark_result" and r.used.get(STEP.name):
        raise Undecided("`nki.benchmark` is gone: measure the kernel with the Neuron Profiler")
    return _as_value(r, node)


@STEP.rewrites(ast.Name)
def imported(r: Rewriter, node: ast.Name) -> str | None:
    """`baremetal` imported by its name."""
    return _as_value(r, node) if isinstance(node.ctx, ast.Load) else None


def _as_value(r: Rewriter, node: ast.Attribute | ast.Name) -> str | None:
    """What runs kernels, where it is handed on or decorates: all but the function of a call."""
    named, around = r.api(node), r.source.parents.get(node)
    called = isinstance(around, ast.Attribute) or (isinstance(around, ast.Call) and around.func is node)
    if named is None or named[0] != "neuronxcc" or called:
        return None
    if named[1] == "simulate_kernel" and r.reaches("0.3"):
        return f"(lambda kernel, *args, **kwargs: {r.top()}.simulate(kernel)(*args, **kwargs))"
    return f"{r.top()}.jit" if named[1] in _RUNNERS else None


@STEP.calls("language.affine_range", "language.sequential_range", "language.static_range")
def loop(r: Rewriter, node: ast.Call) -> str | None:
    """Loops take no directives to the compiler."""
    if not node.keywords:
        return None
    return f"{r.render(node.func)}({', '.join(r.render(a) for a in node.args)})"


@STEP.calls("simulate_kernel")
def simulated(r: Rewriter, node: ast.Call) -> str:
    """`nki.simulate_kernel(kernel, *arguments)`."""
    if not r.reaches("0.3"):
        raise Undecided("there is no simulator before 0.3")
    if not node.args:
        raise Undecided("the kernel is no positional argument")
    rest = [r.render(a) for a in node.args[1:]]
    rest += [f"{k.arg}={r.render(k.value)}" if k.arg else f"**{r.render(k.value)}" for k in node.keywords]
    return f"{r.top()}.simulate({r.render(node.args[0])})({', '.join(rest)})"
