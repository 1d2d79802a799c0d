"""Processes that stay: started once, with everything imported, and asked again and again."""
