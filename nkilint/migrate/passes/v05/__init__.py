"""Steps to `nki` 0.5."""
