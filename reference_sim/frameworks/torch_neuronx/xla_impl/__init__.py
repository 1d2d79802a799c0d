"""Where `nki_jit` also is."""
