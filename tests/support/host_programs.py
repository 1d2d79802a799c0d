"""Random host programs: the Python around a kernel, written by templates (tests/data/host_programs).

A template is a line, or in sections of blocks a paragraph. In it stand for what is random:

    $x $y   numbers        $a $d   numbers that are assigned to    $t   conditions      $k   small counts
    $c $p $s   constants: 0 to 3, 1 to 4, and those with either sign   $q   a key       $e   an exception
    $v      the object that the template is about                  $u   another one of its kind, or itself
    $i $j   new names of numbers    $w $g   new names of anything  $all   all that a nested function may assign to
    $B      a block                 $R   a block that may raise
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from .usage import weight, weight_of_definitions

FOLDER = Path(__file__).parents[1] / "data/host_programs"
KNOWN_WRONG = FOLDER / "known_wrong.txt"
DIALECTS = {
    "neuronxcc": "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n",
    "nki": "import nki\nimport nki.language as nl\n",
}
LIBRARIES = (
    "bisect", "collections", "contextlib", "copy", "dataclasses", "enum", "functools", "heapq", "itertools", "math",
    "operator", "typing",
)  # fmt: skip
IMPORTS = "".join(f"import {name}\n" for name in LIBRARIES) + "import numpy as np\n"
NUMBERS = ("x", "y", "z")  # that programs assign to
COUNTS = ("n", "m", "n", "m", "n - 1", "m + 1", "min(n, 3)", "n // 2", "-(-m // 2)", "max(n - m, 0)", "0", "2", "3")
EXCEPTIONS = ("ValueError", "KeyError", "IndexError", "ZeroDivisionError", "TypeError", "RuntimeError")
ASSUMED = ("", "", "", "", "assert n % 2 == 0", "assert m > 1", "assert n <= m")
PLAIN = "numbers"  # the kind of what needs no object
VARIANTS = 2  # programs about each template, and the numbers of random ones, that the tests look at
PROGRAMS = 30
KERNELS = 15
SECTIONS = ("new", "number", "test", "step", "risky")
_PLACE = re.compile(r"\$(all|[a-zBR])")


@dataclass
class Kind:
    """A kind of object: what it needs of the module, how one is made, what is asked of it and done to it."""

    name: str
    module: str = ""
    new: list[str] = field(default_factory=list)
    show: list[str] = field(default_factory=list)
    number: list[str] = field(default_factory=list)
    test: list[str] = field(default_factory=list)
    step: list[str] = field(default_factory=list)
    risky: list[str] = field(default_factory=list)


@cache
def kinds() -> dict[str, Kind]:
    """All kinds by name."""
    found = {}
    for file in sorted(FOLDER.glob("*.txt")):
        for text in file.read_text(encoding="utf-8").split("\n=== ")[1:]:
            name, *sections = text.split("\n--- ")
            kind = found[name] = Kind(name)
            for section in sections:
                title, _, content = section.partition("\n")
                what, _, blocks = title.partition(" ")
                if what == "module":
                    kind.module = content.strip("\n")
                else:
                    getattr(kind, what).extend(content.strip("\n").split("\n\n" if blocks else "\n"))
    return found


@dataclass(frozen=True, order=True)
class Template:
    """A template with the kind and the section that it stands in."""

    kind: str
    section: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind} {self.section}: {self.text}".replace("\n", " ; ")


def templates() -> list[Template]:
    """Every template."""
    return [Template(kind.name, s, text) for kind in kinds().values() for s in SECTIONS for text in getattr(kind, s)]


def known_wrong() -> list[str]:
    """The names of the templates, and the seeds of the programs, of which the evaluator has a wrong idea."""
    return KNOWN_WRONG.read_text(encoding="utf-8").splitlines()


def program(seed: int, without: Collection[str] = (), usual: bool = False) -> str:
    """The source of the program for a seed, which hands what it computes to `reveal`. It uses none of the templates
    `without`, by their names; a `usual` one has constructs as often as open kernels have."""
    usable = kinds()
    if without:
        usable = {name: _left(kind, without) for name, kind in usable.items()}
        usable = {name: kind for name, kind in usable.items() if name == PLAIN or (kind.new and kind.step)}
    return _Writer(random.Random(seed), usable, usual).program()


def _left(kind: Kind, without: Collection[str]) -> Kind:
    """The kind without some of its templates."""
    left = {s: [t for t in getattr(kind, s) if str(Template(kind.name, s, t)) not in without] for s in SECTIONS}
    return replace(kind, **left)


def program_about(template: Template, seed: int) -> str:
    """The source of a small program that is about one template."""
    return _Writer(random.Random(seed), kinds()).about(template)


class _Writer:
    """Writes one program; `objects` are the names in scope with their kinds, `read` the numbers."""

    def __init__(self, choose: random.Random, usable: Mapping[str, Kind], usual: bool = False) -> None:
        self.choose = choose
        self.usable = usable
        self.usual = usual
        self.objects: list[tuple[str, Kind]] = []
        self.read = ["n", "m", *NUMBERS]
        self.made = 0
        self.size = 0  # statements so far
        self.simple = False  # nothing but names and numbers goes into templates

    def program(self) -> str:
        chosen = self._kinds(self.choose.choice((0, 1, 1, 2, 2, 3)))
        body = ["n, m = a.shape", self.choose.choice(ASSUMED), "x, y, z = 1, n, m"]
        for kind in chosen:
            for _ in range(self.choose.choice((1, 1, 2))):
                body += self._new(kind)
        for _ in range(self.choose.randint(2, 6)):
            body += self.step(2)
        return self._source(chosen, [*body, *self._shown()])

    def _kinds(self, count: int) -> list[Kind]:
        """So many kinds of objects, each once."""
        every = [kind for kind in self.usable.values() if kind.name != PLAIN]
        if not self.usual:
            return self.choose.sample(every, count)
        weights = [min(weight_of_definitions(kind.module), weight(kind.new[0])) for kind in every]
        return list({kind.name: kind for kind in self.choose.choices(every, weights, k=count)}.values())

    def _template(self, usable: Sequence[str]) -> str:
        return self.choose.choices(usable, list(map(weight, usable)))[0] if self.usual else self.choose.choice(usable)

    def about(self, template: Template) -> str:
        self.simple = True
        kind = self.usable[template.kind]
        body = ["n, m = a.shape", "x, y, z = 1, n, m"]
        if template.section == "new":
            kind = replace(kind, new=[template.text])
        if kind.name != PLAIN:
            body += self._new(kind)
        name = self.objects[0][0] if self.objects else ""
        text = _ABOUT[template.section].replace("$T", template.text.replace("\n", "\n    "))
        body += self._filled(text, 1, name, kind).split("\n")
        return self._source([kind], [*body, *self._shown()])

    def _shown(self) -> list[str]:
        """What is revealed in the end."""
        numbers = f"reveal(({', '.join(NUMBERS)}))"
        return [numbers, *(f"reveal({show.replace('$v', name)})" for name, kind in self.objects for show in kind.show)]

    def _source(self, chosen: list[Kind], body: list[str]) -> str:
        module = "\n\n".join(kind.module for kind in chosen if kind.module)
        head = IMPORTS + DIALECTS[self.choose.choice(tuple(DIALECTS))]
        lines = "".join(f"    {line}\n" for line in ("global total", *body, "return a") if line)
        return f"{head}\n{module}\n\ntotal = 0\n\n\n@nki.jit\ndef kernel(a):\n{lines}"

    def _new(self, kind: Kind) -> list[str]:
        name = self._name(kind.name[:3])
        lines = self._filled(self._template(kind.new), 1, name, kind).split("\n")
        self.objects.append((name, kind))
        return lines

    def _name(self, start: str) -> str:
        self.made += 1
        return f"{start}{self.made}"

    # --- statements ---

    def step(self, depth: int, risky: bool = False) -> list[str]:
        self.size += 1
        name, kind = self._about(0.6)
        chosen = kind.step
        if kind.risky and self.choose.random() < (0.4 if risky else 0.01):
            chosen = kind.risky
        if depth <= 0:
            chosen = [t for t in chosen if "$B" not in t and "$R" not in t] or ["pass"]
        template = self._template(chosen)
        before = len(self.read)
        lines = self._filled(template, depth, name, kind).split("\n")
        del self.read[before:]
        return lines

    def block(self, depth: int, risky: bool = False) -> list[str]:
        if self.simple:
            return [self.choose.choice(("x += y", "z -= 1", "reveal(y)", "y, x = x, y"))]
        count = self.choose.choice((1, 1, 2, 2, 3) if self.size < 25 else (1,))
        lines = [line for _ in range(count) for line in self.step(depth - 1, risky)]
        if self.choose.random() < 0.2:
            lines.append(f"reveal({self.number(1)})")
        return lines

    def _about(self, often: float) -> tuple[str, Kind]:
        """An object in scope with its kind, or none."""
        if self.objects and self.choose.random() < often:
            return self.choose.choice(self.objects)
        return "", self.usable[PLAIN]

    def _filled(self, template: str, depth: int, name: str, kind: Kind) -> str:
        names: dict[str, str] = {}
        lines: list[str] = []
        for line in template.split("\n"):
            bare = line.strip()
            if bare in ("$B", "$R"):
                space = line[: len(line) - len(bare)]
                lines += [space + inner for inner in self.block(depth, bare == "$R")]
            else:
                lines.append(self._line(line, 1, name, kind, names))
        return "\n".join(lines)

    # --- expressions ---

    def number(self, depth: int) -> str:
        if depth <= 0 or self.simple or self.choose.random() < 0.3:
            return self.choose.choice([*self.read, *self.read, "0", "1", "2", "5"])
        name, kind = self._about(0.5)
        chosen = kind.number or self.usable[PLAIN].number
        return self._line(self._template(chosen), depth - 1, name, kind, {})

    def test(self, depth: int) -> str:
        if self.simple:
            return self.choose.choice(("n > 1", "m == 2", "n <= m", "x % 2 == 0", "True", "z"))
        name, kind = self._about(0.3)
        if not kind.test:
            name, kind = "", self.usable[PLAIN]
        return self._line(self._template(kind.test), depth - 1, name, kind, {})

    def _line(self, template: str, depth: int, name: str, kind: Kind, names: dict[str, str]) -> str:
        return _PLACE.sub(lambda place: self._place(place[1], depth, name, kind, names), template)

    def _place(self, place: str, depth: int, name: str, kind: Kind, names: dict[str, str]) -> str:
        if place in "xyz":
            return self.number(depth)
        if place == "t":
            return self.test(depth)
        if place == "v":
            return name
        if place in _CHOICES:
            return str(self.choose.choice(_CHOICES[place]))
        if place == "u":
            return self.choose.choice([other for other, its in self.objects if its is kind] or [name])
        if place == "all":
            return ", ".join([*NUMBERS, *(other for other, _ in self.objects)])
        if place not in names:
            names[place] = self._name(place)
            self.read += [names[place]] if place in "ij" else []
        return names[place]


_ABOUT = {  # what makes a statement of a template of each section
    "new": "pass",
    "number": "z = $T",
    "test": "if $T:\n    z = 7\nelse:\n    z = 8",
    "step": "if True:\n    $T",
    "risky": "try:\n    $T\n    y += 10\nexcept Exception:\n    y += 20",
}
_CHOICES: dict[str, Sequence[object]] = {
    "a": NUMBERS,
    "d": NUMBERS,
    "k": COUNTS,
    "c": range(4),
    "p": range(1, 5),
    "s": (1, 2, 3, 4, 7, -1, -2, -3, -4),
    "q": ("'p'", "'q'", "'r'"),
    "e": EXCEPTIONS,
}
