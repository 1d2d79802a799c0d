"""The files of a run and the project around them: parsed once each, and found by the usual import rules.

Nothing is imported. A name that the standard library or a known package owns is never looked for in the project.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from nkilint.base import ir
from nkilint.base.source import STDIN, Overlay, SourceError, decode, may_define_kernels, python_files, read_bytes
from nkilint.base.walk import walk
from nkilint_rules.words.records import dataclass

from .layout import project_root, source_roots

OUTSIDE = frozenset(
    {
        *("neuronxcc", "nki", "torch_neuronx", "jax_neuronx", "neuronx_distributed", "libneuronxla"),
        *("numpy", "scipy", "torch", "torch_xla", "jax", "jaxlib", "ml_dtypes", "pytest", "matplotlib", "pandas"),
    }
)
PRELUDE = "<prelude>"  # the path that its statements carry
_INIT = "__init__.py"


Source = tuple[str, str, str, str]
"""A file to be lowered: its text, the path and the name that the module gets, and its package."""
Lower = Callable[[Mapping[str, Source]], Mapping[str, ir.Module]]


@dataclass(frozen=True, slots=True)
class External:
    """A module outside the project, by its dotted name."""

    name: str


class Project:
    """What `paths` hold and can reach. `files` are those to check, `failures` the paths that led nowhere.

    Imports are looked for in `search` too. The statements of `prelude` stand at the head of every module.
    """

    def __init__(
        self,
        paths: Iterable[str],
        overlay: Mapping[str, bytes] | None = None,
        search: Iterable[Path] = (),
        prelude: str = "",
    ) -> None:
        given = [os.fspath(path) for path in paths]
        self.overlay = Overlay(overlay)
        self.files, self.failures = python_files(given, self.overlay)
        self._folder = os.getcwd()
        self._also = [os.path.abspath(folder) for folder in search]
        self._given = [_folder_of(path, self.overlay) for path in given if path != STDIN]
        self._modules: dict[str, ir.Module | SourceError] = {}
        self._found: dict[tuple[str, str, int], ir.Module | External | SourceError | None] = {}
        self._roots: dict[str, tuple[str, ...]] = {}
        self._prelude = prelude

    def targets(self) -> Iterator[str]:
        """The files to check that may define or run kernels; the others are never parsed. Those that cannot be read
        are among them."""
        for path in self.files:
            try:
                if self._prelude or may_define_kernels(read_bytes(path, self.overlay)):
                    yield path
            except SourceError:
                yield path

    def module(self, path: str) -> ir.Module:
        """The lowered file; `SourceError` if it cannot be read or does not parse."""
        if path == PRELUDE:
            return _lowered(self._prelude, PRELUDE, "", "")
        key = path if path == STDIN else os.path.abspath(path)
        known = self._modules.get(key)
        if known is None:
            try:
                known = self._lower(key)
            except SourceError as error:
                known = error
            self._modules[key] = known
        if isinstance(known, SourceError):
            raise known.with_traceback(None)
        return known

    def read_ahead(self, paths: Iterable[str], lower: Lower) -> None:
        """Have files lowered together; `module` tells of those that cannot be."""
        work: dict[str, Source] = {}
        for path in paths:
            if path != STDIN and os.path.abspath(path) not in self._modules:
                try:
                    work[os.path.abspath(path)] = self._source(os.path.abspath(path))
                except SourceError:
                    continue
        self._modules.update({path: self._with_prelude(module) for path, module in lower(work).items()})

    def modules(self) -> Iterator[ir.Module]:
        """Every module parsed so far."""
        return (module for module in self._modules.values() if isinstance(module, ir.Module))

    @property
    def read(self) -> tuple[str, ...]:
        """Absolute paths of the files that were looked into."""
        return tuple(path for path in self._modules if path != STDIN)

    @property
    def search_paths(self) -> Mapping[str, tuple[str, ...]]:
        """By folder, where imports from files in it were looked for."""
        return self._roots

    def search_path(self, folder: str) -> tuple[str, ...]:
        """Where imports from files in `folder` are looked for."""
        return tuple(dict.fromkeys(self._search_path(folder)))

    def _lower(self, path: str) -> ir.Module:
        edited = path != STDIN and self.overlay.get(path) is not None
        return self._with_prelude(_lowered(*self._source(path), edited=edited))

    def _with_prelude(self, module: ir.Module) -> ir.Module:
        if not self._prelude:
            return module
        before = _lowered(self._prelude, PRELUDE, module.name, module.package).body
        return replace(module, body=(*before, *module.body), prelude=self._prelude)

    def _source(self, path: str) -> Source:
        shown = self.shown(path)
        try:
            text = decode(read_bytes(path, self.overlay), shown)
        except SourceError as error:
            raise replace(error, path=shown) from None
        return (text, shown, "__main__", "") if path == STDIN else (text, shown, *self.dotted(path))

    def shown(self, path: str) -> str:
        """The path that a module carries: relative to the working folder where it lies inside."""
        if path == STDIN:
            return path
        path = os.path.abspath(path)
        inside = path.startswith(os.path.join(self._folder, ""))
        return os.path.relpath(path, self._folder) if inside else path

    def dotted(self, path: str) -> tuple[str, str]:
        """Name and package of the module at `path`."""
        folder, file = os.path.split(path)
        parts = [] if file == _INIT else [os.path.splitext(file)[0]]
        packages: list[str] = []
        while self.overlay.is_file(os.path.join(folder, _INIT)) and os.path.basename(folder):
            folder, name = os.path.split(folder)
            packages.insert(0, name)
        name = ".".join(packages + parts)
        return name or os.path.basename(os.path.dirname(path)), ".".join(packages)

    def run_as(self, path: str) -> str:
        """The name that a file is imported by to run it: where it imports from folders above without `__init__.py`, the
        one that it has in the folder which such packages are found in."""
        name, package = self.dotted(path)
        if not self.overlay.is_file(path):
            return name  # standard input
        imports = [node for node in walk(self.module(path).body) if isinstance(node, ir.ImportFrom)]
        levels, depth = max((node.level for node in imports), default=0), len(package.split(".")) if package else 0
        if levels <= depth:
            return name
        file = os.path.splitext(os.path.abspath(path))[0]
        roots = sorted(self.search_path(os.path.dirname(file)), key=len, reverse=True)
        names = (os.path.relpath(file, root).split(os.sep) for root in map(os.path.abspath, roots))
        return next((".".join(n) for n in names if len(n) > levels and all(map(str.isidentifier, n))), name)

    def resolve(self, importer: ir.Module, module: str, level: int) -> ir.Module | External | SourceError | None:
        """The module that `import module`, with `level` leading dots, means in `importer`.

        None means that it should be in the project and isn't, an error that it cannot be read.
        """
        top = module.partition(".")[0]
        if not level and is_outside(top):
            return External(module)
        folder = self._folder if importer.path == STDIN else os.path.dirname(os.path.abspath(importer.path))
        key = (folder, module, level)
        if key not in self._found:
            path = self.located(folder, module, level)
            if path is not None:
                self._found[key] = self._opened(path, module or os.path.basename(os.path.dirname(path)))
            else:
                self._found[key] = None if level else External(module)
        return self._found[key]

    def located(self, folder: str, module: str, level: int) -> str | None:
        """The file that an import in a file of `folder` means, be it readable or not."""
        return next(iter(self.candidates(folder, module, level)), None)

    def candidates(self, folder: str, module: str, level: int) -> list[str]:
        """The files that it may mean, by how the program is started; the likeliest first."""
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            only = self._locate(folder, module)
            return [] if only is None else [only]
        roots = self._roots.get(folder)
        if roots is None:
            roots = self._roots[folder] = self.search_path(folder)
        package = module.partition(".")[0]
        around = _above(folder, package)
        if around is not None and self.overlay.is_file(os.path.join(around, package, _INIT)):
            roots = (*roots, around)  # an inner package that is installed under its own name
        found = [path for root in roots if (path := self._locate(root, module)) is not None]
        found.sort(key=lambda path: not self.overlay.is_file(path))  # namespace packages come last
        return list(dict.fromkeys(found))

    def _search_path(self, folder: str) -> Iterator[str]:
        """Folders that an import from a file in `folder` looks into, nearest first."""
        top = folder
        while self.overlay.is_file(os.path.join(top, _INIT)) and os.path.dirname(top) != top:
            top = os.path.dirname(top)
        yield top
        root = project_root(folder)
        if root is not None:
            yield from source_roots(root)
        yield folder  # a script inside a package sees its neighbours
        yield from self._also
        for given in self._given:
            yield given
            yield os.path.join(given, "src")

    def _opened(self, path: str, module: str) -> ir.Module | SourceError:
        if not self.overlay.is_file(path):  # a folder without `__init__.py`
            return ir.Module(self.shown(path), module, module, (), (), ())
        try:
            return self.module(path)
        except SourceError as error:
            return error

    def _locate(self, root: str, module: str) -> str | None:
        """The file that holds `module` below `root`; for a namespace package the `__init__.py` it doesn't have."""
        place = os.path.join(root, *module.split(".")) if module else root
        package = os.path.join(place, _INIT)
        if self.overlay.is_file(package):
            return package
        if module and self.overlay.is_file(place + ".py"):
            return place + ".py"
        return package if self.overlay.is_folder(place) and _holds_python(place) else None


@lru_cache(maxsize=64)
def _lowered(text: str, path: str, name: str, package: str, edited: bool = False) -> ir.Module:
    """The lowered text, remembered for those who read the same again and again."""
    from nkilint.lowering import lower  # takes a while to import, and a run without kernels doesn't need it

    return lower(text, path, name, package, edited=edited)


def is_outside(top: str) -> bool:
    """Whether the standard library or a known package owns a name, so that it is not looked for."""
    return top in OUTSIDE or top in sys.stdlib_module_names


def _folder_of(path: str, overlay: Overlay) -> str:
    path = os.path.abspath(path)
    return path if overlay.is_folder(path) else os.path.dirname(path)


def _above(folder: str, name: str) -> str | None:
    """The folder that holds the nearest folder called `name` of those that `folder` is in."""
    while os.path.basename(folder) != name:
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return os.path.dirname(folder)


def _holds_python(folder: str) -> bool:
    """Whether a folder can be a namespace package: there are Python files in it or not far below."""
    for visited, (_, _, names) in enumerate(os.walk(folder)):
        if any(name.endswith(".py") for name in names):
            return True
        if visited > 100:
            return False
    return False
