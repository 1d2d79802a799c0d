"""What a run says: findings, their places in the source, their words, and how much it checks."""
