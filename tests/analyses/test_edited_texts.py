"""What is remembered of a text that is edited is what a run that remembers nothing says of it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from nkilint.analyses.text import by_text, code, findings
from nkilint.analyses.text.findings import judge_text
from nkilint.analyses.text.subset import judge_compiled
from nkilint.base.faults import Faults
from nkilint.base.findings import Diagnostic
from nkilint.base.ir import Span
from nkilint.base.store import Memory
from nkilint.project.files import Project
from nkilint.project.imports import Imports

KERNELS = [file.read_text(encoding="utf-8") for file in sorted((Path(__file__).parents[1] / "kernels").glob("s*.py"))]
WAYS = """\
import nki
import nki.isa as nisa
import nki.language as nl
TABLE = {"a": 1}
class C(nl.NKIObject):
    size: int = 1 << 40
    def f(self, a, b=lambda q: q + r): return [size for size in self if (z := size)], C, self.g(a, b, a)
    def g(self, a): self.kept = a; return self.size
def f(a, b, values, *, n=3):
    if a: x = nl.ndarray((128, 4), nl.float32)
    elif b == 1: x = 1; y = 2
    else:
        raise ValueError(f"{x!r:{n}}")
    x = nl.zeros((128, 4), nl.float32)
    for i, (j, k) in enumerate(values):
        while (w := next(b)) and w.shape == w.shape:
            if i > 0: print(first, w if a else lost)
            first, TABLE["b"] = w, j
            break
        else: continue
        with g(k) as m, nl.scope(m): del m
    try:
        p = 4294967296 * 2
    except (ValueError, NameError) as error:
        return p, error, [x for x in values]
    finally:
        global made
        made = p
    match a:
        case [q, *rest] if q: return q
        case {"a": t, **others}: t: int = a
    assert x is x and nisa.get_nc_version() == nisa.nc_version.gen3
    return g(1, 2), x, k, t, first
    print("never")
def g(a): return f(a, a), made, size
def h(a):
    if a: u = 1; v = 2
    return u, v
"""


PLAIN = "\n".join(line for line in WAYS.split("\n") if "global" not in line)
STARRED = "from a import *\n" + WAYS


def told(text: str) -> list[Diagnostic]:
    """What is said of a file and, as if they were compiled, of its functions."""
    project = Project(["k.py"], {"k.py": text.encode()})
    module = project.module("k.py")
    imports, faults = Imports(project), Faults()
    scope = imports.scope(module)
    compiled = [each for each in scope.everything() if each.function is not None]

    def quoted(at: Span) -> str:
        return f"{at.row}:{at.column}"

    found = [*judge_text(scope, imports, faults), *judge_compiled(compiled, "0.2", quoted, faults)]
    assert not faults
    return sorted(found, key=repr)


def afresh(text: str, monkeypatch: pytest.MonkeyPatch) -> list[Diagnostic]:
    """The same by a run that remembers nothing."""
    with monkeypatch.context() as patched:
        patched.setattr(findings, "_JUDGED", Memory(0))
        patched.setattr(code, "_KNOWN", Memory(0))
        patched.setattr(by_text, "_ANSWERS", Memory(0))
        return told(text)


def edited(lines: Sequence[str], chance: random.Random) -> list[str]:
    """One edit: a line leaves, comes again, moves, goes deeper, or has one of its words changed for one of the text."""
    found, row = list(lines), chance.randrange(len(lines))
    kind = chance.choice(("leave", "again", "move", "deeper", "word", "word", "word", "joined", "blank"))
    words = re.findall(r"\b[A-Za-z_]\w*\b|\b\d+\b", "\n".join(lines))
    if kind == "leave":
        del found[row]
    elif kind == "again":
        found.insert(row, found[row])
    elif kind == "move":
        found.insert(chance.randrange(len(lines)), found.pop(row))
    elif kind == "deeper":
        found[row] = "    " + found[row]
    elif kind == "word" and (here := list(re.finditer(r"\b\w+\b", found[row]))):
        word = chance.choice(here)
        found[row] = found[row][: word.start()] + chance.choice(words) + found[row][word.end() :]
    elif kind == "joined":
        found[row] += "; " + found[chance.randrange(len(lines))].strip()
    elif kind == "blank":
        found.insert(row, chance.choice(("", "# a comment")))
    return found


def parses(lines: Sequence[str]) -> bool:
    try:
        compile("\n".join(lines), "k.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(
    ("text", "edits"),
    [(WAYS, 40), (PLAIN, 40), (STARRED, 10), *((text, 2) for text in KERNELS)],
)
def test_no_answer_that_is_remembered_is_stale(text: str, edits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(len(text))
    lines, found = text.split("\n"), set[str]()
    for _ in range(edits):
        other = edited(lines, chance)
        while not parses(other):
            other = edited(lines, chance)
        now = told("\n".join(other))
        assert now == afresh("\n".join(other), monkeypatch), "\n".join(other)
        found |= {d.code for d in now}
        lines = chance.choice((lines, other, text.split("\n")))  # an edit that is taken back is remembered
    assert text in KERNELS or {"NKI803", "NKI808", "NKI809", "NKI810"} <= found
