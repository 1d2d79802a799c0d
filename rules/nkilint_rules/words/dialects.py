"""The two dialects of NKI."""

BETA1, NKI = "neuronxcc", "nki"
