"""What a file says by its text alone, before anything is evaluated."""
