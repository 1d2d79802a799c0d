"""A static verifier for AWS NKI kernels."""

__version__ = "0.1.0"
