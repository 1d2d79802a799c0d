"""Texts from one version to another, a version at a time."""

from __future__ import annotations

import ast
import os
import re
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from nkilint.base.options import Options
from nkilint.base.source import Overlay, SourceError, decode, encode, read_bytes
from nkilint.base.trees import BLOCKS
from nkilint.project.files import Project
from nkilint.project.imports import Imports
from nkilint_rules.words.dialects import BETA1

from .cleaning import (
    is_gone,
    left_names,
    without_gone_names,
    without_unused_grids,
    without_unused_helpers,
    without_unused_methods,
    without_unused_names,
)
from .facts import Facts, gather
from .grids import GRIDS
from .handed_back import handed_back, without_handed_grids
from .imported import aliases, hiding, inner_imports, starred
from .known_grids import grid_methods, grid_names, grid_statements, is_index, plain_grids
from .layout import without_more_blanks
from .parameters import without_grid_parameters
from .reading import loads_of
from .rewriting import Note, Rewriter
from .shared import Api, bound_to_grids, makers_of, rows_of, shared
from .source import Source
from .steps import LETTERS, Step, Surroundings, Whole, dialect_before, hops, steps

Reached = dict[tuple[str, str], frozenset[tuple[str, int]]]
"""By file and name of a kernel, the files and rows that it runs through."""


_WHOLE = 5  # changes of whole files, one after the other, on the way to one version
_NOTEBOOK = "a notebook: export its cells as a Python file, and migrate that"


@dataclass(slots=True)
class Rewritten:
    """One file before and after, with what is left to do in it and which steps had part."""

    path: str
    before: bytes
    after: bytes
    notes: list[Note] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)
    problem: str = ""
    makers: dict[str, range] = field(default_factory=dict)  # what only makes index grids, or is one, with its rows


def rewrite(
    paths: Sequence[Path],
    options: Options,
    overlay: Mapping[str, bytes],
    before: str,
    after: str,
    letters: Collection[str] = LETTERS,
) -> tuple[list[Rewritten], Reached]:
    """The files of `paths`, each as version `after` wants it, as far as steps of these letters go; the lines that each
    kernel ran through before."""
    project = Project([str(p) for p in paths], overlay)
    contents = {**overlay}
    found = {e.path: Rewritten(e.path, b"", b"", problem=e.message) for e in project.failures}
    for file in project.targets():
        try:
            data = read_bytes(file, Overlay(contents))
            found[file] = Rewritten(file, data, data)
        except SourceError as error:
            found[file] = Rewritten(file, b"", b"", problem=error.message)
    found.update({file: Rewritten(file, b"", b"", problem=_NOTEBOOK) for file in _notebooks(paths)})
    reached: Reached = {}
    for number, version in enumerate(hops(before, after)):
        gathering = partial(gather, paths, replace(options, nki_version=""))
        if dialect_before(version) == BETA1:  # what has operators in today's kernels was never a tile
            old = [os.path.abspath(e.path) for e in found.values() if b"neuronxcc" in e.after]
            gathering = partial(gathering, through=frozenset(old))
        facts = cache(partial(gathering, dict(contents)))
        for _ in range(_WHOLE):
            if set(letters) != set(LETTERS) or not _first(list(found.values()), facts, version):
                break
            contents.update({os.path.abspath(f): e.after for f, e in found.items() if e.after != e.before})
            facts = cache(partial(gathering, dict(contents)))
        if not number:
            reached = {key: frozenset(rows) for key, rows in with_callees(facts().reached, found.values()).items()}
        for each in found.values():
            if not each.problem:
                _guarded(each, facts, paths, contents, version, after, number > 0, letters)
        if version == "0.2":
            _sweep([e for e in found.values() if not e.problem], project, contents)
            for each in (e for e in found.values() if not e.problem):
                each.notes += _left_names(each)
        contents.update({os.path.abspath(f): e.after for f, e in found.items() if e.after != e.before})
    return list(found.values()), reached


def with_callees(
    reached: Mapping[tuple[str, str], set[tuple[str, int]]], files: Iterable[Rewritten]
) -> Mapping[tuple[str, str], set[tuple[str, int]]]:
    """The rows that kernels ran through, with those of functions that they call and that no evaluation came into."""
    rows: dict[str, set[tuple[str, int]]] = {}  # by the name of a function, where it stands
    calls: list[tuple[tuple[str, int], str]] = []
    for each in files:
        with suppress(SourceError, SyntaxError, ValueError, RecursionError):
            for node in ast.walk(Source(each.path, decode(each.after, each.path)).tree):
                file = os.path.abspath(each.path)
                for name in _function_names(node):
                    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)  # type: ignore[attr-defined]
                    rows.setdefault(name, set()).update((file, row) for row in lines)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    calls.append(((file, node.lineno), node.func.id))
    found = {key: set(own) for key, own in reached.items()}
    for own in found.values():
        before = -1
        while len(own) != before:
            before = len(own)
            for at, name in calls:
                if at in own and not rows.get(name, own) & own:
                    own |= rows[name]
    return found


def _function_names(node: ast.AST) -> list[str]:
    """What the function is called that a statement defines."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    return [node.name] if isinstance(node, ast.FunctionDef) else []


def _notebooks(paths: Sequence[Path]) -> Iterator[str]:
    """Notebooks with kernels of the old namespace."""
    for path in paths:
        for file in sorted(path.rglob("*.ipynb")) if path.is_dir() else [path]:
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if file.suffix == ".ipynb" and not hidden and file.is_file() and b"neuronxcc" in file.read_bytes():
                yield str(file)


def _first(files: Sequence[Rewritten], facts: Callable[[], Facts], version: str) -> bool:
    """What changes whole files before anything else looks at them; whether it changed any."""
    for step in steps():
        if step.to == version and step.whole is not None and _changed(files, facts, step, step.whole):
            return True
    return False


def _changed(files: Sequence[Rewritten], facts: Callable[[], Facts], step: Step, whole: Whole) -> bool:
    """One step over all files; whether it changed any."""
    sources: dict[str, Source] = {}
    for each in files:
        try:
            source = Source(os.path.abspath(each.path), decode(each.after, each.path))
            source.tree  # noqa: B018  - it has to parse
        except (SourceError, SyntaxError, ValueError, RecursionError):
            continue  # what is wrong with the file is told by who reads it next
        sources[each.path] = source
    around = Surroundings({s.path: s for s in sources.values()}, facts)
    changed = False
    for each in files:
        if each.problem or each.path not in sources:
            continue
        try:
            text, count = whole(sources[each.path], around)
            Source(each.path, text).tree  # noqa: B018  - it has to parse
        except (SyntaxError, ValueError, RecursionError):
            continue
        if count:
            each.after, changed = encode(text, each.before), True
            each.used[step.name] = each.used.get(step.name, 0) + count
    return changed


def _guarded(each: Rewritten, *rest: Any) -> None:
    """One file for one version; a fault of this tool leaves it as it was."""
    try:
        _one(each, *rest)
    except RecursionError:
        each.problem = "it nests deeper than can be followed"
    except Exception as fault:  # other files are migrated all the same
        place = traceback.extract_tb(fault.__traceback__)[-1]
        found = f"{type(fault).__name__} in {Path(place.filename).stem}.{place.name}"
        each.after, each.problem = (
            each.before,
            f"nkilint failed on it: {found}; please report it together with the file",
        )


def _one(
    each: Rewritten,
    facts: Callable[[], Facts],
    paths: Sequence[Path],
    contents: Mapping[str, bytes],
    version: str,
    to: str,
    later: bool,
    letters: Collection[str],
) -> None:
    """One file for one version."""
    project = Project([str(p) for p in paths], contents)
    try:
        module = project.module(each.path)
        text = decode(each.after, each.path)
        source = Source(os.path.abspath(module.path), text)
        source.tree  # noqa: B018  - parse it now
    except SourceError as error:
        each.problem = f"line {error.row}: {error.message}"
        return
    except SyntaxError as error:
        each.problem = f"line {error.lineno or 1}: {error.msg}"
        return
    imports = Imports(project)
    table = {**starred(source, imports, module), **inner_imports(source), **imports.table(module)}
    rewriter = Rewriter(source, facts, {**aliases(source, table), **table}, version, to, later, letters)
    rewriter.hiding = hiding(source, imports, module)
    new = rewriter.run()
    if new != text:
        try:
            if version == "0.2":
                new = _cleaned(Source(source.path, new), rewriter, project, contents)
            Source(source.path, new).tree  # noqa: B018  - it has to parse
        except (SyntaxError, ValueError) as error:
            each.problem = f"what {version} would make of it does not parse: {error}"
            return
        each.after = encode(new, each.before)
    if version == "0.2":
        makers = makers_of(source, _operations(rewriter), GRIDS) | bound_to_grids(source, plain_grids(rewriter))
        makers |= _other_names(rewriter)
        each.makers = {name: rows_of(source, name) for name in makers}
        rewriter.notes += [*_left_grids(rewriter, new), *_under_new_names(rewriter)]
    each.notes += rewriter.notes
    for name, count in rewriter.used.items():
        each.used[name] = each.used.get(name, 0) + count


def _makers(rewriter: Rewriter) -> set[str]:
    """The functions that make index grids for others: they are called, and have no other operation of NKI."""
    source = rewriter.source
    called = {n.func.id for n in ast.walk(source.tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    found = {f.name for f in source.tree.body if isinstance(f, ast.FunctionDef) and f.name in called}
    return {name for name in found if (own := _operations(rewriter)[name]) and own <= GRIDS}


def _operations(rewriter: Rewriter) -> dict[str, set[Api]]:
    """By function at the top level, the operations of NKI in it."""
    found: dict[str, set[Api]] = {}
    for function in rewriter.source.tree.body:
        if isinstance(function, ast.FunctionDef):
            names = [n for n in ast.walk(function) if isinstance(n, (ast.Attribute, ast.Name))]
            apis = {api for n in names if (api := rewriter.api(n)) is not None and "." in api[1]}
            found[function.name] = found.get(function.name, set()) | apis
    return found


def _other_names(rewriter: Rewriter) -> set[str]:
    """The names that a module gives to what is gone, in whose place it is written: `sim = nki.simulate_kernel`."""
    found = set()
    for statement in rewriter.source.tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Attribute):
            dialect, name = rewriter.api(statement.value) or ("", "")
            if dialect == BETA1 and name.startswith(("compiler.", "simulate_kernel")):
                names = [t for t in statement.targets if isinstance(t, ast.Name)]
                found |= {t.id for t in names if rewriter.api(t) == (dialect, name)}
    return found


def _sweep(files: Sequence[Rewritten], project: Project, contents: Mapping[str, bytes]) -> None:
    """Take away what made index grids for other files, with what is told of it."""
    named = {os.path.abspath(e.path): e for e in files}
    if not any(e.makers for e in files) or len(project.files) < 2:
        return
    rest = {p: read_bytes(f, Overlay(dict(contents))) for f in project.files if (p := os.path.abspath(f)) not in named}
    before, after = ({**rest, **{p: getattr(e, part) for p, e in named.items()}} for part in ("before", "after"))
    together = shared(before, after, {p: set(e.makers) for p, e in named.items()}, rest)
    together.sweep()
    for path, each in named.items():
        text = together.after[path].text if path in together.after else ""
        if together.gone and text and encode(text, each.before) != each.after:
            each.after = encode(text, each.before)
        rows = {row for file, name in together.gone if file == path for row in each.makers[name]}
        each.notes = [n for n in each.notes if n.row not in rows]


def _cleaned(source: Source, rewriter: Rewriter, project: Project, contents: Mapping[str, bytes]) -> str:
    """The text without what the rewrite has left without use."""

    def matched(*patterns: str) -> bool:
        """Whether another file has something like each of these."""
        others = (file for file in project.files if os.path.abspath(file) != source.path)
        texts = (read_bytes(file, Overlay(dict(contents))) for file in others)
        return any(all(re.search(p.encode(), text) for p in patterns) for text in texts)

    def elsewhere(*names: str) -> bool:
        """Whether another file has all these names."""
        return matched(*(rf"\b{name}\b" for name in names))

    def field_elsewhere(name: str) -> bool:
        """Whether another file may read a field of that name of an object, or name it in a text."""
        return matched(rf"[.'\"]\s*{name}\b")

    grids = frozenset(grid_names(rewriter.source, rewriter.facts))
    new = without_grid_parameters(source, grids, elsewhere)
    handed = handed_back(rewriter.source, rewriter.facts, is_index)
    made = grid_statements(rewriter.source, rewriter.facts) | plain_grids(rewriter)
    of_module, methods, before = partial(elsewhere, re.escape(Path(source.path).stem)), grid_methods(rewriter), ""
    while new != before:
        before, new = new, without_handed_grids(Source(source.path, new), handed, elsewhere, field_elsewhere)
        new = without_unused_grids(Source(source.path, new), grids, made, of_module)
        new = without_unused_methods(Source(source.path, new), methods, elsewhere)
    new = without_unused_helpers(Source(source.path, new), _makers(rewriter), elsewhere)
    new = without_unused_names(Source(source.path, new), _other_names(rewriter), of_module)
    return without_more_blanks(without_gone_names(Source(source.path, new)), rewriter.source.text)


def _left_grids(rewriter: Rewriter, new: str) -> Iterator[Note]:
    """Index grids that are still made in functions of which nothing else is told: what reads them is not known. So is
    what hands on other operations that are gone."""
    source, after = rewriter.source, Source(rewriter.source.path, new)
    rows = {n.row for n in rewriter.notes if n.letter == "P"}
    told = {source.owner(row) for row in rows} - {""}
    left = {(after.owner(s.lineno), after.text_of(s)) for s in _statements(after.tree)}
    told |= {name for name in _makers(rewriter) if _callers(after, name) & told}  # it stays for what is left there
    for statement in _statements(source.tree):
        owner, text, row = source.owner(statement.lineno), source.text_of(statement), statement.lineno
        named = [n for n in ast.walk(statement) if isinstance(n, (ast.Attribute, ast.Name)) and _is_left(rewriter, n)]
        if not named or row in rows or owner in told or (owner, text) not in left:
            continue
        if rewriter.api(named[0]) not in GRIDS:
            yield Note(row, "P", "", f"`{source.text_of(named[0])}` is not there any more")
        elif not owner and _readers(after, statement) & told:
            continue  # it stays for what is left there
        elif isinstance(statement, ast.Assign):
            yield Note(row, "P", "", f"what reads `{text}` is not known")
        elif not _callers(after, owner) & told:  # who asks for it is told of otherwise
            yield Note(row, "P", "", f"what becomes of `{source.text_of(named[0])}` is not known")


def _left_names(each: Rewritten) -> list[Note]:
    """Operations that are gone and that a module still imports, as something left in it names them."""
    before, after = (Source(each.path, decode(data, each.path)) for data in (each.before, each.after))
    why = "`{}` is not there any more, and what is left below names it"
    return [Note(row, "P", "", why.format(name)) for row, name in left_names(before, after)]


def _is_left(rewriter: Rewriter, node: ast.expr) -> bool:
    """Whether an expression names an operation that `nki` does not have."""
    dialect, _, name = ".".join(rewriter.api(node) or ("", "")).partition(".")
    module, _, leaf = name.partition(".")
    return dialect == BETA1 and module in ("language", "isa") and is_gone(f"nki.{module}", leaf)


def _readers(source: Source, statement: ast.stmt) -> set[str]:
    """The functions at the top level that read what a statement of the module assigns."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return {source.owner(n.lineno) for n in loads_of(source, source.tree) if n.id in names} - {""}


def _callers(source: Source, name: str) -> set[str]:
    """The functions at the top level that call one."""
    calls = (n for n in ast.walk(source.tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return {source.owner(n.lineno) for n in calls if n.func.id == name}  # type: ignore[attr-defined]


def _under_new_names(rewriter: Rewriter) -> Iterator[Note]:
    """Code of Beta 1 in a file that imports `nki`, as where somebody replaced its imports alone: it stays."""
    told = any(n.letter == "P" for n in rewriter.notes)  # of what an earlier migration left
    if told or any(dotted.startswith("neuronxcc") for dotted in rewriter.imports.values()):
        return
    for node in ast.walk(rewriter.source.tree):
        if isinstance(node, (ast.Attribute, ast.Name)) and rewriter.dotted(node) in _OLD:
            text = rewriter.source.text_of(node)
            why = (
                f"`{text}` is of Beta 1, and the file imports `nki`: import `neuronxcc.nki` instead, and migrate again"
            )
            yield Note(node.lineno, "P", "", why)
            return


_OLD = frozenset({"nki.language.arange", "nki.language.mgrid", "nki.language.par_dim"})


def _statements(tree: ast.Module) -> list[ast.stmt]:
    """Those that have no others in them."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and not any(hasattr(n, block) for block in BLOCKS)]
