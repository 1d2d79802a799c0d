"""Rules about indexing: bounds, grids and masks."""
