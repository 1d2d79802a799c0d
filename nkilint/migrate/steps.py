"""The steps of a migration: what each changes, for which version, and who can decide it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from nkilint_rules.words.dialects import BETA1 as BETA_1
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.versions import version_key

if TYPE_CHECKING:
    from .destinations import Pending
    from .facts import Facts
    from .rewriting import Rewriter
    from .source import Source

BETA1 = "B1"
VERSIONS = (BETA1, "0.2", "0.3", "0.4", "0.5", "0.6")
"""Those that code can be migrated from and to, oldest first."""

LETTERS = {
    "A": "certain by the text alone",
    "E": "certain where the evaluation of the kernel has shown it",
    "P": "left to a person",
}

Rewrite = Callable[["Rewriter", Any], "str | Pending | None"]

CORES = 2
"""Programs that a launch of `nki` has at most."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All files of a migration by their paths, and what the evaluator knows of them."""

    sources: Mapping[str, Source]
    facts: Callable[[], Facts]

    def on_device(self, source: Source, node: ast.stmt) -> bool:
        """Whether a kernel runs through a statement."""
        return any((source.path, node.lineno) in rows for rows in self.facts().reached.values())


Whole = Callable[["Source", Surroundings], tuple[str, int]]
"""From a file and what is around it to its new text, and how often it was changed."""


COPYING = """

@nki.jit
def kernel(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


kernel(np.ones((128, 256), np.float32))
"""
SUM = (
    "a = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)\nnisa.memset(dst=a, value=1.0)\n"
    "p = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)\n"
    "nisa.nc_matmul(dst=p, stationary=a, moving=a)\n"
)
"""Statements of an example that leave a product in `p`."""
"""A kernel and its launch, for examples of steps that change nothing inside of kernels."""


@dataclass(frozen=True, slots=True)
class Example:
    """A piece of a kernel before and after, or a whole file; both are run by the tests. `x` and `out` are the tensors
    of 128 rows and 256 columns that the kernel gets and returns."""

    before: str
    after: str


@dataclass(eq=False)
class Step:
    """One change that version `to` asks for. `page` says what, and why; its first line ends the thought.

    A function under `rewrites` gives the new text of nodes of a kind, or None where it has nothing to say of one;
    one under `calls` that of calls of an operation, by the names of the rulebook.
    """

    name: str
    to: str
    letter: str
    page: str
    examples: tuple[Example, ...] = ()
    mends: tuple[str, ...] = ()  # rules that the version brought, which what is rewritten breaks
    nodes: dict[type[ast.AST], Rewrite] = field(default_factory=dict)
    operations: dict[str, Callable[..., Any]] = field(default_factory=dict)
    restates: bool = False  # what was written means something else today, so no run shows what it meant
    rounds: bool = False  # operations become others, which may round their results otherwise
    whole: Whole | None = None  # rewrites a file before anything else looks at it

    def rewrites(self, *kinds: type[ast.AST]) -> Callable[[Rewrite], Rewrite]:
        def register(rewrite: Rewrite) -> Rewrite:
            self.nodes.update(dict.fromkeys(kinds, rewrite))
            return rewrite

        return register

    def calls(self, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(rewrite: Callable[..., Any]) -> Callable[..., Any]:
            self.operations.update(dict.fromkeys(names, rewrite))
            return rewrite

        return register

    def first(self, rewrite: Whole) -> Whole:
        self.whole = rewrite
        return rewrite

    @property
    def title(self) -> str:
        return self.page.strip().partition("\n")[0]


@cache
def steps() -> tuple[Step, ...]:
    """All steps, by version and name."""
    return tuple(sorted(_found(f"{__package__}.passes"), key=lambda s: (order(s.to), s.name)))


def _found(package: str) -> Iterator[Step]:
    for module in iter_modules(import_module(package).__path__):
        inside = f"{package}.{module.name}"
        if module.ispkg:
            yield from _found(inside)
            continue
        yield from (v for k, v in vars(import_module(inside)).items() if k == "STEP")


def order(version: str) -> tuple[int, ...]:
    """A key by which versions sort."""
    return (0, 1) if version == BETA1 else version_key(version)


def dialect_before(version: str) -> str:
    """The dialect that a version is migrated to from."""
    return BETA_1 if version == "0.2" else NKI


def hops(before: str, after: str) -> tuple[str, ...]:
    """The versions that are passed through on the way from one to another, the last one included."""
    return tuple(v for v in VERSIONS if order(before) < order(v) <= order(after))
