"""What the operations compute: one function of numpy arrays for each operation of the rulebook."""
