"""Rules on iterations and programs that run side by side."""
