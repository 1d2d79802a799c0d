"""Where an evaluation stands: variables, paths, the trace."""
