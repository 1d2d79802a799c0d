"""The files of a run: which there are, what their names stand for, and which kernels are in them."""
