"""Rules about the operands of an operation: memory, dtype, shape, form and engine."""
