"""Shapes of parameters that a docstring states, where it does so beyond doubt: `q: shape (bs, heads, d, seq)`.

They name dimensions; numbers beside names hold, as in `[128, n]`, and so does 1: a row, a column, a scalar. Shapes of
numbers alone may be examples where a kernel goes by the shape that it gets; else it is written for them, and they hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

from nkilint.base import ir

_LINE = re.compile(
    r"""^\s* (?:[-*+]\s+)? (?::param\s+)?
    (?P<names>[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)
    \s* (?P<type>\([^()]*\)\s*)?                        # a type, as Google's style has it
    : \s* (?:optional\s+(?=[(\[]))? (?P<rest>.*?) \s*$""",
    re.VERBOSE | re.IGNORECASE,
)
_LISTED = r"[(\[]\s*(?P<dims>[^()\[\]]*(?:\([^()\[\]]*\)[^()\[\]]*)*)[)\]]"
_AFTER = r"(?:$|[,.;]|[-=]>|[-\u2013\u2014]\s|(?:u?int|b?float|bf|fp)\d+\b|(?:in|on|@)\s+(?:HBM|DRAM|SBUF|PSUM)\b)"
_TYPED = r"(?:(?:u?int|b?float|bf|fp|f)\d+)?"
_ALONE = re.compile(rf"^(?:shape\s*(?:of|is|:|=)?\s*)?{_TYPED}{_LISTED}\s*{_AFTER}", re.IGNORECASE)
_STATED = re.compile(rf"\b(?:shape|of\s+size)\s*(?:of|is|:|=)?\s*{_LISTED}", re.IGNORECASE)
_WORDS = re.compile(rf"^{_TYPED}{_LISTED}\s+\w", re.IGNORECASE)
_FIRST = re.compile(rf"^{_TYPED}{_LISTED}(?=$|[\s,.;])", re.IGNORECASE)
_MEMORY = r"(?:HBM|DRAM|SBUF|PSUM)\b"
_IN_MEMORY = re.compile(
    rf"(?<=\s){_LISTED}(?<=\])\s+(?:in|on|@)\s+{_MEMORY}(?:\s*(?:,|/|or)\s*{_MEMORY})*", re.IGNORECASE
)
_DOUBTED = re.compile(
    r"\b(?:or|if|when|where|else|unless|otherwise|either|depending|depends|optional|e\.?g|example|transposed|pair|tuple|list)\b",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(r"\b(?:as|for|from|in|into|like|of|over|than|to|with)\s*$", re.IGNORECASE)
_DOUBT = re.compile(r"\s*[,;]?\s*(?:or|if|when|else|unless|\|)(?:\b|\s)", re.IGNORECASE)
_NEXT = re.compile(  # `q: [d, S], k: [d, S]`, `A: [C, N]; B, C: f32[N, S]`, or with some blanks between
    rf"(?<=[)\]])(?:\s*[,;]\s*|\s{{2,}})(?=[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*:\s*{_TYPED}[(\[])"
)
_BARE = re.compile(  # `q, k: f32[d, S]` without the colon
    r"""(?P<names>[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*) \s+
    (?P<type>(?:(?:u?int|b?float|bf|fp|f)\d+)?) \s* (?P<dims>\[[^\[\]]*\]) (?:\s*[,;]\s*|$)""",
    re.VERBOSE | re.IGNORECASE,
)
_TYPES = frozenset(
    {"int", "float", "bool", "str", "optional", "tuple", "list", "none", "true", "false", "dtype", "any"}
)
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Div: "/", ast.Mod: "%"}


def docstring_shapes(function: ir.FunctionDef) -> dict[str, tuple[int | str, ...]]:
    """For each parameter whose shape the docstring gives once and plainly: sizes as numbers, names or expressions."""
    if not function.docstring:
        return {}
    plain = {p.name for p in function.params if p.kind not in ("*", "**") and _may_be_tensor(p)}
    found: dict[str, tuple[int | str, ...]] = {}
    doubtful: set[str] = set()
    parts = [part for line in function.docstring.splitlines() for part in _parts(line, plain)]
    for name, shape in chain.from_iterable(_line(part, plain) for part in parts):
        if shape is None or found.setdefault(name, shape) != shape:
            doubtful.add(name)
    known = {name: shape for name, shape in found.items() if name not in doubtful}
    told = {size for shape in known.values() for size in shape}
    rest = plain - set(found)
    further = [pair for part in parts for pair in _by_sizes_of_others(part, rest, told)]
    return {**known, **{name: shape for name, shape in further if all(s == shape for n, s in further if n == name)}}


def _by_sizes_of_others(
    line: str, parameters: set[str], told: set[int | str]
) -> Iterator[tuple[str, tuple[int | str, ...]]]:
    """Parameters that a line describes by names of sizes which others have: `w: [D]`, `w: (D,) the weights`."""
    match = _LINE.match(line)
    listed = _FIRST.match(match["rest"]) if match is not None else None
    names = re.split(r"\s*,\s*", match["names"]) if match is not None else []
    if match is None or listed is None or not parameters.issuperset(names):
        return
    rest = match["rest"][listed.end() :]
    shape = _dims(listed["dims"], alone=False)
    if (
        shape is not None
        and told.issuperset(shape)
        and not _DOUBTED.search(rest)
        and not re.search(r"[\[(]\s*\w+\s*,", rest)
    ):
        yield from ((name, shape) for name in names)


_TUPLE = re.compile(
    r"^\s*(?:[-*+]\s+)?(?::param\s+)?(?P<name>[A-Za-z_]\w*)\s*(?::\s*|\(\s*)(?:a\s+)?tuple\b(?:[^()]*\((?P<items>\w+(?:\s*,\s*\w+)+)\))?",
    re.IGNORECASE,
)


def docstring_tuples(function: ir.FunctionDef) -> dict[str, int | None]:
    """The parameters that a docstring calls tuples, with how many items if it names them: `size: tuple (F1, F2)`."""
    found = map(_TUPLE.match, (function.docstring or "").splitlines())
    return {m["name"]: m["items"].count(",") + 1 if m["items"] else None for m in found if m is not None}


_CLASS = re.compile(
    r"""^\s*(?:[-*+]\s+)?(?P<name>[A-Za-z_]\w*)\s*\(\s*
    (?:Optional\[\s*)?`?(?P<cls>[A-Za-z_]\w*)`?\s*\]?\s*(?:,\s*optional\s*)?\)\s*:""",
    re.VERBOSE,
)


def docstring_classes(function: ir.FunctionDef) -> dict[str, str]:
    """The types that a docstring names of parameters, where nothing annotates these: `dims (Dims): ...`."""
    open_ones = {p.name for p in function.params if p.annotation is None and p.kind not in ("*", "**")}
    found: dict[str, set[str]] = {}
    for match in filter(None, map(_CLASS.match, (function.docstring or "").splitlines())):
        found.setdefault(match["name"], set()).add(match["cls"])
    return {name: classes.pop() for name, classes in found.items() if name in open_ones and len(classes) == 1}


def _parts(line: str, parameters: set[str]) -> list[str]:
    """A line, or what it says of several parameters if it begins with one: it may be about a case (`GQA: q: [..]`)."""
    bare = _without_colons(line)
    if bare:
        return bare
    parts = _NEXT.split(line)
    return parts if any(_line(parts[0], parameters)) else [line]


_ARROW = re.compile(r"\s*(?:[-=]>|\u2192).*")


def _without_colons(line: str) -> list[str]:
    """What a line says that only lists names with their shapes: `xT bf16[K, M], w, u [K, N] -> [M, N]`."""
    text = _ARROW.sub("", line).strip().removesuffix(".")
    found = list(_BARE.finditer(text))
    whole = "".join(match[0] for match in found) == text
    return [f"{match['names']}: {match['type']}{match['dims']}" for match in found] if whole else []


_BEGINNING = re.compile(rf"^(?:shape\s*(?:of|is|:|=)?\s*)?{_TYPED}{_LISTED}", re.IGNORECASE)
_FURTHER = re.compile(r"[)\]]\s*,?\s*(?:or|if|when|where|for|else|unless)\b|[(\[]\s*\w+[^()\[\]]*,", re.IGNORECASE)
_SIZE = re.compile(r"[\w\s.*/+\-()]+")


def docstring_ranks(function: ir.FunctionDef) -> dict[str, tuple[int, bool]]:
    """For each parameter whose description begins with sizes how many these are, and whether that is its only form: of
    several, it is the first."""
    plain = {p.name for p in function.params if p.kind not in ("*", "**") and _may_be_tensor(p)}
    found: dict[str, tuple[int, bool]] = {}
    for line in chain.from_iterable(_parts(line, plain) for line in (function.docstring or "").splitlines()):
        match = _LINE.match(line)
        listed = _BEGINNING.match(match["rest"]) if match is not None else None
        names = re.split(r"\s*,\s*", match["names"]) if match is not None else ()
        if match is not None and listed is not None and plain.issuperset(names):
            sizes = re.split(r",(?![^()]*\))", listed["dims"])
            if len(sizes) > 1 and all(_SIZE.fullmatch(s) and s.strip().lower() not in _TYPES for s in sizes):
                only = _FURTHER.search(match["rest"], listed.end() - 1) is None
                found.update((name, (len(sizes), only)) for name in names if name not in found)
    shapes = docstring_shapes(function).items()
    return {**{name: (len(shape), True) for name, shape in shapes if len(shape) > 1}, **found}


_ON_CHIP = re.compile(r"(?:\b(?:in|on)\s+|@\s*)(?:SBUF|PSUM)\b", re.IGNORECASE)
_OFF_CHIP = re.compile(r"\b(?:HBM|DRAM)\b", re.IGNORECASE)


def takes_tiles(function: ir.FunctionDef) -> bool:
    """Whether the docstring says of a parameter that it is in the memory of a core: other kernels give it."""
    return any(_ON_CHIP.search(text) for text in _descriptions(function))


def takes_only_tiles(function: ir.FunctionDef) -> bool:
    """Whether it says so of one that it does not say to be in HBM as well, at times."""
    return any(_ON_CHIP.search(text) and not _OFF_CHIP.search(text) for text in _descriptions(function))


def _descriptions(function: ir.FunctionDef) -> list[str]:
    """What the docstring says of each parameter that may be a tensor, to the next one or an empty line."""
    names = {p.name for p in function.params if _may_be_tensor(p)}
    found: list[list[str]] = []
    described = False
    for line in (function.docstring or "").splitlines():
        match = _LINE.match(line)
        if match is not None or not line.strip():
            described = match is not None and names.issuperset(re.split(r"\s*,\s*", match["names"]))
            found += [[]] if described else []
        if described:
            found[-1].append(line)
    return ["\n".join(lines) for lines in found]


def _may_be_tensor(parameter: ir.Param) -> bool:
    default = parameter.default
    return default is None or (isinstance(default, ir.Const) and default.value is None)


def _line(line: str, parameters: set[str]) -> Iterator[tuple[str, tuple[int | str, ...] | None]]:
    """Parameters that a line describes with a shape; None for a shape that is in doubt."""
    match = _LINE.match(line)
    if match is None:
        return
    names = re.split(r"\s*,\s*", match["names"])
    if not parameters.issuperset(names):
        return
    stated = _shapes(match["rest"], parameters, _OF_A_TENSOR.search(match["type"] or "") is not None)
    if not stated:
        return
    shape = stated[0] if len(stated) == 1 else None
    yield from ((name, shape) for name in names)


_OF_A_TENSOR = re.compile(r"\b(?:tensor|ndarray)\b", re.IGNORECASE)


def _shapes(text: str, parameters: set[str], of_a_tensor: bool) -> list[tuple[int | str, ...] | None]:
    """Every shape that a description states, which may be one that says that it is of a tensor."""
    alone = _ALONE.match(text) or _before_words(text, parameters)
    matches = list(_STATED.finditer(text))
    if alone is None and not matches:
        alone = _in_memory(text)
    if alone is not None and not any(m.end() == alone.end() or m.start() < alone.end() for m in matches):
        matches.insert(0, alone)
    bare = alone if alone is not None and not (of_a_tensor and text[alone.end("dims")] == "]") else None
    return [_dims(m["dims"], m is bare) if not _DOUBT.match(text, _closing(text, m)) else None for m in matches]


def _before_words(text: str, parameters: set[str]) -> re.Match[str] | None:
    """Sizes at the beginning of a description, `[M, K] the left operand`, of which its words leave no doubt: those in
    square brackets, as round ones may hold the items of a tuple, and in capitals, or names of other parameters."""
    match = _WORDS.match(text)
    if match is None or text[match.end("dims")] != "]" or _DOUBTED.search(text, match.end("dims")):
        return None
    if any(name != name.upper() and name not in parameters for name in re.findall(r"[A-Za-z_]\w*", match["dims"])):
        return None  # `[h, w] specifies the stride`
    return match if text.find("[", match.end("dims")) < 0 else None


def _in_memory(text: str) -> re.Match[str] | None:
    """Sizes that only a tensor's memory follows, `Output logits [T, E] in HBM`: the one list in square brackets there,
    and no other word that leaves a doubt."""
    match = _IN_MEMORY.search(text)
    before = "" if match is None else text[: match.start()]
    doubt = match is None or _DOUBTED.search(before) or _OF_ANOTHER.search(before) or _DOUBTED.search(text, match.end())
    return match if not doubt and text.count("[") == 1 else None


def _closing(text: str, match: re.Match[str]) -> int:
    """The offset behind the bracket that closes the sizes."""
    return match.end("dims") + 1


_ARITHMETIC = re.compile(r"\w+(?:\s*(?:\*|/|//|\+|-)\s*\w+)*")


def _dims(text: str, alone: bool) -> tuple[int | str, ...] | None:
    """The sizes of a list such as `M, K // 2`; a bracket without a comma says too little where no word announces it."""
    try:
        tree = ast.parse(f"[{text}]", mode="eval").body
    except (SyntaxError, ValueError):
        parts = [
            part.strip() for part in text.split(",")
        ]  # such as `16_H * 8_H`: how many there are is told all the same
        return tuple(parts) if len(parts) > 1 and all(map(_ARITHMETIC.fullmatch, parts)) else None
    if not isinstance(tree, ast.List) or not tree.elts or (alone and "," not in text):
        return None
    try:
        dims = tuple(_dim(node) for node in tree.elts)
    except ValueError:
        return None
    return None if any(str(d).lower() in _TYPES for d in dims) else dims


def _dim(node: ast.expr) -> int | str:
    if not isinstance(node, ast.Constant):
        return _text(node)
    if type(node.value) is int and node.value > 0:
        return node.value
    raise ValueError


def _text(node: ast.expr) -> str:
    """An arithmetic expression of names, written one way; ValueError for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return str(node.value)
    if isinstance(node, ast.Attribute):
        return f"{_text(node.value)}.{node.attr}"
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _text(node.left), _text(node.right)
        left = f"({left})" if isinstance(node.left, ast.BinOp) else left
        right = f"({right})" if isinstance(node.right, ast.BinOp) else right
        return f"{left} {_OPERATORS[type(node.op)]} {right}"
    raise ValueError
