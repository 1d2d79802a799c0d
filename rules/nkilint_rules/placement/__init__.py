"""Rules about where direct allocation puts tensors, and what else a directly allocated kernel has to obey."""
