"""The names of NKI that documentation lists and kernels use: what the simulator's stand-in modules have to have.

    python benchmarks/surface.py --docs FOLDER ... --code FOLDER ...

Reads the pages of the API (`.. currentmodule::`, `.. autosummary::`) and what Python files import and take of it, and
writes the names by module into tests/data/surface.json, which tests/sim/test_standins.py walks.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).parents[1] / "tests/data/surface.json"
ROOT = re.compile(r"(neuronxcc\.)?nki(\.|$)")
MODULE = re.compile(r"\.\. (?:current)?module:: (\S+)")
ENTRY = re.compile(r"   ([A-Za-z_][\w.]*)$")

Names = dict[str, set[str]]


def documented(page: Path, names: Names) -> None:
    """Add the names that a page of the API lists."""
    module, listing = "", False
    for line in page.read_text(encoding="utf-8").splitlines():
        if (found := MODULE.match(line)) is not None:
            module = found[1]
        elif line.startswith(".. autosummary::"):
            listing = True
        elif line and not line.startswith(" "):
            listing = False
        elif module and listing and (entry := ENTRY.match(line)) is not None:
            names[_home(module, page)].add(entry[1])


def _home(module: str, page: Path) -> str:
    """The pages of Beta 1 leave out the package."""
    return f"neuronxcc.{module}" if "general" in page.parts and module.startswith("nki") else module


def used(file: Path, names: Names) -> None:
    """Add the names that a file imports, and those that it takes from modules by attributes."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8", errors="replace"))
    except SyntaxError:
        return
    modules = dict(_imported(tree, names))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            names[modules[node.value.id]].add(node.attr)


def _imported(tree: ast.AST, names: Names) -> Iterator[tuple[str, str]]:
    """The modules of NKI that names stand for; names taken out of them are added."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if ROOT.match(alias.name):
                    names.setdefault(alias.name, set())
                    if alias.asname:
                        yield alias.asname, alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level and ROOT.match(node.module or ""):
            module = str(node.module)
            for alias in node.names:
                names[module].add(alias.name)
                yield alias.asname or alias.name, f"{module}.{alias.name}"


def main() -> int:
    """Write the names down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", type=Path, nargs="+", required=True, help="folders with the pages of the API")
    parser.add_argument("--code", type=Path, nargs="+", required=True, help="folders with kernels")
    options = parser.parse_args()
    listed: Names = defaultdict(set)
    taken: Names = defaultdict(set)
    for folder in options.docs:
        for page in sorted(folder.rglob("nki*.rst")):
            documented(page, listed)
    for folder in options.code:
        for file in sorted(folder.rglob("*.py")):
            used(file, taken)
    found = {
        kind: {module: sorted(names[module]) for module in sorted(names) if ROOT.match(module)}
        for kind, names in (("documented", listed), ("used", taken))
    }
    DATA.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(*(f"{kind}: {sum(map(len, names.values()))} names" for kind, names in found.items()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
