"""Repairs that are certain: what a finding asks for, as edits of the source."""
