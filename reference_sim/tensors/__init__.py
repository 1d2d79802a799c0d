"""Tensors and views of them, subscripts, and elements that are computed late."""
