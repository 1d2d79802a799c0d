"""The language server: a thin shell around the function that the command line calls."""
