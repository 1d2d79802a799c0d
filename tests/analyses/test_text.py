"""What is said of a file by its text alone. Silent programs stand beside those that are reported."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from nkilint.analyses.text import findings as text_findings
from nkilint.analyses.text.assignment import unbound
from nkilint.analyses.text.code import Code
from nkilint.analyses.text.findings import judge_text
from nkilint.analyses.text.parts import parts_of
from nkilint.analyses.text.signatures import misfits
from nkilint.analyses.text.undefined import Names, _plain_function, names_by_pyflakes, names_of, undefined
from nkilint.analyses.text.vacuous import compared_with_itself, unreachable
from nkilint.base.faults import Faults
from nkilint.base.store import Memory
from nkilint.project.files import Project
from nkilint.project.imports import Imports


def code_of(text: str) -> Code:
    return Code(ast.parse(text), text.split("\n"))


def reads(body: str, head: str = "def f(a, b, values, n, g):") -> list[tuple[str, str]]:
    """Names read in doubt in a function, with the doubt."""
    text = head + "\n" + "\n".join("    " + line for line in dedent(body).strip().splitlines())
    return [(u.node.id, u.doubt) for u in unbound(code_of(text))]


@pytest.mark.skipif("sys.version_info < (3, 11)", reason="this Python has no `except*`")
def test_handlers_of_groups_bind_as_others_do() -> None:
    body = "try:\n    x = g()\nexcept* ValueError as e:\n    print(e)\n    x = 1\nprint(x)"
    assert reads(body) == []
    assert reads(body.replace("    x = 1\n", "")) == [("x", "branch")]
    assert reads(body + "\nprint(e)") == [("e", "never")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("print(x)\nx = 1", ("x", "never")),
        ("x += 1", ("x", "never")),
        ("x = x + 1", ("x", "never")),
        ("x = 1\ndel x\nprint(x)", ("x", "never")),
        ("try:\n    g()\nexcept ValueError as error:\n    pass\nprint(error)", ("error", "never")),
        (
            "for v in values:\n    try:\n        return g(v)\n    except ValueError as e:\n        h(e)\nraise e",
            ("e", "never"),
        ),
        ("for v in values:\n    x = g(v)\n    return x\nprint(x)", ("x", "never")),
        ("if a:\n    return x\nx = 1", ("x", "never")),
        ("with g(x) as x:\n    pass", ("x", "never")),
        ("h()\ndef h(): pass", ("h", "never")),
        ("print([y for y in x])\nx = 1", ("x", "never")),
        ("for v in values:\n    if v > 100: return x\n    if v % 2 == 0: x = v", ("x", "first")),
        ("for v in values:\n    print(x)\n    x = v", ("x", "first")),
        ("while a():\n    print(x)\n    x = 1", ("x", "first")),
        ("for v in values:\n    for w in v:\n        print(x)\n    x = 1", ("x", "first")),
        ("if a:\n    x = 1\nprint(x)", ("x", "branch")),
        ("match a:\n    case 1:\n        x = 1\n    case 2:\n        pass\nprint(x)", ("x", "branch")),
        ("if a:\n    pass\nelse:\n    x = 1\nprint(x)", ("x", "branch")),
        ("if a:\n    x = 1\nfor i in range(n):\n    pass\nprint(x)", ("x", "branch")),
        ("if a:\n    x, y = 1, 2\nprint(y)", ("y", "branch")),
        ("if a:\n    x = 0\nx += 1", ("x", "branch")),
        ("if a:\n    x = 0\nfor v in g():\n    x += v\nprint(x)", ("x", "branch")),
        ("for v in values:\n    if a:\n        x = 0\n    for w in v:\n        x += w\n    print(x)", ("x", "branch")),
        ("for v in values:\n    if a:\n        x = v\n    print(x)", ("x", "branch")),
        ("for v in values:\n    last = v\nreturn last", ("last", "loop")),
        ("for v in values:\n    pass\nreturn v", ("v", "loop")),
        ("for v in a.items:\n    last = v\nreturn last", ("last", "loop")),
        ("while values:\n    x = values.pop()\nprint(x)", ("x", "loop")),
        ("while values:\n    x = values.pop()\n    if x: break\nprint(x)", ("x", "loop")),
        ("with suppress(OSError):\n    x = g()\nprint(x)", ("x", "branch")),
        ("with contextlib.suppress(OSError):\n    x, y = g()\nreturn y", ("y", "branch")),
        ("if a and (m := b):\n    pass\nprint(m)", ("m", "branch")),
        ("match a:\n    case [x, 1]:\n        pass\n    case _:\n        print(x)", ("x", "never")),
        ("try:\n    x = g()\nexcept ValueError:\n    pass\nprint(x)", ("x", "branch")),
        ("try:\n    x = g()\nexcept ValueError as e:\n    print(e)\nprint(x)", ("x", "branch")),
        ("try:\n    x = g()\nexcept ValueError:\n    raise\nexcept OSError:\n    g.warn(1)\nprint(x)", ("x", "branch")),
        ("try:\n    import h\nexcept ImportError:\n    pass\nprint(h)", ("h", "branch")),
        ("if a:\n    x = 1\nelif b:\n    print(1)\nprint(x)", ("x", "branch")),
        ("if a:\n    x = 1\nelif b:\n    x = 2\nelif n:\n    y = str(n)\nprint(x)", ("x", "branch")),
        ("if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    pass\nprint(x)", ("x", "branch")),
        ("try:\n    x = g()\nexcept ValueError as e:\n    why = str(e)\nprint(x)", ("x", "branch")),
        ("try:\n    x = g()\nexcept OSError:\n    pass\nelse:\n    g()\nfinally:\n    g()\nprint(x)", ("x", "branch")),
        ("for v in values:\n    if v > 2:\n        x = v\n    print(x)", ("x", "branch")),
    ],
)
def test_names_that_may_not_be_bound(body: str, expected: tuple[str, str]) -> None:
    assert reads(body) == [expected]


@pytest.mark.parametrize(
    "body",
    [
        "x = 1\nprint(x)",
        "if a:\n    x = 1\nelse:\n    x = 2\nprint(x)",
        "if a:\n    x = 1\nelse:\n    raise ValueError\nprint(x)",
        "if a:\n    x = 1\nelse:\n    return\nprint(x)",
        "if a:\n    x = 1\nelse:\n    sys.exit()\nprint(x)",
        "if a:\n    x = 1\nif a:\n    print(x)",
        "if a:\n    x = 1\nif a:\n    x += 1",
        "if a:\n    x = 1\nelse:\n    x = 2\nfor v in g():\n    x += v\nprint(x)",
        "if n > 0:\n    x = 0\nfor i in range(n):\n    x += i",
        "if a is not None:\n    x = 1\nif a is None:\n    return\nprint(x)",
        "if not a:\n    return\nif a:\n    x = 1\nprint(x)",
        "assert a\nif a:\n    x = 1\nprint(x)",
        "if a and b:\n    x = 1\nif b and a and n:\n    print(x)",
        "if a == 1:\n    x = 1\nelif a == 2:\n    x = 2\nprint(x)",
        "if a:\n    x = 1\nelif b:\n    g.fail_with(b)\nprint(x)",
        "if a:\n    x = 1\nelif b:\n    ok = 0\nelse:\n    ok = 1\nif a:\n    print(x)",
        "match a:\n    case 1:\n        x = 1\n    case 2:\n        x = 2\nprint(x)",
        "if a:\n    x, ok = 1, True\nelse:\n    ok = False\nif ok:\n    print(x)",
        "if n > 0:\n    x = 1\nfor i in range(n):\n    print(x)",
        "for i in range(n):\n    if i > 0:\n        print(x)\n    x = i",
        "first = True\nfor v in values:\n    if not first:\n        print(x)\n    x, first = v, False",
        "for i in range(n):\n    x = i\nprint(x)",
        "for i in range(4):\n    x = i\nprint(x)",
        "for v in (1, 2):\n    x = v\nprint(x)",
        "while True:\n    x = 1\n    if x: break\nprint(x)",
        "while n < 3:\n    x = n\n    n += 1\nprint(x)",
        "queue = [a]\nwhile queue:\n    x = queue.pop()\nprint(x)",
        "values = values or [a]\nwhile values:\n    x = values.pop()\nprint(x)",
        "while values:\n    x = values.pop()\nelse:\n    x = 0\nprint(x)",
        "items = [1, 2]\nfor v in items:\n    x = v\nprint(x)",
        "items = g()\nfor v in items:\n    x = v\nprint(x)",
        "for v in ITEMS:\n    x = v\nprint(x)",
        "for v in self.items:\n    x = v\nprint(x)",
        "with pytest.raises(OSError):\n    x = g()\nprint(x)",
        "x = None\nwith suppress(OSError):\n    x = g()\nprint(x)",
        "with suppress(OSError):\n    x = g()\n    return x",
        "for v in values:\n    x = v\n    break\nelse:\n    x = 0\nprint(x)",
        "try:\n    x = g()\nexcept ValueError:\n    x = 0\nprint(x)",
        "try:\n    x = g()\nexcept ValueError:\n    raise\nprint(x)",
        "try:\n    import h\nexcept ImportError:\n    h = None\nprint(h)",
        "try:\n    x = g()\nexcept ValueError:\n    print(1)\n    raise\nprint(x)",
        "try:\n    x = g()\nexcept ValueError:\n    g(2)\nprint(x)",
        "try:\n    x = g()\nexcept ValueError:\n    b = False\nif b:\n    print(x)",
        "try:\n    x, b = g(), 1\nexcept ValueError:\n    pass\nif b:\n    print(x)",
        "try:\n    with g() as x:\n        g(x)\nexcept ValueError:\n    pass\nprint(x)",
        "for v in values:\n    try:\n        x = g(v)\n    except ValueError:\n        continue\n    print(x)",
        "x = 0\ntry:\n    x = g()\nexcept ValueError:\n    pass\nprint(x)",
        "try:\n    x = g()\nfinally:\n    print(1)\nprint(x)",
        "with g() as x:\n    pass\nprint(x)",
        "print([x for x in values], {k: v for k, v in values}, (lambda y: y)(1))",
        "def h():\n    return x\nx = 1\nh()",
        "global x\nprint(x)",
        "exec(a)\nif a:\n    x = 1\nprint(x)",
        "if (x := g()) and a:\n    print(x)\nprint(x)",
        "if any((x := v) > 3 for v in values):\n    print(x)",
        "if not all(a < (x := v) for v in values):\n    print(x)",
        "b = [(x := v) for v in values]\nprint(x)",
        "x: int = 1\nprint(x)",
        "import a.b\nprint(a)",
        "class C:\n    x = 1\nprint(C)",
        "match a:\n    case x if x > 1:\n        pass\n    case _:\n        print(x)",
        "match a:\n    case x if (y := g(x)):\n        pass\nprint(x, y)",
        "for i in range(n):\n    if i == 0:\n        x = []\n    x.append(i)",
        "first = True\nfor v in values:\n    if first:\n        x = []\n        first = False\n    x.append(v)",
        "for i, v in enumerate(values):\n    if not i:\n        x = v\n    print(x)",
        "match a:\n    case [x, *rest]:\n        print(x, rest)\n    case {'k': v, **more}:\n        print(v, more)",
    ],
)
def test_names_that_are_bound_or_about_which_tests_may_agree(body: str) -> None:
    assert reads(body) == []


def names(text: str, file: str = "k.py") -> list[tuple[int, str]]:
    lines = dedent(text).split("\n")
    parts = [
        (names_of(Code(part.tree, lines), file, part.row), part.row)
        for part in parts_of(ast.parse("\n".join(lines)), lines)
    ]
    return [(node.lineno, node.id) for node in undefined(parts, frozenset())]


def test_names_that_nothing_binds() -> None:
    assert names("def f(t):\n    return prod(t.shape) * itemsize_of(t.dtype) + prod(t)") == [
        (2, "prod"),
        (2, "itemsize_of"),
    ]
    assert names("def f():\n    return g()\ndef h():\n    return g()") == [(2, "g"), (4, "g")]
    assert names("def f(x: Missing): pass") == [(1, "Missing")]
    assert names("def f(x):\n    if x:\n        return 1\n        g()\n    return h()") == [(5, "h")]
    assert names("def f():\n    return 1\n    yield g()") == [(3, "g")]


@pytest.mark.parametrize(
    "text",
    [
        "from nki.language import *\ndef f(): return load()",
        "from __future__ import annotations\ndef f(x: Missing) -> Missing: pass",
        "def f(x: 'Missing'): pass",
        "def f():\n    x: Missing = 1\n    return x",
        "try:\n    import h\nexcept ImportError:\n    pass\nh.f()",
        "try:\n    h\nexcept NameError:\n    pass",
        "def f():\n    global g\n    g = 1\ndef h(): return g",
        "__all__ = ['f']\nprint(__file__, __name__, __builtins__)",
        "def f():\n    return 1\n    if g():\n        return h()\n    return k",
        "for i in range(2):\n    break\n    g()",
    ],
)
def test_names_that_something_binds_or_nothing_reads(text: str) -> None:
    assert names(text) == []


def test_packages_know_their_path() -> None:
    assert names("print(__path__)", "p/__init__.py") == []
    assert names("print(__path__)") == [(1, "__path__")]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("assert a == a", ["assertion"]),
        ("assert a.shape == a.shape and b", ["assertion"]),
        ("assert_allclose(want, want)", ["check"]),
        ("np.testing.assert_allclose(want, want, rtol=1e-3)", ["check"]),
        ("assert np.allclose(x, x)", ["check"]),
        ("assert a == b", []),
        ("assert f() == f()", []),
        ("assert nl.num_programs(0) == nl.num_programs(0)", ["assertion"]),
        ("assert nl.program_id(0) == nl.program_id(1)", []),
        ("assert len(a) == len(a)", ["assertion"]),
        ("assert len(f()) == len(f())", []),
        ("assert a.num_programs() == a.num_programs()", []),
        ("assert a != a", []),
        ("assert (a == a).all()", []),
        ("match = (a == a).all()", ["check"]),
        ("match = np.all(a == a)", ["check"]),
        ("match = (a == b).all()", []),
        ("nan = x != x", []),
        ("assert 1 == 1", []),
        ("assert_allclose(got, want)", []),
        ("assert_called_with(x, x)", []),
        ("if a.dtype != a.dtype: f()", ["guard"]),
        ("if b and a.shape[0] == a.shape[0]: f()", ["guard"]),
        ("n = 1 if a.shape[1:] == a.shape[1:] else 2", ["guard"]),
        ("if a.value != a.value: f()", []),
        ("if a.shape[0] == a.shape[1]: f()", []),
    ],
)
def test_checks_of_something_with_itself(text: str, kinds: list[str]) -> None:
    assert [kind for _, kind, _ in compared_with_itself(code_of(text))] == kinds


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("def f():\n    return 1\n    x = 2", "return"),
        ("for i in a:\n    continue\n    f()", "continue"),
        ("while a:\n    break\n    f()\n    g()", "break"),
        ("def f():\n    raise ValueError\n    return 1", "raise"),
        ("def f():\n    return\n    yield", None),
        ("def f():\n    return 1\n    'text'", None),
        ("def f():\n    raise ValueError\n    assert False", None),
        ("def f():\n    if a:\n        return 1\n    return 2", None),
        ("def f():\n    if a:\n        return 1\n    else:\n        return 2\n    return 3", "if"),
        ("def f():\n    if a:\n        return 1\n    elif b:\n        raise ValueError\n    return 3", None),
    ],
)
def test_statements_that_nothing_leads_to(text: str, word: str | None) -> None:
    assert [w for _, _, w in unreachable(code_of(text))] == ([] if word is None else [word])


HEAD = """\
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import NamedTuple
import helper
import nki

@dataclass(frozen=True)
class Sizes:
    rows: int
    columns: int = 3
    tiles: list = field(default_factory=list)

class Pool:
    def __init__(self, size, *, start=0): self.size = size
    def grow(self, by): pass
    @cached
    def shrink(self, by): pass

class Pair(NamedTuple):
    first: int
    second: int

class Named(Pair):
    third: int

class Base(Pool): pass

@dataclass
class Padded(Sizes):
    pad: int = field(default=0, kw_only=True)
    rows: int = 1

@dataclass
class Config(nki.language.NKIObject):
    depth: int
    width = None

@dataclass
class Hidden:
    depth: int = 1
    hidden: int = field(default=0, init=False)

class Worker(nki.language.NKIObject):
    def __init__(self, tile): pass
    @staticmethod
    def label(name, suffix=""): pass
    @classmethod
    def of(cls, tile): pass
    def work(self, count): pass

@partial(print)
def changed(a): pass

@lru_cache
def kept(a): pass

def plain(a, b=1, *, c=2): pass

def starred(*args, **kwargs): pass

def either():
    if kept:
        def inner(a): pass
    else:
        def inner(): pass
    inner()

"""


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("Sizes()", "is missing `rows`"),
        ("Sizes(1, 2, [], 4)", "takes 3 positional arguments, 4 given"),
        ("Sizes(rows=1, depth=2)", "takes no argument `depth`"),
        ("Pool()", "is missing `size`"),
        ("Pool(1, 2)", "takes 1 positional arguments, 2 given"),
        ("plain()", "is missing `a`"),
        ("plain(1, 2, 3)", "takes 2 positional arguments, 3 given"),
        ("plain(1, a=2)", "got `a` twice"),
        ("plain(1, d=2)", "takes no argument `d`"),
        ("kept(1, 2)", "takes 1 positional arguments, 2 given"),
        ("helper.scale(1)", "is missing `factor`"),
        ("Padded(1, 2, [], 4)", "takes 3 positional arguments, 4 given"),
        ("Padded(depth=1)", "takes no argument `depth`"),
        ("Worker()", "is missing `tile`"),
        ("Worker.label('a', prefix='b')", "takes no argument `prefix`"),
        ("Worker.of()", "is missing `tile`"),
        ("Padded()", None),
        ("Padded(1, 2, [], pad=4)", None),
        ("Config(width=2)", None),
        ("Hidden(1, 2, 3)", "takes 1 positional arguments, 3 given"),
        ("Hidden(1, hidden=2)", "takes no argument `hidden`"),
        ("Hidden(1)", None),
        ("Pair(1)", "is missing `second`"),
        ("Pair(first=1, other=2)", "takes no argument `other`"),
        ("Pair(1, 2)", None),
        ("Named(1)", None),
        ("Pool(1).grow()", "is missing `by`"),
        ("Pool(1).grow(1, 2)", "takes 1 positional arguments, 2 given"),
        ("Pool(1).grow(by=2)", None),
        ("Pool.grow(Pool(1), 2)", None),
        ("Pool(1).size()", None),
        ("Pool(1).shrink()", None),
        ("Base(1).grow()", "is missing `by`"),
        ("Base(1).shrink()", None),
        ("Base(1).label()", None),
        ("Worker(1).label()", "is missing `name`"),
        ("Worker(1).of()", "is missing `tile`"),
        ("Worker.work(Worker(1), 2)", None),
        ("Worker.of(1)", None),
        ("Sizes(1)", None),
        ("Pool(1, start=2)", None),
        ("Base()", "is missing `size`"),
        ("Base(1)", None),
        ("changed()", None),
        ("plain(1, c=3)", None),
        ("plain(*[1])", None),
        ("plain(**{})", None),
        ("starred(1, 2, x=3)", None),
        ("helper.scale(1, 2)", None),
        ("helper.missing()", None),
        ("nki.jit()", None),
        ("(lambda plain: plain())(print)", None),
        ("helper(1)", "is a module, which cannot be called"),
        ("package.inside(1)", "is a module, which cannot be called"),
        ("inside()", "is a module, which cannot be called"),
        ("inside.inside()", None),
        ("again()", None),
        ("package.again.other()", None),
        ("(lambda helper: helper())(print)", None),
        ("moved()", None),
        ("unseen.hidden()", None),
    ],
)
def test_calls_that_do_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, problem: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helper.py").write_text("def scale(tile, factor): pass\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package/__init__.py").write_text(
        "from .again import again\nfrom . import moved as _moved\nmoved = _moved.moved\n"
    )
    (tmp_path / "package/moved.py").write_text("def moved(): pass\n")
    (tmp_path / "unseen").mkdir()
    (tmp_path / "unseen/__init__.py").write_text("from . import hidden as _it\nglobals()['hidden'] = _it.hidden\n")
    (tmp_path / "unseen/hidden.py").write_text("def hidden(): pass\n")
    (tmp_path / "package/inside.py").write_text("def inside(): pass\n")
    (tmp_path / "package/again.py").write_text("def again(): pass\n")
    imported = "import unseen\nimport package.inside\nfrom package import again, inside, moved\n"
    (tmp_path / "k.py").write_text(HEAD + imported + f"def use():\n    return {call}\n")
    project = Project(["."])
    imports = Imports(project)
    found = [m.message.text().partition("` ")[2] for m in misfits(imports.scope(project.module("k.py")), imports)]
    assert found == ([] if problem is None else [problem])


@pytest.mark.parametrize("bound", ["globals()['new'] = 1", "globals().update(new=1)", "exec('new = 1')"])
def test_names_that_are_bound_otherwise(bound: str) -> None:
    assert names(f"{bound}\ndef f():\n    return new\n") == []


def test_names_that_are_only_read_otherwise() -> None:
    assert names("old = globals()['f']\ndef f():\n    return new\n") == [(3, "new")]


def told(text: str) -> list[tuple[int, str]]:
    """What is said of a file, as an editor that has sent it before."""
    project = Project(["k.py"], {"k.py": text.encode()})
    module = project.module("k.py")
    imports = Imports(project)
    return sorted((d.at.row, d.message) for d in judge_text(imports.scope(module), imports, Faults()))


EDITED = """import nki
def f(a):
    return a + size

def g(a):
    return a

class C:
    def h(self):
        return __class__, f
"""


def test_functions_that_an_edit_leaves_alone_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[int] = []

    def counted(code: Code, file: str, row: int) -> Names:
        judged.append(row)
        return names_of(code, file, row)

    monkeypatch.setattr(text_findings, "names_of", counted)
    monkeypatch.setattr(text_findings, "_JUDGED", Memory())
    missing = "`size` is not defined"
    assert told(EDITED) == [(3, missing)]
    assert judged == [1, 2, 5, 9]
    judged.clear()
    assert told("size = 1\n" + EDITED) == []
    assert told("\n" + EDITED) == [(4, missing)]
    assert told(EDITED.replace("return a\n", "return b\n")) == [(3, missing), (6, "`b` is not defined")]
    assert judged == [1, 1, 5]  # what stands around the functions where that is another text, and at last `g`


ROOT = Path(__file__).parents[2]
SCOPES = """\
def f(a, *b, c=1, **d):
    e = [x + y + lost for x in a for y in x if (z := y)]
    return e, b, c, d, z, x, {k: v for k, v in v.items()}, (lambda q, *r: q + r + s)(q), sorted(t for t in t)
async def g(a):
    async with a as b, c as (d, *e):
        n: int = m
        async for i in range(j): yield i + u
    while (w := next(a)): print(f"{w} {p!r:{o}}")
    match a:
        case [h, *k]: return h
def h():
    try: return first
    except NameError: return second
    raise third
def k():
    x += 1
    del y
    return __file__, __path__, x, reveal_type(__class__)
class C(D):
    size = 1
    def f(self): return size, C, f, self, __class__
    def g(self): return [size for self in self]
"""


def test_names_of_plain_functions_are_those_that_pyflakes_finds() -> None:
    files = sorted([*(ROOT / "nkilint" / "analyses").rglob("*.py"), *(ROOT / "tests" / "kernels").glob("*.py")])
    plain = 0
    for text in (SCOPES, *(file.read_text(encoding="utf-8") for file in files)):
        for part in parts_of(ast.parse(text), text.splitlines()):
            code = Code(part.tree, text.splitlines())
            plain += _plain_function(code) is not None
            assert names_of(code, "k.py", part.row) == names_by_pyflakes(code, "k.py", part.row), part.key
    assert plain > 1000


def test_what_stands_around_functions_is_remembered_without_their_bodies() -> None:
    text = "import nki\n\ndef f(a,\n      b=size): return a\n\ndef g(a):\n    {}return a\n"
    assert told(text.format("")) == [(4, "`size` is not defined")]
    assert told(text.format("a = 1\n    ")) == [(4, "`size` is not defined")]
    assert told("\n" + text.format("")) == [(5, "`size` is not defined")]
    assert told(text.format("").replace("size", "3")) == []
    assert told(text.format("a = 1\n    ").replace("size", "wide")) == [(4, "`wide` is not defined")]


def test_findings_of_a_function_move_with_it() -> None:
    text = "import nki\ndef f(a):\n    if a:\n        x = 1\n    return x\n"
    (row, message), *_ = told(text)
    assert row == 5
    assert told("\n\n" + text) == [(7, message)]
    assert told("x = 2\n" + text) == [(6, message)]  # it is the function's own


def test_a_name_declared_global_is_bound_for_all() -> None:
    text = "import nki\ndef f():\n    return size\ndef g():\n    {}\n    size = 1\n"
    assert told(text.format("global size")) == []
    assert told(text.format("pass")) == [(3, "`size` is not defined")]
    assert told(text.format("# a global size")) == [(3, "`size` is not defined")]
    assert [len(parts_of(ast.parse(t), t.split("\n"))) for t in map(text.format, ("global size", "pass # global"))] == [
        2,
        3,
    ]
