"""NKI: operations, tensors, placement."""
