"""Rules on versions: what a version of NKI has no longer, takes differently, or is about to drop."""
