"""What everything else stands on: the nodes of lowered Python, findings, options, files."""
