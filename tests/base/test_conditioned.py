"""Conditions in messages: what has to hold, or, where it is all that is said, what must not."""

from __future__ import annotations

import pytest

from nkilint.base.findings import conditioned


@pytest.mark.parametrize(
    ("precondition", "said"),
    [
        ("M % 128 == 0", "it fails, unless `M % 128 == 0`"),
        ("mode != 'b'", "it fails, where `mode == 'b'`"),
        ("mode not in (Mode.A, Mode.B)", "it fails, where `mode in (Mode.A, Mode.B)`"),
        ("not flag", "it fails, where `flag`"),
        ("min(n // 32, 8) != 0", "it fails, where `min(n // 32, 8) == 0`"),
        ("mode != 'b' or n <= 8", "it fails, unless `mode != 'b' or n <= 8`"),
        ("not flag and n <= 8", "it fails, unless `not flag and n <= 8`"),
        ("what {this} is", "it fails, unless `what {this} is`"),
    ],
)
def test_a_message_says_what_has_to_hold_or_what_must_not(precondition: str, said: str) -> None:
    assert conditioned("it fails", precondition) == said


def test_where_it_is_not_exact_nothing_is_turned_around() -> None:
    assert conditioned("it fails", "mode != 'b'", exact=False) == "it fails; excluded if `mode != 'b'`"
