from nkilint.base.ir import Span
from nkilint_rules.rule import Example
from nkilint_rules.words.dialects import NKI

from ..support.example_source import FILE, source_of


def test_code_without_a_function_is_put_into_a_kernel() -> None:
    text, span = source_of(Example("r = nl.exp(⟦x⟧)"))
    row = text.splitlines().index("    r = nl.exp(x)") + 1
    assert span == Span(FILE, row, 16, row, 17)
    assert "    x = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)" in text.splitlines()
    assert "    y = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)" not in text.splitlines()


def test_a_span_over_several_lines_ends_after_its_last_character() -> None:
    text, span = source_of(Example("⟦nisa.tensor_copy(\n    dst=x,\n    src=y,\n)⟧", dialect=NKI))
    row = text.splitlines().index("    nisa.tensor_copy(") + 1
    assert span == Span(FILE, row, 5, row + 3, 6)


def test_code_with_a_function_gets_only_the_imports() -> None:
    text, span = source_of(Example("@nki.jit\ndef kernel(t):\n    return t"))
    assert span is None
    assert text.endswith("\n\n\n@nki.jit\ndef kernel(t):\n    return t\n")
