"""Tuples and texts stay what they are."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.language.call_signature import CallSignature

from ...state import protocols
from ...state.machine import Machine
from ...state.refusals import refused
from ...values.wording import in_words


@protocols.subscripts_set.of(tuple, str)
def _store(machine: Machine, container: Any, key: Any, value: Any, target: ir.Index) -> None:
    said = CallSignature.unusable(expression=target.value.at, kind=in_words(container), use="cannot be changed")
    refused(machine, "TypeError", said, target.at, container)
