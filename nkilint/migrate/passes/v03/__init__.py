"""Steps to `nki` 0.3."""
