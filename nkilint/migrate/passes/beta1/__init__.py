"""Steps from `neuronxcc.nki` to `nki` 0.2."""
