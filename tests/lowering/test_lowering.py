"""Lowering gives every Python construct its node, with the span that Python's own `ast` gives it."""

from __future__ import annotations

import ast
import colorsys
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import libcst as cst
import pytest

from nkilint.base import ir
from nkilint.base.source import SourceError
from nkilint.lowering import lower
from nkilint.lowering.pieces import skeleton

KERNEL = '''
"""A module."""
from __future__ import annotations
import neuronxcc.nki as nki, os.path
import neuronxcc.nki.language as nl
from neuronxcc.nki import (isa as nisa, language,)
from ..common import *

P: int = 128; Q = R = -1
table = {"a": [1, 2.5, 1_000], **other, 'b': (1,), }

@nki.jit(mode="trace")
@decorate
def kernel(a, /, b: nl.tensor[128, P], *rest, c=(1, 2), d: "x" = None, **more) -> "y":
    """Docs."""
    # a comment in between
    i_p, i_f = nl.arange(128)[:, None], nl.arange(512)[None, :]
    tile = nl.load(a[i_p, i_f * 2 + 1], mask=(i_p < 3) & ~(i_f >= a.shape[0]))
    for i in nl.affine_range((a.shape[0] + 127) // 128):  # trailing
        for j, (k, *l) in enumerate(range(2)): total = j; total += k
        else:
            x = 1
        if i == 0 or not x is None and 3 <= i < 5 != 7:
            continue
        elif (i) not in (1, 2,):
            break
        else: pass
        nisa.nc_matmul(tile[0:128, j, ::2, ..., i:], moving=(tile)[nl.ds(i, 4)], *rest, **more)
    while (n := 3) > 2:
        n -= 1
    with nl.psum(a) as p, nl.other: y = p
    try:
        assert a.shape == b.shape, f"shapes {a.shape!r:>{10}} differ" "!" ' and'
    except (ValueError, KeyError) as error:
        raise RuntimeError("x") from error
    except Exception: raise
    else: pass
    finally:
        del x, y[0]
    global P
    result = [u * v for u, v in zip(a, b) if u if v for w in u]
    return sum(v for v in result), {u: v for u, v in x}, {*a, 1}, lambda q, *, r=1: q if r else (yield)

class Config(Base, metaclass=Meta):
    size: int
    def area(self): return (
        self.width
        * self.height)  # noqa: E501
'''

KINDS: dict[type[ir.Node], type[ast.AST]] = {
    ir.Name: ast.Name,
    ir.Attr: ast.Attribute,
    ir.Index: ast.Subscript,
    ir.SliceExpr: ast.Slice,
    ir.Call: ast.Call,
    ir.Binary: ast.BinOp,
    ir.Unary: ast.UnaryOp,
    ir.Compare: ast.Compare,
    ir.Conditional: ast.IfExp,
    ir.DictExpr: ast.Dict,
    ir.Lambda: ast.Lambda,
    ir.Walrus: ast.NamedExpr,
    ir.Assign: ast.Assign,
    ir.AnnAssign: ast.AnnAssign,
    ir.AugAssign: ast.AugAssign,
    ir.ExprStmt: ast.Expr,
    ir.If: ast.If,
    ir.For: ast.For,
    ir.While: ast.While,
    ir.With: ast.With,
    ir.Try: ast.Try,
    ir.Assert: ast.Assert,
    ir.Raise: ast.Raise,
    ir.Delete: ast.Delete,
    ir.Import: ast.Import,
    ir.ImportFrom: ast.ImportFrom,
}
DISPLAYS: dict[str, type[ast.AST]] = {"tuple": ast.Tuple, "list": ast.List, "set": ast.Set}
COMPREHENSIONS: dict[str, type[ast.AST]] = {
    "list": ast.ListComp,
    "set": ast.SetComp,
    "dict": ast.DictComp,
    "generator": ast.GeneratorExp,
}


def words(text: str) -> set[str]:
    return set(text.split())


def module(text: str) -> ir.Module:
    return lower(textwrap.dedent(text), "f.py", "f", "")


def value(text: str) -> Any:
    statement = module(text).body[-1]
    assert isinstance(statement, ir.ExprStmt)
    return statement.value


def function(text: str) -> ir.FunctionDef:
    found = [s for s in module(text).body if isinstance(s, ir.FunctionDef)]
    return found[-1]


def columns(node: ir.Node) -> tuple[int, int, int, int]:
    return node.at.row, node.at.column, node.at.end_row, node.at.end_column


def nodes(tree: Any) -> Iterator[ir.Node]:
    if isinstance(tree, tuple):
        for item in tree:
            yield from nodes(item)
    elif hasattr(tree, "__dataclass_fields__"):
        if isinstance(tree, ir.Node):
            yield tree
        for name in tree.__dataclass_fields__:
            yield from nodes(getattr(tree, name))


def ast_kind(node: ir.Node) -> type[ast.AST] | None:
    if isinstance(node, ir.Sequence):
        return DISPLAYS[node.kind]
    if isinstance(node, ir.Comprehension):
        return COMPREHENSIONS[node.kind]
    return KINDS.get(type(node))


def ast_spans(text: str) -> dict[type[ast.AST], set[tuple[int, int, int, int]]]:
    lines = re.split("\r\n?|\n", text)
    tree = ast.parse(text)
    in_strings = {id(n) for s in ast.walk(tree) if isinstance(s, ast.JoinedStr) for n in ast.walk(s)}
    in_strings |= {id(n.cause) for n in ast.walk(tree) if isinstance(n, ast.Raise)}  # not lowered
    spans: dict[type[ast.AST], set[tuple[int, int, int, int]]] = {}

    def column(row: int, offset: int) -> int:
        return len(lines[row - 1].encode()[:offset].decode()) + 1

    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt)) and id(node) not in in_strings:
            end = node.end_lineno or 0
            span = (node.lineno, column(node.lineno, node.col_offset), end, column(end, node.end_col_offset or 0))
            spans.setdefault(type(node), set()).add(span)
    return spans


def lowered_spans(text: str) -> dict[type[ast.AST], set[tuple[int, int, int, int]]]:
    spans: dict[type[ast.AST], set[tuple[int, int, int, int]]] = {}
    stack: list[Any] = [lower(text, "f.py", "f", "").body]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            stack.extend(item)
        elif isinstance(item, ir.Format):
            continue  # older Pythons misplace what stands in an f-string
        elif hasattr(item, "__dataclass_fields__"):
            kind = ast_kind(item) if isinstance(item, ir.Node) else None
            if kind is not None:
                spans.setdefault(kind, set()).add(columns(item))
            stack.extend(getattr(item, name) for name in item.__dataclass_fields__)
    return spans


@pytest.mark.parametrize(
    "text",
    [
        KERNEL,
        KERNEL.replace("\n", "\r\n"),
        "été = {'🙂': λ.x[0](y)}; f(a)(b)[c].d\n",
        "x = (\n  a  # one\n  + b * (c\n  - d)\n)\ny = ((1, 2))\nz = ()\nw = (f)(x)\n",
        "f((x for x in y)); f(x for x in y); f(a, (b))\n",
        "if a: b; c;\nelif d:\n  e;\nelse:\n  f\n\n\n# end",
        "x = a if b else c if d else e\nz = not -a ** -b\nt = a[b, ], a[(b, c)], a[b:c, d], a[:], a[::]\n",
        "with (a as b, c as d,): pass\nwith (a): pass\nwith (a, b): pass\nwith (a) as b: pass\n",
        "\tx = 1".strip() + "\nif x:\n\ty = 2\n\n\tif y:\n\t\tz\n\x0c\nq = \\\n  1 + \\\n  2\n",
        "for x in a, b: pass\nfor (x, y) in z: pass\nfor x, in z: pass\nx, = y\n*a, b = c\nreturn_ = yield_\n",
    ],
)
def test_spans_are_those_of_ast(text: str) -> None:
    expected, found = ast_spans(text), lowered_spans(text)
    for kind in {*KINDS.values(), *DISPLAYS.values(), *COMPREHENSIONS.values()} & expected.keys():
        assert found[kind] == expected[kind], kind.__name__


def test_spans_of_a_real_module() -> None:
    with open(colorsys.__file__, encoding="utf-8") as file:
        text = file.read()
    expected, found = ast_spans(text), lowered_spans(text)
    for kind in (ast.Call, ast.Name, ast.BinOp, ast.Compare, ast.If, ast.Assign):
        assert found[kind] == expected[kind], kind.__name__


def test_a_definition_spans_its_name_and_its_whole() -> None:
    made = function("@a\n@b(1)\ndef f(x):\n    return 1  # last\n\n# after\n")
    assert columns(made) == (3, 5, 3, 6)
    assert (made.whole.row, made.whole.column, made.whole.end_row, made.whole.end_column) == (1, 1, 4, 13)
    assert [columns(d) for d in made.decorators] == [(1, 2, 1, 3), (2, 2, 2, 6)]


def test_parameters_have_kinds_defaults_and_annotations() -> None:
    made = function("def f(a, /, b: int, c=1, *d, e, f=2, **g): pass")
    assert [(p.name, p.kind) for p in made.params] == [
        ("a", "positional-only"),
        ("b", "positional"),
        ("c", "positional"),
        ("d", "*"),
        ("e", "keyword"),
        ("f", "keyword"),
        ("g", "**"),
    ]
    assert [p.default is not None for p in made.params] == [False, False, True, False, False, True, False]
    assert isinstance(made.params[1].annotation, ir.Name)
    assert (made.params[1].at.column, made.params[1].at.end_column) == (13, 19)
    assert [p.kind for p in function("def f(*, a): pass").params] == ["keyword"]


def test_arguments_keep_their_order() -> None:
    call = value("f(a, *b, c=1, **d)")
    assert [name for name, _ in call.args] == [None, "*", "c", "**"]


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("0x10", 16),
        ("1_000", 1000),
        ("1e3", 1000.0),
        ("2j", 2j),
        ("None", None),
        ("True", True),
        ("...", ...),
        ("'a\\n'", "a\n"),
        ('"""a\r\nb"""', "a\nb"),
        ("r'\\n'", "\\n"),
        ("b'x' b'y'", b"xy"),
        ("'a' \"b\" '''c'''", "abc"),
        ("''", ""),
    ],
)
def test_constants(text: str, constant: object) -> None:
    node = value(f"({text})")
    assert isinstance(node, ir.Const)
    assert node.value == constant
    assert type(node.value) is type(constant)


def format_parts(text: str) -> list[object]:
    return [p.value if isinstance(p, ir.Const) else (type(p).__name__, p.at.column) for p in value(text).parts]


def test_formatted_strings() -> None:
    assert format_parts("""f"a{b}c\\n{{}}{d!r:>{w}} {e = }" """) == [
        "a",
        ("Name", 5),
        "c\n{}",
        ("Format", 15),
        " ",
        "e = ",
        ("Name", 26),
    ]
    assert format_parts("f'{a:#x}#{b}' 'c' f'{d}'") == [("Format", 4), "#", ("Name", 11), "c", ("Name", 22)]
    assert format_parts("rf'\\d{a}'") == ["\\d", ("Name", 7)]


def test_subscripts() -> None:
    assert isinstance(value("a[i]").key, ir.Name)
    several = value("a[i, 1:2, ::3]").key
    assert [type(item).__name__ for item in several.items] == ["Name", "SliceExpr", "SliceExpr"]
    assert several.items[2].step.value == 3
    assert value("a[i,]").key.kind == "tuple"
    assert value("a[(i, j)]").key.kind == "tuple"


def test_comparisons_are_chains() -> None:
    chain = value("a < b is not c not in d")
    assert [op for op, _ in chain.rest] == ["<", "is not", "not in"]


def test_long_chains_are_not_deep() -> None:
    node = value(" + ".join(f"x{i}" for i in range(1000)))
    depth = 0
    while isinstance(node, ir.Binary):
        node, depth = node.left, depth + 1
    assert depth == 999


def test_names_that_a_loop_assigns() -> None:
    (loop,) = module(
        """
        for i, (j, *k) in x:
            a = b = 1
            c[0] = d.e = 2
            f += 1
            g: int = 3
            with h as m: pass
            import n.o, p as q
            from r import s as t
            def u(): v = 1
            [w for w in x if (y := w)]
            for z in x: aa = 1
            while bb: cc = 1
            try: pass
            except E as dd: pass
            del ee
            lambda ff: ff
            class gg: hh = 1
        else:
            ii = 1
        """
    ).body
    assert isinstance(loop, ir.For)
    assert loop.assigned == words("i j k a b f g m n q t u y z aa cc dd ee gg")


def test_locals_of_a_function() -> None:
    made = function(
        """
        def f(a, *b, c, **d):
            global e
            def g(h):
                nonlocal a
                a = i = 1
            e = j = 1
            for k in b: l = 1
        """
    )
    assert made.locals == words("a b c d g j k l")
    inner = made.body[1]
    assert isinstance(inner, ir.FunctionDef)
    assert inner.locals == {"h", "i"}


def test_docstring_and_generator() -> None:
    assert function("def f():\n  'Docs.'").docstring == "Docs."
    assert function("def f():\n  f'Docs.'").docstring is None
    assert function("def f():\n  def g(): yield 1").is_generator is False
    assert function("def f():\n  if a:\n    x = yield 1").is_generator is True
    assert value("lambda: (yield)").function.is_generator is True


def test_imports() -> None:
    first, second, third = module("import a.b, c as d\nfrom ..m.n import x as y, z\nfrom . import *").body
    assert isinstance(first, ir.Import)
    assert first.names == (("a.b", None), ("c", "d"))
    assert isinstance(second, ir.ImportFrom)
    assert (second.module, second.level, second.names) == ("m.n", 2, (("x", "y"), ("z", "z")))
    assert isinstance(third, ir.ImportFrom)
    assert (third.module, third.level, third.names) == ("", 1, (("*", "*"),))


def test_match() -> None:
    made = function(
        """
        def f(x):
            match x:
                case [a, *b] if a:
                    c = 1
                case {'k': d, 2: _, **e} | P(q, f=g) as h: pass
                case -1 | None | m.n | (_, *_): z = 2
        """
    )
    assert made.locals == words("a b c d e g h q x z")
    statement = made.body[0]
    assert isinstance(statement, ir.Match)
    (first, guard, body), (second, _, _), (third, other, _) = statement.cases
    assert isinstance(first, ir.SequencePattern)
    assert [type(p) for p in first.items] == [ir.CapturePattern, ir.StarPattern]
    assert isinstance(guard, ir.Name)
    assert guard.at == ir.Span("f.py", 4, 25, 4, 26)
    assert isinstance(body[0], ir.Assign)
    assert isinstance(second, ir.CapturePattern)
    assert isinstance(second.pattern, ir.OrPattern)
    mapping, of_class = second.pattern.alternatives
    assert isinstance(mapping, ir.MappingPattern)
    assert (len(mapping.items), mapping.rest) == (2, "e")
    assert isinstance(of_class, ir.ClassPattern)
    assert [name for name, _ in of_class.items] == [None, "f"]
    assert isinstance(third, ir.OrPattern)
    assert other is None
    values = [p.value for p in third.alternatives if isinstance(p, ir.ValuePattern)]
    assert [v.value if isinstance(v, ir.Const) else type(v) for v in values] == [-1, None, ir.Attr]
    assert third.at == ir.Span("f.py", 7, 14, 7, 39)


@pytest.mark.parametrize(
    ("text", "what", "bound"),
    [
        ("async def g(): await x", "async function", {"g"}),
        ("async for i in x: a = 1", "async for", {"i", "a"}),
        ("async with x as y: pass", "async with", {"y"}),
        ("try: pass\n  except* E as e: pass", "except*", {"e"}),
        ("type X[T] = list[T]", "type alias", {"X"}),
    ],
)
def test_unsupported_statements_are_named_and_what_they_bind_is_known(text: str, what: str, bound: set[str]) -> None:
    made = function("async def f():\n  pass\ndef f():\n  " + text.replace("\n  ", "\n  ") + "\n  z = 1\n")
    statement = made.body[0]
    assert isinstance(statement, ir.UnsupportedStmt)
    assert statement.what == what
    assert made.locals == bound | {"z"}
    assert columns(made.body[1])[1:] == (3, made.body[1].at.row, 8)


@pytest.mark.parametrize(
    ("text", "what"),
    [("(yield)", "yield"), ("(yield from x)", "yield from"), ("[x async for x in y]", "async comprehension")],
)
def test_unsupported_expressions_are_named(text: str, what: str) -> None:
    made = function(f"def f():\n  {text}\n")
    statement = made.body[0]
    assert isinstance(statement, ir.ExprStmt)
    assert isinstance(statement.value, ir.UnsupportedExpr)
    assert statement.value.what == what


def test_type_parameters_are_passed() -> None:
    made = function("def f[T: int](x: T) -> T:\n  return x\n")
    assert [p.name for p in made.params] == ["x"]


def test_comments_for_linters_are_collected() -> None:
    found = module(
        '''
        # nkilint: a: bf16[M, K],
        #   b: fp32[K]
        x = "# noqa: NKI101"  # NOQA: NKI102, NKI103
        y = """
        # nkilint: skip-file
        """
        z = f"# noqa {x}"
        w = 1  # type: ignore  # noqa
        '''
    ).comments
    assert [(c.row, c.text) for c in found] == [
        (2, "# nkilint: a: bf16[M, K],"),
        (4, "# NOQA: NKI102, NKI103"),
        (9, "# type: ignore  # noqa"),
    ]


def test_lines_end_as_python_has_it() -> None:
    assert lower("a\r\nb\x0c\rd\n", "f", "f", "").lines == ("a", "b\x0c", "d", "")


@pytest.mark.parametrize(
    ("text", "row", "column", "message"),
    [
        ("x = (1,\ny = 2\n", 1, 5, "'(' was never closed"),
        ("for i in range(3)\n    pass\n", 1, 18, "expected ':'"),
        ("x = 'abc\n", 1, 5, None),
        ("x = '\\x1'\n", 1, 5, None),
        ("x = " + "(" * 150 + ")" * 150, 1, 105, "brackets are nested more than 100 deep"),
        ("x = " + "[" * 50_000, 1, 105, "brackets are nested more than 100 deep"),
        ("x = " + "not " * 2000 + "y", 1, 6001, "an expression has more than 1500 operators"),
        ("x = (\n" + "y +\n" * 2000 + "y)", 1502, 3, "an expression has more than 1500 operators"),
    ],
)
def test_what_does_not_parse(text: str, row: int, column: int, message: str | None) -> None:
    with pytest.raises(SourceError) as caught:
        lower(text, "f.py", "f", "")
    error = caught.value
    assert (error.path, error.row, error.column) == ("f.py", row, column)
    assert message is None or error.message == message


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "-1.5, " * 3000 + "]\n",
        "x = '" + "(" * 500 + "'\n",
        "# " + "(" * 500 + "\n",
        "x = {" + ", ".join(f"'k{i}': [{i}, (1, 2)]" for i in range(1000)) + "}\n",
        "x = '''" + "a + b\n" * 2000 + "'''\n",
    ],
)
def test_long_is_not_deep(text: str) -> None:
    assert len(lower(text, "f.py", "f", "").body) <= 1


def test_deep_blocks_do_not_crash() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # whatever ran before may have raised it
    try:
        _lower_deep_blocks()
    finally:
        sys.setrecursionlimit(limit)


def _lower_deep_blocks() -> None:
    elifs = "if a:\n  pass\n" + "elif b:\n  pass\n" * 3000
    with pytest.raises(SourceError, match="nested too deep"):
        lower(elifs, "f.py", "f", "")
    with pytest.raises(SourceError):
        lower("".join(" " * i + "if a:\n" for i in range(150)) + " " * 150 + "pass\n", "f.py", "f", "")


# --- texts that are edited ---


def plain(node: Any) -> Any:
    """A lowered tree as tuples, which compare."""
    if isinstance(node, (ir.Node, ir.Module, ir.Param, ir.Comment)):
        return type(node).__name__, *(plain(getattr(node, f.name)) for f in fields(node))
    return tuple(plain(item) for item in node) if isinstance(node, tuple) else (type(node).__name__, node)


ODD = """
if x: y = 1
z = 1; z = 2
if x: \\
    pass
é = "🙂"  # noqa
class C:
    "Docs."
    a = (1,
# nkilint: ignore[NKI101]
 2)
    def f(self):
        return '''
  text'''
try:
    (a)
except* E: b
else:
    c  # trailing
finally:
    d
match q:
    case [1, *rest]:
        lambda: (yield)
    case _: pass
for i in j:
\tglobal k
\tk = 2
else:
    async def g(): await h
_nkilint = 3
"""


@pytest.mark.parametrize("text", [KERNEL, ODD if sys.version_info >= (3, 11) else KERNEL, "", "x", "\n\n# nothing"])
def test_an_edited_text_is_lowered_like_any_other(text: str) -> None:
    whole = plain(lower(text, "k.py", "k", ""))
    for _ in range(2):
        assert plain(lower(text, "k.py", "k", "", edited=True)) == whole
    moved = "# a comment\n" + text.replace("2", "3")
    assert plain(lower(moved, "k.py", "k", "", edited=True)) == plain(lower(moved, "k.py", "k", ""))


def test_real_modules_are_lowered_alike_when_they_are_edited() -> None:
    for module in (colorsys, textwrap, ast):
        text = inspect.getsource(module)
        assert skeleton(text) is not None
        assert plain(lower(text, "m.py", "m", "", edited=True)) == plain(lower(text, "m.py", "m", ""))


@pytest.mark.parametrize(
    "text", ["x = (", "x = '\\N{none}'", "def f():\nx", "a\r\nb = 1", "_nkilint_run_of_statements_0 = 1"]
)
def test_an_edited_text_fails_like_any_other(text: str) -> None:
    def outcome(edited: bool) -> Any:
        try:
            return plain(lower(text, "k.py", "k", "", edited=edited))
        except SourceError as error:
            return error.row, error.column, error.message

    assert outcome(True) == outcome(False)


def test_of_an_edited_text_only_new_statements_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    lower(KERNEL, "k.py", "k", "", edited=True)
    parsed: list[str] = []
    parse = cst.parse_statement
    monkeypatch.setattr(cst, "parse_statement", lambda text: parsed.append(text) or parse(text))
    lower(KERNEL.replace("x = 1", "x = 111"), "k.py", "k", "", edited=True)
    assert parsed == ["x = 111"]
