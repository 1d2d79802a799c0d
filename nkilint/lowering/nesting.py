"""Limits on nesting, checked before parsing: the parser's own stack overflows without an error."""

from __future__ import annotations

import re

BRACKETS = 100
CHAIN = 1500
TRAILERS = 300  # calls and subscripts of one another: the parser's time grows with their square

_BRACKET = re.compile(r"[()\[\]{}]")
_OPENING = frozenset("([{")
_TOKEN = re.compile(
    r"""
    (?P<string>[A-Za-z]{0,2}(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"
        |'(?:[^\\\n']|\\.)*'|"(?:[^\\\n"]|\\.)*"))
    | (?P<comment>\#[^\n]*)
    | (?P<open>[(\[{]) | (?P<close>[)\]}])
    | (?P<separator>[,;:]) | (?P<line>\n) | (?P<continued>\\\n)
    | (?P<operator>[-+~*/%@&|^<>=.]+|\b(?:not|lambda|if|and|or|await|yield)\b)
    """,
    re.VERBOSE | re.DOTALL,
)


def excess(text: str) -> tuple[int, str] | None:
    """Where and how the text nests too deep, if it does."""
    depth = deepest = start = longest = 0
    for match in _BRACKET.finditer(text):
        if match.group() in _OPENING:
            if depth == 0:
                start = match.start()
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
            if depth == 0:
                longest = max(longest, match.start() - start)
    if depth:  # unbalanced, or brackets in strings
        longest = max(longest, len(text) - start)
    if deepest <= BRACKETS and max(longest, text.count("\\\n"), _longest_line(text)) <= CHAIN:
        return None
    return _scan(text)


def _longest_line(text: str) -> int:
    return max(map(len, text.split("\n")))


def _scan(text: str) -> tuple[int, str] | None:
    """The same exactly: strings and comments left out, operators counted between separators, and brackets that follow
    one another between operators."""
    chains, trailers = [0], [0]
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            trailers[-1] += 1
            if trailers[-1] > TRAILERS:
                return match.start(), f"more than {TRAILERS} calls or subscripts of one another"
            chains.append(0)
            trailers.append(0)
            if len(chains) > BRACKETS + 1:
                return match.start(), f"brackets are nested more than {BRACKETS} deep"
        elif kind == "close":
            if len(chains) > 1:
                chains.pop()
                trailers.pop()
        elif kind == "operator":
            chains[-1] += 1
            trailers[-1] = trailers[-1] if match.group() == "." else 0
            if chains[-1] > CHAIN:
                return match.start(), f"an expression has more than {CHAIN} operators"
        elif (kind == "separator" and match.group() != ":") or (kind == "line" and len(chains) == 1):
            chains[-1] = trailers[-1] = 0
    return None
