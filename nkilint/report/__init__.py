"""A report in all its formats, for people and for tools; and what is left out of it."""
