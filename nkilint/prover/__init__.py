"""Decides obligations: proved, violated, conditional or unknown."""

from .decision import Decision, Verdict
from .prover import Prover

__all__ = ["Decision", "Prover", "Verdict"]
