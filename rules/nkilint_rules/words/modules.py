"""The modules of a package: how rules, operations and constants are found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """A package and all modules below it, in the order of their names."""
    yield package
    for info in sorted(pkgutil.walk_packages(package.__path__, package.__name__ + "."), key=lambda i: i.name):
        yield importlib.import_module(info.name)
