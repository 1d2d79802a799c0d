"""Rules about the sizes that tiles and instructions may have."""
