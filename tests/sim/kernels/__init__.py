"""Kernels of the kind that courses hand out, written for these tests."""
