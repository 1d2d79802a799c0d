"""Rules about the tool itself: files it cannot read, suppressions, specifications, what it left open."""
