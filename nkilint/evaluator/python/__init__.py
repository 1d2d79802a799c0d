"""Python, as kernels and host code use it."""
