"""Programs of a large launch grid become iterations of loops.

`nki` runs a kernel on the cores of one device, two at most. A kernel that is launched on more programs takes the sizes
of its grid as an argument, and loops over the programs that it asks for; what it returns is made before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import prod

from nkilint.fixes.edits import Edit, applied
from nkilint.migrate.launches import (
    Call,
    Key,
    are_all,
    bound_in,
    common_rank,
    handed_over,
    is_open,
    launches,
    leaf,
)
from nkilint.migrate.repeating import asks, before_return, is_repeatable, makes_output, read, start_of
from nkilint.migrate.source import Source
from nkilint.migrate.steps import CORES, Example, Step, Surroundings
from nkilint_rules.words.records import dataclass

_KERNEL = """

@nki.jit
def kernel(x{parameter}):
    out = nl.ndarray((512, 256), dtype=x.dtype, buffer=nl.shared_hbm)
{body}
    return out


kernel{launch}
"""
STEP = Step(
    "programs",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\nimport numpy as np\n"
            + _KERNEL.format(
                parameter="",
                body="    i = nl.program_id(0)\n    tile = nl.load(x[nl.ds(128 * i, 128), :])\n"
                "    nl.store(out[nl.ds(128 * i, 128), :], tile)",
                launch="[4](np.ones((512, 256), np.float32))",
            ),
            "import nki\nimport nki.language as nl\nimport numpy as np\n"
            + _KERNEL.format(
                parameter=", grid=(1,)",
                body="    for i in nl.affine_range(grid[0]):\n        tile = nl.load(x[nl.ds(128 * i, 128), :])\n"
                "        nl.store(out[nl.ds(128 * i, 128), :], tile)",
                launch="(np.ones((512, 256), np.float32), grid=(4,))",
            ),
        ),
    ),
)

_AXES = ("axis", "axes")


@dataclass(frozen=True, slots=True)
class Launched:
    """A kernel with its file, the name of the argument that takes its grid, and how many dimensions that has."""

    source: Source
    node: ast.FunctionDef
    name: str
    rank: int


@STEP.first
def looped(source: Source, around: Surroundings) -> tuple[str, int]:
    """The text with the grids of kernels as loops, and how many kernels and launches were changed."""
    kernels = {(k.source.path, k.node.name): k for k in _kernels(around)}
    edits: list[Edit] = []
    for call in launches(source, frozenset(kernels)):
        edits += handed_over(source, call, kernels[call.key].name, kernels[call.key].rank)
    own = [k for k in kernels.values() if k.source.path == source.path]
    count = len(edits) + len(own)
    text = applied(list(dict.fromkeys(edits)), source.text) if edits else source.text
    for kernel in own:
        text = _rewritten(Source(source.path, text), kernel)
    return text, count


# --- which kernels ---


def _kernels(around: Surroundings) -> Iterator[Launched]:
    """The kernels that are launched on more programs than there are cores, or on a number of them that the host
    computes, if all launches of them are understood."""
    facts = around.facts()
    keys = frozenset(facts.devices - facts.inner)
    calls: dict[Key, list[tuple[Source, Call]]] = {}
    for each in around.sources.values():
        for call in launches(each, keys):
            calls.setdefault(call.key, []).append((each, call))
    for file, name in sorted(calls):
        key, source, own = (file, name), around.sources.get(file), calls[file, name]
        node = (
            next((n for n in source.tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
            if source
            else None
        )
        grids, seen = facts.grids.get(key, set()), {(s.path, c.call.lineno) for s, c in own}
        if source is None or node is None or not facts.sites.get(key, set()) <= seen:
            continue
        if not any(prod(g) > CORES for g in grids) and not any(is_open(s, c, facts) for s, c in own):
            continue
        if not all(are_all(s, key, keys, [c for o, c in own if o is s]) for s in around.sources.values()):
            continue
        rank = common_rank(grids, own, {axis for c in asks(node) if (axis := _axis(c)) is not None})
        grid = next(n for n in ("grid", "programs", "launch_grid") if n not in _names(node))
        found = Launched(source, node, grid, rank or 0)
        texts = [s.text for s in around.sources.values() if s is not source]
        if rank and _is_plain(found) and not any(f.name in text for f in _asking(source, node) for text in texts):
            yield found


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.arg for n in ast.walk(node) if isinstance(n, ast.arg)
    }


def _is_plain(kernel: Launched) -> bool:
    """Whether its programs can be iterations: what asks for them is in it alone, and it returns at its end, maybe other
    things by a condition."""
    node, a = kernel.node, kernel.node.args
    if a.vararg or a.kwarg or a.kwonlyargs or not a.args or kernel.source.indent(node.body[0]) is None:
        return False
    inside = [n for n in ast.walk(node) if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not node]
    returns = [n for n in ast.walk(node) if isinstance(n, ast.Return)]
    ending = {id(n) for s in node.body[len(before_return(node)) :] for n in ast.walk(s)}
    if (
        not _may_be_told(kernel.source, node)
        or any(id(n) not in ending for n in returns)
        or any(list(asks(f)) for f in inside)
    ):
        return False
    asked = list(asks(node))
    known = all(_axis(c) is not None or leaf(c.func) == "program_ndim" for c in asked)
    if not asked or not known or any(c.lineno != c.end_lineno for c in asked):
        return False
    texts = [n for n in ast.walk(node) if isinstance(n, ast.JoinedStr)]
    if any(ast.unparse(c) not in kernel.source.text_of(t) for t in texts for c in asks(t)):
        return False
    return _plan(kernel.source, node) is not None


def _helpers(source: Source, node: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The functions of the file that a kernel may run: those that it names, and that these name."""
    functions = [f for f in _functions(source) if f is not node]
    found, names = list[ast.FunctionDef](), _names(node)
    while more := [f for f in functions if f not in found and f.name in names]:
        found += more
        names = names.union(*map(_names, more))
    return found


def _asking(source: Source, node: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The helpers of a kernel that ask which program this is."""
    return [f for f in _helpers(source, node) if list(asks(f)) and node not in source.around(f)]


def _may_be_told(source: Source, node: ast.FunctionDef) -> bool:
    """Whether all helpers that ask for the program can have it as an argument: nothing but the kernel calls them."""
    for helper in _asking(source, node):
        a, asked, calls = helper.args, list(asks(helper)), list(_calls(node, helper))
        named = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == helper.name]
        plain = helper in source.tree.body and a.args and not (a.vararg or a.kwarg or a.kwonlyargs)
        known = all(leaf(c.func) == "program_id" and _axis(c) is not None and c.lineno == c.end_lineno for c in asked)
        taken = {f"program_{_axis(c)}" for c in asked} & (_names(helper) | _names(node))
        given = [v for c in calls for v in (*c.args, *c.keywords)]
        unpacked = any(isinstance(v, ast.Starred) or (isinstance(v, ast.keyword) and v.arg is None) for v in given)
        written = any(list(asks(t)) for t in ast.walk(helper) if isinstance(t, ast.JoinedStr))
        if not plain or not known or taken or unpacked or written or len(named) != len(calls):
            return False
    return True


def _calls(node: ast.AST, helper: ast.FunctionDef) -> Iterator[ast.Call]:
    for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
        if isinstance(call.func, ast.Name) and call.func.id == helper.name:
            yield call


def _functions(source: Source) -> Iterator[ast.FunctionDef]:
    return (n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef))


def _axis(call: ast.Call) -> int | None:
    """The dimension of the grid that is asked about, if it is written out."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg in _AXES)]
    known = len(given) == 1 and isinstance(given[0], ast.Constant) and isinstance(given[0].value, int)
    return given[0].value if known and leaf(call.func) != "program_ndim" else None  # type: ignore[attr-defined]


# --- the kernel ---


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the loops begin and end, which statements stand before them, and what counts the programs."""

    first: int
    last: int
    hoisted: tuple[ast.stmt, ...]
    counters: dict[int, ast.Assign]


def _plan(source: Source, node: ast.FunctionDef) -> Plan | None:
    """How the body of a kernel becomes loops; None where that is not certain."""
    body = before_return(node)
    returned = {n.id for s in node.body[len(body) :] for n in ast.walk(s) if isinstance(n, ast.Name)}
    start = start_of(body)
    if start is None:
        return None
    counters: dict[int, ast.Assign] = {}
    for s in body[start:]:
        axis = _counted(source, node, s)
        if axis is not None and isinstance(s, ast.Assign):
            counters.setdefault(axis, s)
    inside = [s for s in body[start:] if s not in counters.values()]
    bound = {n for s in inside for n in bound_in(s)} | {n for s in counters.values() for n in bound_in(s)}
    hoisted: list[ast.stmt] = []
    for s in inside:
        if isinstance(s, ast.Assign) and bound_in(s) <= returned and makes_output(s) and not read(s) & bound:
            hoisted.append(s)
            bound -= bound_in(s)
    lines = [s.lineno for s in inside] + [s.end_lineno or 0 for s in inside]
    whole = all(source.indent(s) is not None for s in body[start:])
    if not is_repeatable(body[start:], {a.arg for a in node.args.args}):
        return None
    if returned & bound or not inside or not whole or any(list(asks(s)) for s in hoisted):
        return None
    last = max([*lines, *(s.lineno for s in counters.values())])
    return Plan(min(s.lineno for s in body[start:]), last, tuple(hoisted), counters)


def _counted(source: Source, node: ast.FunctionDef, s: ast.stmt) -> int | None:
    """The dimension in `name = nl.program_id(dimension)`, if that is all that the name stands for."""
    if not isinstance(s, ast.Assign) or len(s.targets) != 1 or not isinstance(s.targets[0], ast.Name):
        return None
    if not isinstance(s.value, ast.Call) or leaf(s.value.func) != "program_id":
        return None
    name = s.targets[0].id
    stores = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]
    alone = not source.lines[s.lineno - 1][s.end_col_offset or 0 :].strip().startswith(";")
    return _axis(s.value) if len(stores) == 1 and alone else None


def _rewritten(source: Source, kernel: Launched) -> str:
    """The file with the loops in the kernel, which takes its grid."""
    node = _found(source, kernel)
    plan = _plan(source, node)
    assert plan is not None
    helpers = _asking(source, node)
    calls = (c for f in (node, *helpers) for c in asks(f))
    used = sorted({axis for c in calls if leaf(c.func) == "program_id" and (axis := _axis(c)) is not None})
    names = {axis: plan.counters[axis].targets[0].id if axis in plan.counters else f"program_{axis}" for axis in used}  # type: ignore[attr-defined]
    skipped = {id(s.value) for s in plan.counters.values()}
    texts = [n for n in ast.walk(node) if isinstance(n, ast.JoinedStr)]
    inside = {id(c) for text in texts for c in asks(text)}
    asked = [c for c in asks(node) if id(c) not in skipped and id(c) not in inside]
    edits = [Edit(*source.place(c), _instead(c, kernel, names)) for c in asked]
    for text in texts:
        new = source.text_of(text)
        for call in asks(text):
            new = new.replace(ast.unparse(call), _instead(call, kernel, names))
        edits += [Edit(*source.place(text), new)] if new != source.text_of(text) else []
    default = f"({', '.join(['1'] * kernel.rank)}{',' if kernel.rank == 1 else ''})"
    edits.append(_parameter(source, node, f"{kernel.name}={default}"))
    for helper in helpers:
        edits += _told(source, node, helper, names)
    source = Source(source.path, applied(edits, source.text))
    return _with_loops(source, kernel, names, plan)


def _parameter(source: Source, node: ast.FunctionDef, text: str) -> Edit:
    """One more parameter, behind the others."""
    after: ast.expr | ast.arg = node.args.defaults[-1] if node.args.defaults else node.args.args[-1]
    if not node.args.defaults and isinstance(after, ast.arg) and after.annotation is not None:
        after = after.annotation
    row, column = source.place(after)[2:]
    return Edit(row, column, row, column, f", {text}")


def _told(source: Source, node: ast.FunctionDef, helper: ast.FunctionDef, names: dict[int, str]) -> Iterator[Edit]:
    """A helper that gets the program instead of asking for it."""
    axes = sorted({axis for c in asks(helper) if (axis := _axis(c)) is not None})
    yield _parameter(source, helper, ", ".join(f"program_{axis}=0" for axis in axes))
    for call in asks(helper):
        yield Edit(*source.place(call), f"program_{_axis(call)}")
    for call in _calls(node, helper):
        given = ", ".join(f"program_{axis}={names[axis]}" for axis in axes)
        last = max((source.place(a)[2:] for a in (*call.args, *(k.value for k in call.keywords))), default=None)
        row, column = last or (source.place(call)[2], source.place(call)[3] - 1)
        yield Edit(row, column, row, column, f", {given}" if last else given)


def _instead(call: ast.Call, kernel: Launched, names: dict[int, str]) -> str:
    """What says in a loop what a call asks about the programs."""
    axis = _axis(call)
    if axis is None:
        return f"len({kernel.name})"
    return names[axis] if leaf(call.func) == "program_id" else f"{kernel.name}[{axis}]"


def _found(source: Source, kernel: Launched) -> ast.FunctionDef:
    return next(f for f in source.tree.body if isinstance(f, ast.FunctionDef) and f.name == kernel.node.name)


def _with_loops(source: Source, kernel: Launched, names: dict[int, str], plan: Plan) -> str:
    node = _found(source, kernel)
    body = before_return(node)
    moved = {s.lineno for s in (*plan.hoisted, *plan.counters.values())}
    indent, deeper = source.indent(node.body[0]) or "", source.deeper
    comments = {a: _comment(source, s) for a, s in plan.counters.items()}
    rows = [r for s in body if s.lineno in moved for r in range(s.lineno, (s.end_lineno or s.lineno) + 1)]
    ahead = [source.lines[r - 1] for s in body if s.lineno in {h.lineno for h in plan.hoisted} for r in _rows(s)]
    nl = _language(source)
    loops = [
        f"{indent}{deeper * depth}for {name} in {nl}.affine_range({kernel.name}[{axis}]):{comments.get(axis, '')}"
        for depth, (axis, name) in enumerate(names.items())
    ]
    inside = {n for s in body for n in _inside_strings(s)}
    lines = []
    for row in range(plan.first, plan.last + 1):
        if row not in rows:
            line = source.lines[row - 1]
            lines.append(line if row in inside or not line.strip() else deeper * len(names) + line)
    while lines and not lines[0].strip():
        lines.pop(0)
    text = "".join(f"{line}\n" for line in (*ahead, *loops, *lines))
    return applied([Edit(plan.first, 1, plan.last + 1, 1, text)], source.text)


def _rows(s: ast.stmt) -> range:
    return range(s.lineno, (s.end_lineno or s.lineno) + 1)


def _comment(source: Source, s: ast.stmt) -> str:
    rest = source.lines[(s.end_lineno or s.lineno) - 1].encode()[s.end_col_offset or 0 :].decode()
    return rest.rstrip()


def _language(source: Source) -> str:
    """What the file calls `nki.language`."""
    for call in (c for f in _functions(source) for c in ast.walk(f) if isinstance(c, ast.Attribute)):
        if call.attr in ("load", "store", "ndarray", "affine_range", "program_id", "num_programs"):
            return ast.unparse(call.value)
    return "nl"


def _inside_strings(node: ast.AST) -> Iterator[int]:
    """The rows that begin inside of a string."""
    for n in ast.walk(node):
        if isinstance(n, (ast.Constant, ast.JoinedStr)) and n.end_lineno is not None:
            yield from range(n.lineno + 1, n.end_lineno + 1)
