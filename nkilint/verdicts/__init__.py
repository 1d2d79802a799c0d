"""From the trace of a kernel to its verdict, findings and contract."""
