"""Python in documents: where it stands, what belongs to it, and how a notebook is written back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nkilint.project.documents.markup import Block, markdown, restructured
from nkilint.project.documents.notebooks import cells, joined, written
from nkilint.project.documents.snippets import Snippet, broken, snippets

KERNEL = """\
@nki.jit
def kernel(a):
    return nl.load(a)
"""


def of_markdown(text: str) -> list[Snippet]:
    lines = text.split("\n")
    return list(snippets(lines, markdown(lines)))


def fenced(*codes: str) -> str:
    return "\n".join(f"text\n\n```python\n{code}```\n" for code in codes)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("```python\na\n\nb\n```", [Block(2, 4, 0)]),
        ("~~~ py title=x\na\n~~~", [Block(2, 2, 0)]),
        ("````python\n```\na\n````", [Block(2, 3, 0)]),
        ("1. x\n\n   ```{code-block} python\n   a\n     b\n   ```", [Block(4, 5, 3)]),
        ("```python\na", [Block(2, 2, 0)]),
        ("```\na\n```\n```sh\nb\n```\n```python\n```", []),
        ("```sh\n```python\n```\n```python\na\n```", [Block(5, 5, 0)]),
    ],
)
def test_fences(text: str, wanted: list[Block]) -> None:
    assert list(markdown(text.split("\n"))) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (".. code-block:: python\n   :linenos:\n\n   a\n\n     b\n\ntext", [Block(4, 6, 3)]),
        ("  .. code:: python3\n\n      a\n  text\n      b", [Block(3, 3, 6)]),
        (".. code-block::\n\n  a", [Block(3, 3, 2)]),
        (".. code-block:: bash\n\n  a\n\n.. literalinclude:: k.py\n   :language: python\n", []),
        (".. code-block:: python\n\ntext", []),
    ],
)
def test_directives(text: str, wanted: list[Block]) -> None:
    assert list(restructured(text.split("\n"))) == wanted


def test_a_snippet_stays_in_its_rows_and_columns() -> None:
    text = ".. code-block:: python\n\n   import nki\n   x = nki.jit\n"
    (found,) = snippets(text.split("\n"), restructured(text.split("\n")))
    assert found.text == "\nif True:\n   import nki\n   x = nki.jit\n"
    assert (found.first, found.last, found.whole) == (3, 4, True)


def test_imports_of_the_document_are_those_of_each_snippet() -> None:
    _, found = of_markdown(fenced("import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n", KERNEL))
    head = found.text.split("\n")[0]
    assert head == "import neuronxcc.nki as nki; import neuronxcc.nki.language as nl"


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("nisa.dma_copy(dst=a, src=b)", "import nki"),
        ("nl.load(a, mask=b)", "import neuronxcc.nki as nki"),
        ("print(nl.float32)", "import nki"),
    ],
)
def test_without_imports_the_calls_tell_the_namespace(call: str, wanted: str) -> None:
    (found,) = of_markdown(fenced(f"@nki.jit\ndef k(a, b):\n    {call}\n"))
    assert wanted in found.text.split("\n")[0].split("; ")
    assert found.whole


def test_earlier_blocks_come_along_if_they_are_needed() -> None:
    helper, other = "def helper():\n    return SIZE\n", "def unused():\n    pass\n"
    *_, found = of_markdown(fenced("SIZE = 3\n", helper, other, "x = nl.add(helper())\n"))
    assert "SIZE = 3" in found.text
    assert "def helper" in found.text
    assert "unused" not in found.text


def test_the_definition_before_a_use_counts() -> None:
    first, second = of_markdown(
        fenced("def f():\n    return nl.one\n", "x = nl.add(f())\n", "def f():\n    return nl.two\n")
    )[:2]
    assert "nl.one" in second.text
    assert "nl.two" not in second.text
    assert first.whole


def test_other_names_come_from_elsewhere() -> None:
    (found,) = of_markdown(fenced("def kernel(a):\n    return nl.add(a, helper(size, len(a)))\n"))
    assert "from elsewhere import helper, size" in found.text.split("\n")[0]
    assert not found.whole


def test_dtypes_need_no_prefix() -> None:
    (found,) = of_markdown(fenced("def kernel(a):\n    return nl.ndarray((1, 2), dtype=float32, buffer=nl.sbuf)\n"))
    assert "from nki.language import float32" in found.text.split("\n")[0].split("; ")
    assert found.whole


def test_what_is_left_out_is_known() -> None:
    (found,) = of_markdown(fenced("def f(a):\n    nl.load(a)\n    ...\n\ndef g(a):\n    nl.load(a)\n"))
    assert [found.shows(row) for row in (4, 6, 8, 9, 12)] == [False, False, True, True, False]


def test_blocks_that_are_no_python_or_have_nothing_to_do_with_nki() -> None:
    assert of_markdown(fenced("def f(...):\n    nl.load(a)\n", "print(1)\n", "nl.load(a).\n")) == []


def test_whole_blocks_have_to_be_python() -> None:
    text = "\n.. code-block:: python\n\n  import nki\n  def f(a):\n  return a\n"
    lines = text.split("\n")
    (error,) = broken(lines, restructured(lines))
    assert (error.lineno, error.msg[:26]) == (6, "expected an indented block")
    for fragment in (
        "def f(a):\nreturn a",
        "import nki\ndef f(...):\n  pass",
        "import nki\ndef f():\n  <do more here>",
    ):
        lines = fenced(fragment + "\n").split("\n")
        assert list(broken(lines, markdown(lines))) == []


def notebook(*sources: Any, **metadata: Any) -> dict[str, Any]:
    code = [{"cell_type": "code", "metadata": {"source": "no"}, "outputs": [], "source": s} for s in sources]
    return {"cells": [{"cell_type": "markdown", "source": ["# é"]}, *code], "metadata": metadata, "nbformat": 4}


def test_cells_are_one_text() -> None:
    found = cells(json.dumps(notebook(["%time\n", "a = 1\n", "b"], "!ls\nx = [\n    2]", ["%%bash\n", "ls"])))
    text, places = joined(found)
    assert text == "pass\na = 1\nb\npass\nx = [\n    2]\n\n\n"
    assert places == [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2)]


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}', '{"metadata": {}}'])
def test_what_is_no_notebook(text: str) -> None:
    if text:
        assert cells(text) == []
    else:
        with pytest.raises(ValueError, match="Expecting value"):
            cells(text)


def test_notebooks_of_other_languages() -> None:
    assert cells(json.dumps(notebook("a", kernelspec={"language": "julia"}))) == []
    assert len(cells(json.dumps(notebook("a", language_info={"name": "python"})))) == 1


@pytest.mark.parametrize("how", [{"indent": 1}, {"indent": 4, "ensure_ascii": False}, {}, {"separators": (",", ":")}])
def test_the_rest_of_a_notebook_stays_as_it_is(how: dict[str, Any]) -> None:
    whole = notebook(["é = 1\n", "b\n"], "one = 'é'", ["last"])
    text = json.dumps(whole, **how) + "\n"
    for number, new in ((0, "é = 1\nmore\nb\n"), (1, "two\nthree"), (2, "last")):
        cell = cells(text)[number]
        old = whole["cells"][number + 1]["source"]
        whole["cells"][number + 1]["source"] = new if isinstance(old, str) else new.splitlines(keepends=True)
        text = written(text, cell, new)
        assert json.loads(text) == whole
    assert text.count("\n") == (json.dumps(whole, **how) + "\n").count("\n")
