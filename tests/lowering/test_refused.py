"""Texts that Python can parse, and refuses to compile."""

from __future__ import annotations

import pytest

from nkilint.base.source import SourceError
from nkilint.lowering import lower

REFUSED = {
    "return 1": "'return' outside function",
    "def f():\n    break": "'break' outside loop",
    "def f():\n    if 1:\n        continue": "'continue' not properly in loop",
    "def f(a, a): pass": "duplicate argument 'a' in function definition",
    "def f(x):\n    global x": "name 'x' is parameter and global",
    "def f():\n    w = 1\n    global w": "name 'w' is assigned to before global declaration",
    "def f():\n    nonlocal w": "no binding for nonlocal 'w' found",
    "def f():\n    from math import *": "import * only allowed at module level",
    "def f(x):\n    [v for v in [(y := x)]]": "assignment expression cannot be used in a comprehension iterable",
    "[v := 1 for v in (1, 2)]": "assignment expression cannot rebind comprehension iteration variable 'v'",
    "def f(x):\n    match x:\n        case (a, a): pass": "multiple assignments to name 'a' in pattern",
    "try: pass\nexcept: pass\nexcept ValueError: pass": "default 'except:' must be last",
    "*a, *b = 1, 2": "multiple starred expressions in assignment",
    "yield 1": "'yield' outside function",
    "x = 1\nfrom __future__ import annotations": "from __future__ imports must occur at the beginning of the file",
    "x = 'a' b'b'": "cannot mix bytes and nonbytes literals",
    "def f(): await g()": "'await' outside async function",
}
TAKEN = [
    "def f():\n    for i in (1, 2):\n        break\n    return i",
    "def f(x):\n    global w\n    w = x",
    "def f(x):\n    return [y for v in x if (y := v)], y",
    "from __future__ import annotations\nx: list[missing] = 1",
    "a = 1; b = 2\n@a\n\n@b\ndef f(): return '''\n'''; c = 3",
    "x = '\\d' is 3",  # Python warns of it
    "",
]


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize(("text", "said"), REFUSED.items())
def test_what_python_does_not_compile_is_a_syntax_error(text: str, said: str, edited: bool) -> None:
    with pytest.raises(SourceError) as refused:
        lower(text + "\n", "k.py", "k", "", edited=edited)
    assert said in str(refused.value)
    assert 1 <= refused.value.row <= text.count("\n") + 1


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("text", TAKEN)
def test_what_python_compiles_is_lowered(text: str, edited: bool, recwarn: pytest.WarningsRecorder) -> None:
    lower(text, "k.py", "k", "", edited=edited)
    assert not recwarn.list


def test_the_place_is_that_in_the_whole_text() -> None:
    with pytest.raises(SourceError) as refused:
        lower("a = 1\n\n\ndef f():\n    for i in a:\n        pass\n    break\n", "k.py", "k", "", edited=True)
    assert (refused.value.row, refused.value.column) == (7, 5)


def test_cells_of_notebooks_may_await() -> None:
    lower("x = await y\n", "k.ipynb", "k", "")
    with pytest.raises(SourceError):
        lower("x = await y\n", "k.py", "k", "")
