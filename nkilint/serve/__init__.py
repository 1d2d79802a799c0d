"""Servers for programs that write kernels: JSON lines, and the Model Context Protocol."""
