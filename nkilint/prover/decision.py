"""What the prover says about an obligation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from nkilint.symbolic import Cond, Var
from nkilint_rules.words.records import dataclass

UNREACHED = "the event is never reached"
NO_CONDITION = "no condition on the inputs was found under which it holds"


class Verdict(Enum):
    PROVED = "proved"
    VIOLATED = "violated"
    CONDITIONAL = "conditional"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Decision:
    """`rung` is the step of the ladder that decided. `precondition`, over inputs, holds for just those of the inputs
    that reach the event which meet the obligation (if not `exact`: for some of them); it is None where no closed form
    was found. `model` is the canonical counterexample of a violated or conditional obligation; it is computed when
    first read, which has to happen before atoms are forgotten. `reason` says why an obligation is unknown. What is
    `given` is taken for granted of the inputs. What fails `anyway` does so whatever is true of what could not be
    determined."""

    verdict: Verdict
    rung: str
    precondition: Cond | None = None
    exact: bool = True
    model: Mapping[Var, int] = field(default_factory=dict)
    reason: str = ""
    given: tuple[Cond, ...] = ()
    anyway: bool = False

    @property
    def is_open_condition(self) -> bool:
        """Whether some inputs fail, and no closed form says which."""
        return self.verdict is Verdict.CONDITIONAL and self.precondition is None

    @property
    def asked(self) -> Cond | bool:
        """The condition under which it holds; False where none is known."""
        return False if self.precondition is None else self.precondition
