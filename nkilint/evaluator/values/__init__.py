"""What the evaluator computes with."""
