"""Random kernels and shapes: the evaluator's values, shapes and index ranges against Python's on concrete numbers."""

from __future__ import annotations

from functools import cache
from textwrap import indent

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from ..support.differential import compare, kernel_source

SHAPES = [(1, 1), (2, 5), (3, 2), (6, 7)]
CHECKED = settings(
    max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None
)

# --- integers ---

CONSTANTS = st.integers(-3, 9).map(str)
POSITIVE = st.integers(1, 6).map(str)


@cache
def integers(names: tuple[str, ...], depth: int = 3) -> st.SearchStrategy[str]:
    """Integer expressions over these names."""
    leaves = st.one_of(st.sampled_from(names), CONSTANTS)
    if depth == 0:
        return leaves
    part = integers(names, depth - 1)
    return st.one_of(
        leaves,
        st.builds("({} {} {})".format, part, st.sampled_from("+-*"), part),
        st.builds("({} {} {})".format, part, st.sampled_from(("//", "%")), POSITIVE),
        st.builds("{}({}, {})".format, st.sampled_from(("min", "max")), part, part),
        st.builds("({} if {} else {})".format, part, conditions(names), part),
        st.builds("abs({})".format, part),
        st.builds("-({} // -{})".format, part, POSITIVE),
        st.builds("int({} >= {})".format, part, part),
    )


@cache
def conditions(names: tuple[str, ...], depth: int = 1) -> st.SearchStrategy[str]:
    leaf = st.sampled_from([*names, "0", "1", "2", "3", "5"])
    simple = st.builds("{} {} {}".format, leaf, st.sampled_from(("<", "<=", ">", ">=", "==", "!=")), leaf)
    if depth == 0:
        return simple
    part = conditions(names, depth - 1)
    return st.one_of(
        simple,
        st.builds("{} % 2 == {}".format, st.sampled_from(names), st.sampled_from("01")),
        st.builds("({} {} {})".format, part, st.sampled_from(("and", "or")), part),
        st.builds("(not {})".format, part),
    )


@CHECKED
@given(st.lists(integers(("n", "m")), min_size=1, max_size=4))
def test_integer_expressions(expressions: list[str]) -> None:
    outcome = compare(kernel_source("\n".join(f"reveal({e})" for e in expressions)), SHAPES)
    assert not outcome.wrong
    assert not outcome.open


# --- statements ---

NUMBERS = ("x", "y", "n", "m")


@st.composite
def blocks(draw: st.DrawFn, depth: int, names: tuple[str, ...], in_loop: bool, in_function: bool) -> str:
    """A few statements over the numbers `x`, `y`, the list `seen` and the counter `box`."""
    count = draw(st.integers(1, 3))
    return "\n".join(draw(statements(depth, names, in_loop, in_function)) for _ in range(count))


@cache
def simple_statements(names: tuple[str, ...], in_loop: bool, in_function: bool) -> st.SearchStrategy[str]:
    number = integers(names, 1)
    plain = [
        st.builds("{} = {}".format, st.sampled_from("xy"), number),
        st.builds("{} {}= {}".format, st.sampled_from("xy"), st.sampled_from("+-"), number),
        st.sampled_from(("x, y = y, x", "flag = not flag", "x = y if flag else 3")),
        st.builds("seen.append({})".format, number),
        st.builds("box.{}({})".format, st.sampled_from(("add", "put")), number),
        st.builds("table['{}'] = {}".format, st.sampled_from("ab"), number),
        st.builds("pair[{}] += {}".format, st.sampled_from("01"), number),
        st.builds("reveal({})".format, number),
        st.sampled_from(("reveal(box.count)", "reveal(len(seen))", "reveal(pair)", "reveal((x, y))", "reveal(table)")),
        st.builds("{} = helper({})".format, st.sampled_from("xy"), number),
    ]
    if in_loop:
        plain.append(st.builds("if {}:\n    {}".format, conditions(names), st.sampled_from(("break", "continue"))))
    if in_function:
        plain.append(st.builds("if {}:\n    return {}".format, conditions(names), number))
    return st.one_of(plain)


BOUNDS = st.sampled_from(("n", "m", "2", "5", "n - 2", "1, n", "n, 0, -1", "0, n, 2", "x % 4"))
KINDS = st.sampled_from(("plain", "plain", "if", "if-else", "for", "for", "list", "while"))


@st.composite
def statements(draw: st.DrawFn, depth: int, names: tuple[str, ...], in_loop: bool, in_function: bool) -> str:
    if depth == 0:
        return draw(simple_statements(names, in_loop, in_function))
    kind = draw(KINDS)
    if kind == "plain":
        return draw(simple_statements(names, in_loop, in_function))
    if kind == "list":
        size = draw(st.sampled_from(("n", "m", "3")))
        return (
            f"values = [{draw(integers(names, 1))} + k for k in range({size})]\nreveal(len(values))\nreveal(values[-1])"
        )
    if kind == "for":
        index = f"i{depth}"
        inside = draw(blocks(depth - 1, (*names, index), True, in_function))
        last = draw(st.sampled_from(("", "\nelse:\n    reveal('all')")))
        return f"for {index} in range({draw(BOUNDS)}):\n{indent(inside, '    ')}{last}"
    if kind == "while":
        inside = draw(blocks(depth - 1, names, False, in_function))
        start = draw(st.sampled_from(("2", "n")))
        return f"w{depth} = {start}\nwhile w{depth} > 0:\n    w{depth} -= 1\n{indent(inside, '    ')}"
    inside = indent(draw(blocks(depth - 1, names, in_loop, in_function)), "    ")
    text = f"if {draw(conditions(names))}:\n{inside}"
    if kind == "if-else":
        text += f"\nelse:\n{indent(draw(blocks(depth - 1, names, in_loop, in_function)), '    ')}"
    return text


MODULE = """
class Box:
    def __init__(self):
        self.count = 0

    def add(self, by):
        self.count += by
        return self.count

    def put(self, value):
        self.count = value
"""
START = """
x, y, flag = 0, 1, True
seen, pair, table = [], [0, 1], {'a': 0, 'b': 1}
box = Box()
def helper(k):
    return k + 1
"""
END = "\nreveal((x, y, flag))\nreveal(seen)\nreveal(pair)\nreveal(table)\nreveal(box.count)"


@CHECKED
@given(blocks(2, NUMBERS, False, False))
def test_programs(body: str) -> None:
    outcome = compare(kernel_source(START + body + END, MODULE), SHAPES)
    assert not outcome.wrong


@CHECKED
@given(blocks(2, ("x", "y", "n", "m", "k"), False, True), integers(("n", "m"), 1))
def test_functions_with_early_returns(body: str, argument: str) -> None:
    inner = f"def f(k):\n    x, y = k, 1\n    flag = False\n{indent(body, '    ')}\n    return x - y"
    source = START + inner + f"\nreveal(f({argument}))\nreveal(f(2))" + END
    outcome = compare(kernel_source(source, MODULE), SHAPES)
    assert not outcome.wrong


# --- tensors ---

STARTS = ("{loop} * {tile}", "{loop} * {tile} + 1", "{loop}", "{tile} * {loop} // 2", "({loop} * {tile}) % 3", "0", "1")
TRIPS = ("{size}", "{size} // {tile}", "({size} + {tile} - 1) // {tile}", "math.ceil({size} / {tile})", "2")


FIXED = ("{s}:{s} + {t}", "nl.ds({s}, {t})", ":", "{s}:{s} + {t}:2")
TO_THE_END = ("{s}:min({s} + {t}, {n})", "{s}:{n}", "nl.ds({s}, min({t}, {n} - {s}))")  # of elements only if {s} < {n}


@st.composite
def slices(draw: st.DrawFn, loop: str, size: str, tile: int) -> tuple[str, str]:
    """What stands in a subscript for one dimension of the tensor, and when it has elements."""
    start = draw(st.sampled_from(STARTS)).format(loop=loop, tile=tile)
    form = draw(st.sampled_from(FIXED + TO_THE_END))
    return form.format(s=start, t=tile, n=size), f"{start} < {size}" if form in TO_THE_END else "True"


@st.composite
def grids(draw: st.DrawFn, loop: str, tile: int, name: str) -> str:
    start = draw(st.sampled_from(STARTS)).format(loop=loop, tile=tile)
    return draw(st.sampled_from(("{s} + {g}", "{g}", "{g} * 2 + {s}", "({s} + {g}) // 2", "{s} + {g} % 2"))).format(
        s=start, g=name
    )


@st.composite
def accesses(draw: st.DrawFn) -> str:
    """A loop nest over the input with a view of it at each iteration, and a view of that."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    trips = [draw(st.sampled_from(TRIPS)).format(size=s, tile=t) for s, t in (("n", rows), ("m", columns))]
    if draw(st.booleans()):
        grid = draw(
            st.sampled_from(
                ("ip, jf = nl.mgrid[0:{r}, 0:{c}]", "ip, jf = nl.arange({r})[:, None], nl.arange({c})[None, :]")
            )
        )
        inside = [
            grid.format(r=rows, c=columns),
            f"at = ({draw(grids('i', rows, 'ip'))}, {draw(grids('j', columns, 'jf'))})",
        ]
        inside += ["reveal(at)", "reveal((at[0] < n) & (at[1] < m))", "tile = a[at[0], at[1]]", "reveal(tile)"]
    else:
        (row, some), (column, more) = draw(slices("i", "n", rows)), draw(slices("j", "m", columns))
        inside = [f"if not ({some} and {more}):\n    continue", f"tile = a[{row}, {column}]", "reveal(tile)"]
        again = (
            "tile[0:1, 0:1]",
            "tile[0:tile.shape[0], 1:2]",
            "tile[:, j:j + 1]",
            "tile.reshape((tile.shape[1], tile.shape[0]))",
        )
        inside += [f"if tile.shape[0] > 0 and tile.shape[1] > 0:\n    reveal({draw(st.sampled_from(again))})"]
    inside.append("reveal(tile.shape)")
    nest = f"for j in nl.affine_range({trips[1]}):\n" + indent("\n".join(inside), "    ")
    return f"for i in nl.affine_range({trips[0]}):\n" + indent(nest, "    ")


@CHECKED
@given(accesses())
def test_views_of_tensors(body: str) -> None:
    outcome = compare(kernel_source(body), SHAPES)
    assert not outcome.wrong
    assert not outcome.open
