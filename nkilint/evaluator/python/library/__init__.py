"""Modules that are not of the project."""
