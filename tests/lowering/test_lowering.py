"""Lowering gives every Python construct its node."""

from __future__ import annotations

import sys

import libcst as cst
import pytest

from nkilint.base import ir
from nkilint.base.source import SourceError
from nkilint.lowering import lower

from ..support.lowered import (
    columns,
    function,
    module,
    value,
    words,
)


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
        ("Formatted", 15),
        " ",
        "e = ",
        ("Formatted", 26),
    ]
    assert format_parts("f'{a:#x}#{b}' 'c' f'{d}'") == [("Formatted", 4), "#", ("Name", 11), "c", ("Name", 22)]
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
                case {'k': d, 2: _, **e} | P(d, f=e) as h: pass
                case -1 | None | m.n | (_, *_): z = 2
        """
    )
    assert made.locals == words("a b c d e h x z")
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


@pytest.mark.usefixtures("notebooks")
@pytest.mark.parametrize(
    ("text", "what", "bound"),
    [
        ("async def g(): await x", "async function", {"g"}),
        ("async for i in x: a = 1", "async for", {"i", "a"}),
        ("async with x as y: pass", "async with", {"y"}),
    ],
)
def test_unsupported_statements_are_named_and_what_they_bind_is_known(text: str, what: str, bound: set[str]) -> None:
    made = function("async def f():\n  pass\ndef f():\n  " + text.replace("\n  ", "\n  ") + "\n  z = 1\n")
    statement = made.body[0]
    assert isinstance(statement, ir.UnsupportedStmt)
    assert statement.what == what
    assert made.locals == bound | {"z"}
    assert columns(made.body[1])[1:] == (3, made.body[1].at.row, 8)


@pytest.mark.skipif(not hasattr(cst, "LazyImport"), reason="a parser that does not know Python 3.15")
def test_lazy_imports_bind_what_others_do() -> None:
    made = function("def f():\n  lazy import a.b, c as d\n  lazy from .m import x as y\n")
    assert made.locals == {"a", "d", "y"}
    first, second = made.body
    assert isinstance(first, ir.Import)
    assert isinstance(second, ir.ImportFrom)
    assert (first.names, columns(first)) == ((("a.b", None), ("c", "d")), (2, 3, 2, 26))
    assert (second.module, second.level, second.names) == ("m", 1, (("x", "y"),))


def test_an_alias_of_a_type_binds_its_name() -> None:
    made = function("def f():\n  type X[T] = list[T]\n  type Y = list\n")
    generic, plain = made.body
    assert isinstance(generic, ir.Assign)
    assert isinstance(generic.value, ir.TypeAlias)
    assert (columns(generic), generic.value.parameters, made.locals) == ((2, 3, 2, 22), ("T",), {"X", "Y"})
    assert isinstance(plain, ir.Assign)
    assert isinstance(plain.value, ir.TypeAlias)
    assert (columns(plain), plain.value.name, columns(plain.value.value)) == ((3, 3, 3, 16), "Y", (3, 12, 3, 16))


@pytest.mark.usefixtures("notebooks")
@pytest.mark.parametrize(
    ("text", "what"),
    [("await x", "await"), ("[x async for x in y]", "async comprehension")],
)
def test_unsupported_expressions_are_named(text: str, what: str) -> None:
    made = function(f"def f():\n  {text}\n")
    statement = made.body[0]
    assert isinstance(statement, ir.ExprStmt)
    assert isinstance(statement.value, ir.UnsupportedExpr)
    assert statement.value.what == what


@pytest.mark.parametrize(("text", "each"), [("(yield)", False), ("(yield x)", False), ("(yield from x)", True)])
def test_generators_say_what_they_give(text: str, each: bool) -> None:
    made = function(f"def f():\n  {text}\n")
    statement = made.body[0]
    assert isinstance(statement, ir.ExprStmt)
    assert isinstance(statement.value, ir.Yield)
    assert statement.value.each is each
    assert isinstance(statement.value.value, ir.Name) is ("x" in text)
    assert made.is_generator


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
