"""The words of the requirements: conditions, dtypes, targets, shapes."""
