"""For which inputs: iterations, elements and other unknowns eliminated from what has to hold.

`precondition` answers for what has to hold for all of their values, `exists` for what has to hold for some, `necessary`
guesses a condition for the prover to verify, and `Failing` asks what its counterexamples show. `simplification` brings
the answers into a person's form."""

from .cases import has_few_values, in_values, values_of
from .corners import necessary
from .counterexamples import Failing
from .existence import Existence, either, exists
from .extremes import Precondition
from .precondition import precondition

__all__ = [
    "Existence",
    "Failing",
    "Precondition",
    "either",
    "exists",
    "has_few_values",
    "in_values",
    "necessary",
    "precondition",
    "values_of",
]
