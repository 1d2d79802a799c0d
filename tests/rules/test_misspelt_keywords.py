"""Keywords of operations that take any: those a letter away from a listed one do not fit."""

from __future__ import annotations

import pytest

from nkilint_rules.operations.signatures import Signature, SignatureError

OPEN = Signature("x, *, dtype=None, scale=1.0, operand0=None, op0=None, mask=None, **kwargs")


@pytest.mark.parametrize("name", ["scale_", "dtyp", "dtpye", "skale", "cscale", "masks", "mas_k", "operando"])
def test_a_letter_away_from_a_listed_one(name: str) -> None:
    with pytest.raises(SignatureError, match=f"takes no argument `{name}`"):
        OPEN.bind([1], {name: 2})


@pytest.mark.parametrize("name", ["max_free_vec_size", "operand", "operand1", "op1", "opo", "scaling", "dt", "name"])
def test_other_keywords_are_taken(name: str) -> None:
    assert OPEN.bind([1], {name: 2})[name] == 2


def test_one_that_is_given_too_is_none_that_was_meant() -> None:
    assert OPEN.bind([1], {"scale": 2.0, "scale_": 3.0})["scale_"] == 3.0


def test_a_closed_signature_takes_no_other() -> None:
    with pytest.raises(SignatureError, match="takes no argument `anything`"):
        Signature("x, dtype=None").bind([1], {"anything": 2})
