"""The symbolic evaluator: runs kernels over unknown shapes and yields their traces."""
