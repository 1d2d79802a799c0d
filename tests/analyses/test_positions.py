"""Views of other shapes looked at in the shape in which their tensor was made."""

from __future__ import annotations

from typing import Any

from nkilint.analyses.questions.positions import in_own_shape
from nkilint.base.ir import Span
from nkilint.evaluator.values.axes import axis
from nkilint.evaluator.values.tensors import Declaration, View
from nkilint.symbolic.integers import key_of
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import FLOAT32


def flat_view(width: Any) -> View:
    """A tensor of 128 rows of `width` times 4 elements as 128 rows of `width * 4`."""
    tensor = Declaration("t", (128, width, 4), FLOAT32, "sbuf", Span("", 1, 1, 1, 1), "allocation")
    return View(tensor, (128, 8), (axis(1, 128), axis(0, 8)), layout=(128, 8))


def test_what_is_a_row_and_a_column() -> None:
    rows = View(flat_view(2).base, (128, 4), (axis(1, 128), axis(0, 4)), layout=(128, 8))
    seen = in_own_shape(rows, lambda claim: claim is True)
    assert [key_of(index) for index in seen.index] == [key_of(axis(1, 128)), key_of(0), key_of(axis(0, 4))]


def test_sizes_that_nobody_knows_leave_a_view_as_it_is() -> None:
    view = flat_view(Unknown("an element of a list"))
    assert in_own_shape(view, lambda claim: True) is view
