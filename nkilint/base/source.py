"""Source files: which there are, and their text, read from disk or from an overlay of unsaved buffers."""

from __future__ import annotations

import io
import os
import re
import stat
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

from nkilint_rules.tool import syntax_error

from .ignoring import Ignored

SIZE_LIMIT = 5_000_000
STDIN = "-"
ENCODING = "save it as UTF-8, or name its encoding in a comment on the first line"

_SKIPPED_FOLDERS = frozenset({"build", "node_modules", "__pycache__", "site-packages"})
_UTF8_BOM = b"\xef\xbb\xbf"
_IMPORT = re.compile(
    rb"(?:^\xef\xbb\xbf|^|\r)[ \t]*(?:(?:from|import|@)[^\n]*?nki|from\b[^\n(]*\([^)]*nki)", re.MULTILINE
)


_PART = re.compile(r"(.*\.(?:md|rst|ipynb))#\d+\.py")


def document_of(file: str) -> str:
    """The document that `file` is a part of, which is on no disk by itself; of other files, the file."""
    found = _PART.fullmatch(file)
    return found[1] if found else file


_CELL = re.compile(r"(.*\.ipynb):cell \d+")


def notebook_of(file: str) -> str:
    """The notebook that `file` names a cell of; of other files, the file."""
    found = _CELL.fullmatch(file)
    return found[1] if found else file


@dataclass(eq=False)
class SourceError(Exception):
    """A file that cannot be read or parsed. Row and column are from 1. Without `help`, the rule knows what to do."""

    path: str
    row: int
    column: int
    message: str
    help: str | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.row}:{self.column}: {syntax_error.SyntaxError.code} {self.message}"


class Overlay:
    """Contents that stand in for what is on disk, by path.

    `probed` says of files that were asked for, and
    of folders with a slash after them, whether they were there.
    """

    def __init__(self, contents: Mapping[str, bytes] | None = None) -> None:
        self._contents = {key if key == STDIN else os.path.abspath(key): data for key, data in (contents or {}).items()}
        self._folders = {os.path.dirname(path) for path in self._contents}
        self.probed: dict[str, bool] = {}

    def get(self, path: str) -> bytes | None:
        if not self._contents:
            return None
        return self._contents.get(path if path == STDIN else os.path.abspath(path))

    def is_file(self, path: str) -> bool:
        found = self.probed[path] = self.get(path) is not None or os.path.isfile(path)
        return found

    def is_folder(self, path: str) -> bool:
        found = self.probed[os.path.join(path, "")] = os.path.isdir(path) or os.path.abspath(path) in self._folders
        return found

    def below(self, folder: str) -> Iterator[str]:
        """Paths of the overlay below `folder`."""
        prefix = os.path.join(os.path.abspath(folder), "")
        return (path for path in self._contents if path.startswith(prefix))


def read_bytes(path: str, overlay: Overlay) -> bytes:
    """The contents of a file."""
    data = overlay.get(path)
    if data is None:
        try:
            found = os.stat(path)
            if found.st_size > SIZE_LIMIT:
                _too_large(path)
            if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
                raise SourceError(path, 1, 1, "cannot read the file: it is a pipe or a device", "")
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise SourceError(path, 1, 1, f"cannot read the file: {_reason(error)}", "") from None
    if len(data) > SIZE_LIMIT:
        _too_large(path)
    return data


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _too_large(path: str) -> NoReturn:
    raise SourceError(path, 1, 1, f"the file is larger than {SIZE_LIMIT // 1_000_000} MB", "leave it out")


def decode(data: bytes, path: str) -> str:
    """The text of a file, by its encoding cookie, without byte order mark."""
    encoding = _encoding(data, path)
    try:
        text = data.decode(encoding)
    except LookupError:  # a codec that makes no text of bytes
        raise SourceError(path, 1, 1, f"unknown encoding: {encoding}", ENCODING) from None
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before[before.rfind(b"\n") + 1 :].decode("utf-8" if encoding == "utf-8" else "latin-1", "replace")
        message = f"byte 0x{data[error.start]:02x} is not valid {encoding}"
        raise SourceError(path, before.count(b"\n") + 1, len(line) + 1, message, ENCODING) from None
    except UnicodeError:
        raise SourceError(path, 1, 1, f"the file is not valid {encoding}", ENCODING) from None
    null = text.find("\0")
    if null >= 0:
        row, column = text.count("\n", 0, null) + 1, null - text.rfind("\n", 0, null)
        raise SourceError(path, row, column, "the file holds a null byte", ENCODING)
    return text.removeprefix("\ufeff")


def _encoding(data: bytes, path: str) -> str:
    if not data.startswith(_UTF8_BOM) and b"coding" not in data[:400]:
        return "utf-8"
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        raise SourceError(path, 1, 1, str(error.msg), ENCODING) from None


def encode(text: str, like: bytes) -> bytes:
    """`text` in the encoding of a file with the contents `like`, and with its byte order mark."""
    return text.encode(_encoding(like, ""))


def indentation(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def mentions_nki(data: bytes) -> bool:
    """Whether the file can have anything to do with NKI."""
    return b"nki" in data


def may_define_kernels(data: bytes) -> bool:
    """Whether an import or a decorator of the file mentions NKI; a comment or a string that does is not enough."""
    return b"nki" in data and _IMPORT.search(data) is not None


def python_files(paths: Iterable[str], overlay: Overlay) -> tuple[list[str], list[SourceError]]:
    """Files to check: those named, and every `*.py` below the folders named, each once and in order of their paths."""
    found: dict[str, str] = {}
    failures: list[SourceError] = []
    for path in paths:
        if path == STDIN:
            found.setdefault(STDIN, STDIN)
        elif overlay.is_folder(path):
            for file in _walk(path, overlay, failures):
                found.setdefault(os.path.abspath(file), file)
        elif overlay.is_file(path):
            found.setdefault(os.path.abspath(path), os.path.normpath(path))
        else:
            failures.append(_missing(path))
    return list(found.values()), failures


def _missing(path: str) -> SourceError:
    """Why there is nothing to check at `path`."""
    file, _, kernel = path.partition("::")
    if kernel:
        help_text = f"check `{file}`; a single kernel is for `nkilint explain`"
        return SourceError(path, 1, 1, "no such file or folder", help_text)
    try:
        os.stat(path)
    except FileNotFoundError:
        return SourceError(path, 1, 1, "no such file or folder", "")
    except (OSError, ValueError) as error:
        reason = _reason(error) if isinstance(error, OSError) else str(error)
        return SourceError(path, 1, 1, f"cannot read the file or folder: {reason}", "")
    return SourceError(path, 1, 1, "neither a file nor a folder", "")


def files_below(folder: str, overlay: Overlay, endings: tuple[str, ...]) -> list[str]:
    """The files with one of these endings below a folder, in order; none if it is no folder."""
    return _walk(folder, overlay, [], endings) if overlay.is_folder(folder) else []


def _walk(folder: str, overlay: Overlay, failures: list[SourceError], endings: tuple[str, ...] = (".py",)) -> list[str]:
    files: set[str] = set()
    ignored = Ignored(folder)

    def fail(error: OSError) -> None:
        place = os.path.normpath(error.filename)
        failures.append(SourceError(place, 1, 1, f"cannot read the folder: {_reason(error)}", ""))

    for parent, folders, names in os.walk(os.path.normpath(folder), onerror=fail):
        inner = (name for name in folders if not _is_skipped(parent, name))
        folders[:] = [name for name in inner if not ignored(os.path.join(parent, name), is_folder=True)]
        files.update(os.path.normpath(os.path.join(parent, name)) for name in names if name.endswith(endings))
    files = {path for path in files if not ignored(path, is_folder=False)}
    root = os.path.abspath(folder)
    for path in overlay.below(folder):
        relative = os.path.relpath(path, root)
        if path.endswith(endings) and not any(_is_skipped_name(part) for part in relative.split(os.sep)[:-1]):
            files.add(os.path.normpath(os.path.join(folder, relative)))
    return sorted(files, key=lambda path: path.split(os.sep))


def _is_skipped_name(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED_FOLDERS


def _is_skipped(parent: str, name: str) -> bool:
    return _is_skipped_name(name) or os.path.exists(os.path.join(parent, name, "pyvenv.cfg"))


def source_lines(overlay: Mapping[str, bytes]) -> Callable[[str], Sequence[str]]:
    """Reads the text of files for excerpts; `overlay` stands in for what is on disk."""
    contents = Overlay(overlay)

    @cache
    def lines(file: str) -> Sequence[str]:
        try:
            text = decode(read_bytes(file, contents), file)
        except SourceError:
            return ()
        return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    return lines
