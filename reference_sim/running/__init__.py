"""Kernels, launches, loops and programs."""
