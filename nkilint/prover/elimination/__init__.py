"""For which inputs: iterations, elements and other unknowns eliminated from what has to hold.

`precondition` answers for what has to hold for all of their values, `exists` for what has to hold for some, `necessary`
guesses a condition for the prover to verify, and `Failing` asks what its counterexamples show. `simplification` brings
the answers into a person's form."""

from .cases import has_few_values, in_values, values_of
from .corners import necessary
from .counterexamples import Failing, avoiding
from .existence import Existence, either, exists
from .extremes import Precondition
from .precondition import precondition
from .wording import in_fewer_words

__all__ = [
    "Existence",
    "Failing",
    "Precondition",
    "avoiding",
    "either",
    "exists",
    "has_few_values",
    "in_fewer_words",
    "in_values",
    "necessary",
    "precondition",
    "values_of",
]
