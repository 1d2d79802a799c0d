"""Blocks of code in a document as Python of their own, with what the text around them tells.

A snippet stands in the rows and columns that it has in the document. Before it come the blocks whose names it uses, the
imports that they have, and those that the documentation goes by; other names come from nowhere.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from textwrap import dedent

from nkilint_rules.operations import load_operations
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import DTYPES
from nkilint_rules.words.records import dataclass

from ..preludes import IMPORTS
from .markup import ELSEWHERE, Block

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__"}
_ALIASES = {"nl": "language", "nisa": "isa", "ncc": "compiler"}
_OMITTED = re.compile(r"^\s*#?\s*(?:\.\.\.|…)", re.MULTILINE)
_IMPORTS_NKI = re.compile(r"^(?:from|import)\s+(?:neuronxcc\.)?nki\b", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\.\.\.|…|<[^<>=\n]*\s[^<>=\n]*>")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A block with the Python text in which it can be checked, whose rows are those of the document. `functions` are
    the rows of functions and classes in it, `omitted` of those in which the document leaves something out; `whole` says
    that it defines all that it uses."""

    first: int
    last: int
    text: str
    whole: bool
    functions: tuple[range, ...]
    omitted: tuple[range, ...]

    def in_function(self, row: int) -> bool:
        return any(row in rows for rows in self.functions)

    def shows(self, row: int) -> bool:
        """Whether a row is in the block, and nothing is left out around it."""
        return self.first <= row <= self.last and not any(row in rows for rows in self.omitted)


@dataclass(slots=True)
class _Code:
    """A block that is Python: what it binds by imports and otherwise, and the names that it uses of others."""

    block: Block
    source: str
    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)
    binds: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)


def snippets(lines: Sequence[str], blocks: Iterable[Block]) -> Iterator[Snippet]:
    """The blocks that have to do with NKI."""
    codes = [code for block in blocks if (code := _read(lines, block)) is not None]
    for number, code in enumerate(codes):
        if _concerns_nki(code):
            snippet = _assembled(lines, codes, number)
            if snippet is not None:
                yield snippet


def broken(lines: Sequence[str], blocks: Iterable[Block]) -> Iterator[SyntaxError]:
    """The errors in blocks that claim to be whole, with imports of NKI and nothing left out, and are no Python. Their
    rows are the document's."""
    for block in blocks:
        source = dedent("\n".join(lines[block.first - 1 : block.last]))
        if _IMPORTS_NKI.search(source) and "def " in source and not _PLACEHOLDER.search(source):
            try:
                ast.parse(source)
            except SyntaxError as error:
                error.lineno = block.first - 1 + (error.lineno or 1)
                error.offset = block.indent + (error.offset or 1)
                yield error


def _read(lines: Sequence[str], block: Block) -> _Code | None:
    source = dedent("\n".join(lines[block.first - 1 : block.last]))
    try:
        code = _Code(block, source, ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        return None
    _look_up(symtable.symtable(source, "", "exec"), code)
    for node in ast.walk(code.tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            named = {alias.asname or alias.name.partition(".")[0]: _import_of(node, alias) for alias in node.names}
            code.imports |= {name: text for name, text in named.items() if name in code.binds}
    code.uses -= code.binds | _BUILTINS
    code.binds -= code.imports.keys()
    return code


def _look_up(table: symtable.SymbolTable, code: _Code) -> None:
    """Note the names of the module that a scope and those in it bind and use."""
    outermost = table.get_type() == "module"
    for symbol in table.get_symbols():
        if outermost or symbol.is_global():
            if symbol.is_assigned() or symbol.is_imported():
                code.binds.add(symbol.get_name())
            if symbol.is_referenced():
                code.uses.add(symbol.get_name())
    for child in table.get_children():
        _look_up(child, code)


def _import_of(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import([alias]))
    return ast.unparse(ast.ImportFrom(node.module, [alias], node.level))


def _concerns_nki(code: _Code) -> bool:
    api = {"nki", *_ALIASES}
    return bool(api & code.uses) or any("nki" in text for text in code.imports.values())


def _assembled(lines: Sequence[str], codes: Sequence[_Code], number: int) -> Snippet | None:
    """The snippet of one block; None where it cannot be told in which namespace it is written."""
    known = dict[str, str]()  # imports by the name that they bind
    missing: set[str] = set()
    taken = {number}
    pending = [(name, number) for name in sorted(codes[number].uses)]
    defaults = _usual(_dialect(codes, number))
    while pending:
        name, at = pending.pop()
        source = next((n for n in range(at - 1, -1, -1) if name in codes[n].binds or name in codes[n].imports), None)
        if source is not None and name in codes[source].binds:
            if source not in taken:
                taken.add(source)
                pending += [(other, source) for other in sorted(codes[source].uses)]
            continue
        after = codes[source : source + 1] if source is not None else codes[at + 1 :]
        text = next((code.imports[name] for code in after if name in code.imports), defaults.get(name))
        if text is None:
            missing.add(name)
        else:
            known[name] = text
    return _laid_out(lines, [codes[n] for n in sorted(taken)], codes[number], known, missing)


def _laid_out(
    lines: Sequence[str], taken: Sequence[_Code], own: _Code, known: dict[str, str], missing: set[str]
) -> Snippet | None:
    rows = [""] * own.block.last
    for code in taken:
        block = code.block
        rows[block.first - 1 : block.last] = lines[block.first - 1 : block.last]
        if block.indent:
            rows[block.first - 2] = "if True:"
    head = [known[name] for name in sorted(known)]
    if missing:
        head.append(f"from {ELSEWHERE} import {', '.join(sorted(missing))}")
    if head and rows[0]:
        return None  # there is no room for imports
    rows[0] = rows[0] or "; ".join(head)
    text = "\n".join(rows) + "\n"
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    functions = [
        range(own.block.first + node.lineno - 1, own.block.first + (node.end_lineno or node.lineno))
        for node in own.tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    ]
    omitted = [rows for rows in functions if _OMITTED.search("\n".join(lines[rows[0] - 1 : rows[-1]]))]
    return Snippet(own.block.first, own.block.last, text, not missing, tuple(functions), tuple(omitted))


# --- the namespace ---


def _usual(dialect: str) -> dict[str, str]:
    """The imports that names of the documentation stand for, by name; dtypes often stand there without `nl`."""
    language = "neuronxcc.nki.language" if dialect == BETA1 else "nki.language"
    found = {name: f"from {language} import {name}" for name in DTYPES}
    for node in ast.parse(IMPORTS[dialect]).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found[alias.asname or alias.name] = _import_of(node, alias)
    return found


def _dialect(codes: Sequence[_Code], number: int) -> str:
    """The namespace that a block is written in: as it imports, else as its calls fit, else as those around it."""
    own = codes[number]
    for chosen in ([own], [*codes[:number][::-1], *codes[number:]]):
        for code in chosen:
            named = [text for text in code.imports.values() if re.search(r"\bnki\b", text)]
            if named:
                return BETA1 if any("neuronxcc" in text for text in named) else NKI
        fits = {dialect: sum(_fit(code, dialect) for code in chosen) for dialect in (BETA1, NKI)}
        if fits[BETA1] != fits[NKI]:
            return max(fits, key=lambda dialect: fits[dialect])
    return NKI


def _fit(code: _Code, dialect: str) -> int:
    """How many calls of a block there can be in a namespace."""
    fitting = 0
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            alias, _, leaf = ast.unparse(node.func).partition(".")
            operation = load_operations().get(f"{_ALIASES.get(alias)}.{leaf}")
            form = operation and (operation.beta1 if dialect == BETA1 else operation.nki)
            if form:
                known = re.findall(r"\w+", form.text)
                fitting += all(k.arg is None or k.arg in known or "**" in form.text for k in node.keywords)
    return fitting
