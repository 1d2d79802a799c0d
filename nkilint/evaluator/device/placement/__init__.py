"""Direct allocation: where tiles are placed."""
