"""How long data stays where it was put: reads of what was overwritten under direct allocation, sums in PSUM."""
