"""Checkers, which listen to what a run does."""
