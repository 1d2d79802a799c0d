"""Where tensors are placed on chip."""
