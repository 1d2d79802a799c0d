"""Texts of expressions, as parts of others."""

from __future__ import annotations

import ast

PRODUCTS = (ast.Mult, ast.FloorDiv, ast.Mod)
_TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def enclosed(text: str, loose: tuple[type[ast.operator], ...] = ()) -> str:
    """`text` in parentheses, if it is a sum or the like; with an operator of `loose` it may stand as it is."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return f"({text})"
    bare = isinstance(node, _TIGHT) or (isinstance(node, ast.BinOp) and isinstance(node.op, loose))
    bare = bare or (text.startswith("(") and node.end_col_offset == len(text.encode()) - 1)  # it stands in parentheses
    return text if bare else f"({text})"


def plus(text: str, factor: int, other: str) -> str:
    """So many times `text`, and `other` added to that."""
    product = enclosed(text, PRODUCTS) if abs(factor) == 1 else f"{abs(factor)} * {enclosed(text)}"
    if other == "0":
        return product if factor > 0 else f"-{product}"
    if factor < 0:
        return f"{other} - {product}"
    less = other[1:] if other[0] == "-" and other[1:].isdigit() else None
    return f"{product} - {less}" if less else f"{product} + {enclosed(other, PRODUCTS)}"
