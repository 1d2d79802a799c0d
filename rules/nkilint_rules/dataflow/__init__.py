"""Rules on what is written and read: outputs, tiles before they are written, lost results."""
