"""Rewrites kernels for a later version of NKI, step by step, and shows that nothing changed."""
