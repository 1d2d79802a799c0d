"""Rules about how long data stays where it was put."""
