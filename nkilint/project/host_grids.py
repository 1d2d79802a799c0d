"""Launch grids that functions of the host compute of what they hand to a kernel, by their text.

`def add(a, b): return add_kernel[a.shape[0] // 128](a, b)`: what the function is called with is open, and how many
programs that makes is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from nkilint.base import ir
from nkilint.base.names import own_names
from nkilint.base.walk import walk
from nkilint_rules.words.records import dataclass

from .discovery import LaunchSite

_PLAIN = (
    ir.Name, ir.Const, ir.Attr, ir.Index, ir.SliceExpr, ir.Binary, ir.Unary, ir.Sequence, ir.Call, ir.Conditional,
    ir.Compare,
)  # fmt: skip
_FUNCTIONS = frozenset({"ceil", "cdiv", "div_ceil", "ceildiv", "int", "len", "max", "min"})
_ASKING = frozenset({"program_id", "num_programs"})


@dataclass(frozen=True, slots=True, eq=False)
class HostGrid:
    """A grid in a function of the host: which of its names hold which parameters of the kernel, and the names that it
    computes of these, in order: a value with the name for it, or with those that it is unpacked into."""

    host: ir.FunctionDef
    handed: tuple[tuple[str, str], ...]
    computed: tuple[tuple[ir.Expr, ir.Expr], ...]
    grid: ir.Expr
    call: ir.Call

    @property
    def takes_parts(self) -> bool:
        """Whether it hangs on how many dimensions there are, by a part of a shape."""
        return any(isinstance(n, ir.SliceExpr) for n in walk((self.grid, *(value for _, value in self.computed))))


def host_grids(kernel: ir.FunctionDef, module: ir.Module, sites: Sequence[LaunchSite]) -> tuple[HostGrid, ...]:
    """The grids of a kernel that asks for its program; none if one of its launches has another kind of grid."""
    if not any(isinstance(node, ir.Attr) and node.name in _ASKING for node in walk(kernel.body)):
        return ()
    found = [_host_grid(kernel, site) if site.module is module else None for site in sites]
    grids = tuple(grid for grid in found if grid is not None)
    return grids if len(grids) == len(found) else ()


def _host_grid(kernel: ir.FunctionDef, site: LaunchSite) -> HostGrid | None:
    host = site.enclosing
    if host is None or site.grid is None or host.name.startswith("test"):
        return None
    bound = Counter(name for node in walk(host.body) for name in own_names(node))
    given = {p.name for p in host.params}
    made = {
        name
        for statement in host.body
        for name in _names_of(statement)
        if bound[name] == 1 and any(isinstance(n, ir.Name) and n.id in given for n in walk((statement,)))
    }
    own = {name for name in given if name not in bound} | (made - given)
    handed = tuple(
        (argument.id, parameter)
        for parameter, argument in _given(kernel, site.call)
        if isinstance(argument, ir.Name) and argument.id in own
    )
    known = {name for name, _ in handed}
    computed: list[tuple[ir.Expr, ir.Expr]] = []
    for statement in host.body:
        names = _names_of(statement)
        once = {name for name in names if bound[name] == 1 == names.count(name)}
        if once and isinstance(statement, ir.Assign) and _is_plain(statement.value, host, known):
            known |= once
            computed.append((statement.targets[0], statement.value))
    if not handed or not _is_plain(site.grid, host, known):
        return None
    return HostGrid(host, handed, tuple(computed), site.grid, site.call)


def _names_of(statement: ir.Stmt) -> tuple[str, ...]:
    """The names that an assignment gives one value, or its items; none for other statements."""
    if not isinstance(statement, ir.Assign) or len(statement.targets) != 1:
        return ()
    target = statement.targets[0]
    items = target.items if isinstance(target, ir.Sequence) else (target,)
    names = tuple(item.id for item in items if isinstance(item, ir.Name))
    return names if len(names) == len(items) else ()


def _given(kernel: ir.FunctionDef, call: ir.Call) -> Iterator[tuple[str, ir.Expr]]:
    """The kernel's parameters that a call gives, with what it gives."""
    names = [p.name for p in kernel.params if p.kind in ("positional", "positional-only", "keyword")]
    for position, (name, value) in enumerate(call.args):
        if name in ("*", "**"):
            return
        if name is not None or position < len(names):
            yield (names[position] if name is None else name), value


def _is_plain(node: ir.Expr, host: ir.FunctionDef, known: Collection[str]) -> bool:
    """Whether an expression is arithmetic on what is known of the host's names, and nothing else."""
    nodes = list(walk((node,)))
    called = [n.func for n in nodes if isinstance(n, ir.Call)]
    names = {f.name if isinstance(f, ir.Attr) else getattr(f, "id", "") for f in called}
    return names <= _FUNCTIONS and all(
        isinstance(n, _PLAIN) and not (isinstance(n, ir.Name) and n.id in host.locals and n.id not in known)
        for n in nodes
        if isinstance(n, ir.Expr)
    )
