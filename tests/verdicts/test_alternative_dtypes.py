"""Inputs of which one of several facts about dtypes is assumed."""

from __future__ import annotations

import pytest

from nkilint.verdicts.trials import assumed_dtypes


@pytest.mark.parametrize(
    ("text", "equal", "allowed"),
    [
        ("x.dtype == float16", {"x.dtype": "float16"}, {}),
        ("x.dtype in (float16, int8)", {}, {"x.dtype": [{"float16", "int8"}]}),
        ("x.dtype in (float32) or y.dtype not in (int16, int32)", {}, {}),
        ("x.dtype in (float32) or y.dtype in (bfloat16, float32, int8)", {}, {}),
        ("x.dtype in (float16) or y.dtype not in (float32, int32)", {}, {"x.dtype": [{"float16"}]}),
        ("x.dtype == float16 or y.dtype == float16", {"x.dtype": "float16"}, {}),
    ],
    ids=["one", "several", "no integers", "floats", "first of two", "first of two equations"],
)
def test_inputs_meet_one_of_several_facts(text: str, equal: dict[str, str], allowed: dict[str, list[set[str]]]) -> None:
    named, admitted = assumed_dtypes([text])
    assert {source: name for source, name in named.items() if source != name} == equal
    assert {source: [set(names) for names in found] for source, found in admitted.items()} == allowed
