"""The names that the NKI compiler has for errors, and what they lead to.

Those that a rule is about stand with the rule (`Rule.aws`). The others stand here with their cause, as far as the
vendor's public pages tell it: they are about a whole graph, or about how kernels are built into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache

from .catalogue import rules
from .rule import Rule
from .words.records import dataclass

_HBM = "the tensors of the whole graph do not fit into HBM; a kernel's part in it is what it allocates there"
_INSTRUCTIONS = "the whole graph becomes more instructions than a program may have"
_CODES = "compiler/error-codes/"

ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "NCC_EBIR023": ("an intermediate size of a fused MLP kernel is larger than 4096", "EBIR023"),
    "NCC_EBVF030": (_INSTRUCTIONS, "EBVF030"),
    "NCC_EOOM001": (_HBM, "EOOM001"),
    "NCC_EOOM002": (_HBM, "EOOM002"),
    "NCC_EVRF007": (_INSTRUCTIONS, "EVRF007"),
    "NCC_EVRF009": (_HBM, "EVRF009"),
    "NCC_EVRF051": (
        "a `float8_e4m3fn` operand of the graph is compiled for trn1 or trn2, which need a flag for it",
        "EVRF051",
    ),
    "NCC_EVRF059": ("a file that a traced kernel was kept in is gone; trace the model again", "EVRF059"),
    "NCC_EVRF065": (
        "a kernel was traced with a version of NKI that the compiler takes no more; trace it again",
        "EVRF065",
    ),
    "NCC_EVRF066": (
        "a kernel is traced for another number of logical cores (LNC) than the graph is compiled for",
        "EVRF066",
    ),
    "NCC_EXSP001": (_HBM, "EXSP001"),
    "NCC_EXTP004": (_INSTRUCTIONS, "EXTP004"),
}
"""By name, the cause and the page."""

_CODE = re.compile(r"\b(?:NCC_)?[A-Z]{3,6}\d{3}\b|\berr_[a-z0-9_]+\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Name:
    """A name of the compiler's: the rules that are about the same, or the cause where there is none."""

    name: str
    rules: tuple[type[Rule], ...] = ()
    cause: str = ""
    page: str = ""


@cache
def names() -> dict[str, Name]:
    """Every name that is known, in order."""
    found: dict[str, tuple[type[Rule], ...]] = {}
    for rule in rules().values():
        for name in rule.aws:
            found[name] = (*found.get(name, ()), rule)
    known = {name: Name(name, own) for name, own in found.items()}
    known |= {name: Name(name, (), cause, f"{_CODES}{page}.rst") for name, (cause, page) in ELSEWHERE.items()}
    return dict(sorted(known.items(), key=lambda item: item[0].lower()))


def meant(text: str) -> Name | None:
    """The name in a text: a name with or without its `NCC_` or `err_`, or a whole message of the compiler's."""
    known = {name.lower(): found for name, found in names().items()}
    for word in _words(text):
        for key in (word, f"ncc_{word}", f"err_{word}", word.removeprefix("ncc_")):
            if key in known:
                return known[key]
    return next((found for found in names().values() if " " in found.name and _fits(found.name, text)), None)


def _words(text: str) -> Iterator[str]:
    yield text.strip().strip("[]`'\"").lower()
    yield from (match.group().lower() for match in _CODE.finditer(text))


def _fits(phrase: str, text: str) -> bool:
    """Whether a text holds a phrase, in which `N` and `M` stand for numbers."""
    pattern = re.sub(r"\b[NM]\b", r"\\d+", re.escape(phrase).replace(r"\ ", " "))
    return re.search(rf"\b(?:{pattern})", text, re.IGNORECASE) is not None


def is_code(text: str) -> bool:
    """Whether a text looks like a name of the compiler's."""
    return _CODE.search(text) is not None


def nearest(text: str) -> list[str]:
    """The known names that are most like a code that is not known: of the same stage, which the letters say."""
    match = _CODE.search(text)
    code = match.group().upper().removeprefix("NCC_") if match else ""
    stage = re.sub(r"\d+", "", code)[1:]
    if code.startswith("ERR_"):
        return get_close_matches(code.lower(), list(names()), n=2, cutoff=0.6)
    return [name for name in names() if stage and re.sub(r"\d+", "", name.upper().removeprefix("NCC_"))[1:] == stage]
