"""What Python's operations do to the values of the language itself, one file for each kind of value."""
