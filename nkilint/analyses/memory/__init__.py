"""What is alive in SBUF and PSUM, statement by statement: the memory map, and advice about too much of it."""
