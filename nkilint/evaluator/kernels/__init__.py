"""Kernels, their inputs and their launches."""
