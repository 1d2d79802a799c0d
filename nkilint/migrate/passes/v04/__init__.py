"""Steps to `nki` 0.4."""
