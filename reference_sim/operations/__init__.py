"""Operations on tensors: calls, operands, results, numerics."""
