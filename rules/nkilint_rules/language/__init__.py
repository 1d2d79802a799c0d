"""Rules about the kernel language and the arithmetic on sizes."""
