"""Answers about lowered statements that their text alone tells, remembered for as long as it is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from nkilint.base import ir
from nkilint.base.store import Memory
from nkilint.base.walk import parts, walk
from nkilint_rules.words.records import dataclass

Answer = TypeVar("Answer")
_ANSWERS = Memory(16_384)


def text_of(function: ir.FunctionDef, module: ir.Module) -> str:
    """The text of a function without its decorators; empty if it is not of the file."""
    rows = slice(function.at.row - 1, function.whole.end_row)
    return "\n".join(module.lines[rows]) if function.at.file == module.path else ""


def text_of_statement(node: ir.Node, module: ir.Module) -> str:
    """The rows of a statement, and where in them it is; empty if these are not all of it, or not of the file."""
    at = node.whole if isinstance(node, ir.FunctionDef) else node.at
    if isinstance(node, ir.ClassDef) or at.file != module.path:
        return ""
    return "\n".join((f"{at.column} {at.end_column}", *module.lines[at.row - 1 : at.end_row]))


def has_word(text: str, word: str) -> bool:
    """Whether a word stands in a text; a regular expression takes much longer to find that."""
    at = text.find(word)
    while at >= 0:
        around = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not any(letter.isidentifier() or letter.isdigit() for letter in around):
            return True
        at = text.find(word, at + 1)
    return False


def key_of(text: str) -> str:
    """What stands for a text, however long that is."""
    return blake2b(text.encode("utf-8", "surrogatepass")).hexdigest()


def by_text(question: str, answer: Callable[[], Answer], text: str) -> Answer:
    """The answer to a question about what a text says, which is not empty; it is never None, and holds no place."""
    key = key_of(text)
    known: Any = _ANSWERS.get(question, key)
    if known is None:
        known = answer()
        _ANSWERS.put(question, key, known)
    found: Answer = known
    return found


@dataclass(frozen=True, slots=True)
class Folded(Generic[Answer]):
    """A question about a statement whose answer is made of those of what is in it: of the nodes in no block of it, and
    of the statements in its blocks."""

    name: str
    of_head: Callable[[Sequence[ir.Node]], Answer]
    together: Callable[[Iterable[Answer]], Answer]

    def of(self, statement: ir.Stmt, module: ir.Module) -> Answer:
        """The answer of a statement."""

        def made() -> Answer:
            head, inside = apart(statement)
            return self.together([self.of_head(head), *(self.of(each, module) for each in inside)])

        text = text_of_statement(statement, module)
        return by_text(self.name, made, text) if text else made()


def apart(statement: ir.Stmt) -> tuple[list[ir.Node], list[ir.Stmt]]:
    """A statement with the nodes that are in no block of it, and the statements of its blocks."""
    inside = [part for part in parts(statement) if isinstance(part, ir.Stmt)]
    if not inside:
        return list(walk(statement)), inside
    head = (part for part in parts(statement) if not isinstance(part, ir.Stmt))
    return [statement, *(node for part in head for node in walk(part))], inside
