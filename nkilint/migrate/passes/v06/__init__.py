"""Steps to `nki` 0.6."""
