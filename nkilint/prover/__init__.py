"""Decides obligations: proved, violated, conditional or unknown."""

from .decision import Decision, Verdict
from .prover import Budget, Prover

__all__ = ["Budget", "Decision", "Prover", "Verdict"]
