"""The hardware: memories, registers, cores, and the numbers they hold."""
