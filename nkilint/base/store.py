"""A folder of entries by the hash of what they were made from."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import nkilint_rules

from . import whole

FOLDER = ".nkilint_cache"
_LIFE = 14 * 86_400  # seconds that an entry is kept after it was made
_PAUSE = 86_400  # seconds between two looks for old ones
_SECRET = 32  # bytes
_ENTRY = re.compile(r"[0-9a-f]{62}\.json")
REMEMBERED = 2_000  # entries in memory
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by nkilint. It can be removed at any time.\n"


def digest(*parts: Any) -> str:
    """One hash of values that JSON can hold."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def tool() -> str:
    """What the results depend on besides their input: this program, its rules and simulator, Python, the solver."""
    from importlib.metadata import PackageNotFoundError, version  # takes long: only where results are kept

    roots = [Path(__file__).parents[1], Path(nkilint_rules.__file__ or "").parent]
    roots.append(roots[0].parent / "reference_sim")
    sources = [(p.name, *stat) for root in roots for p, *stat in _sources(root)]
    try:
        solver = version("z3-solver")
    except PackageNotFoundError:
        solver = ""
    return digest(sources, sys.version, solver)


def _sources(root: Path) -> Iterator[tuple[Path, int, int]]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                file = Path(folder, name)
                found = file.stat()
                yield file, found.st_size, found.st_mtime_ns


class Entries(Protocol):
    """Keeps what JSON can hold, by kind and key; what is not there is None."""

    def get(self, kind: str, key: str) -> Any: ...

    def put(self, kind: str, key: str, entry: Any) -> None: ...


class Store:
    """Entries on disk. One that cannot be read or written is as good as missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tool = tool()
        self._secret = _secret()
        self._mode = whole.mode_of_new_files()
        self._through = folder / "new"
        if not any(map(os.path.islink, (folder, self._through))):
            whole.remove_stale(str(self._through))

    def get(self, kind: str, key: str) -> Any:
        """The entry, or None if there is none that is as it was written."""
        try:
            seal, _, text = whole.read(self._file(kind, key)).partition(b"\n")
            return json.loads(text) if hmac.compare_digest(seal, self._seal(kind, key, text)) else None
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, kind: str, key: str, entry: Any) -> None:
        """Keep an entry; readers see it whole or not at all."""
        file = self._file(kind, key)
        with suppress(OSError):
            if not self._prepare(file.parent):
                return
            text = json.dumps(entry).encode()
            sealed = self._seal(kind, key, text) + b"\n" + text
            whole.write(str(file), sealed, mode=self._mode, through=str(self._through), lasting=False)

    def _seal(self, kind: str, key: str, text: bytes) -> bytes:
        """What only this user can make: entries that came with somebody else's files are not believed."""
        return hmac.new(self._secret, f"{kind} {key}\n".encode() + text, "sha256").hexdigest().encode()

    def _file(self, kind: str, key: str) -> Path:
        name = digest(self.tool, key)
        return self.folder / kind / name[:2] / f"{name[2:]}.json"

    def _prepare(self, folder: Path) -> bool:
        """Make the folder of an entry, and the one that all are written in first; false where links lead elsewhere."""
        if any(map(os.path.islink, (self.folder, folder.parent, folder, self._through))):
            return False
        folder.mkdir(parents=True, exist_ok=True)
        self._through.mkdir(exist_ok=True)
        tag = self.folder / "CACHEDIR.TAG"
        if not os.path.lexists(tag):
            for file, text in ((self.folder / ".gitignore", "*\n"), (tag, _TAG)):
                if not os.path.lexists(file):
                    file.write_text(text, encoding="utf-8")
        return True

    def prune(self) -> None:
        """Remove what is old, once a day."""
        now = time.time()
        tag = self.folder / "CACHEDIR.TAG"
        with suppress(OSError):
            if self.folder.is_symlink() or now - os.lstat(tag).st_mtime < _PAUSE:
                return
            os.utime(tag, follow_symlinks=False)
            for folder, _, names in os.walk(self.folder):  # links are not followed
                for name in filter(_ENTRY.fullmatch, names):
                    file = os.path.join(folder, name)
                    if now - os.lstat(file).st_mtime > _LIFE:
                        os.unlink(file)


def _secret() -> bytes:
    """The secret that this user's entries are sealed with; where none can be kept, one that the next run has not."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "nkilint")
    file = folder / "secret"
    fresh = secrets.token_bytes(_SECRET)
    with suppress(OSError):
        kept = whole.read(file) if file.exists() else b""
        if len(kept) == _SECRET:
            return kept
        folder.mkdir(parents=True, exist_ok=True)
        whole.write(str(file), fresh, mode=0o600)
    return fresh


class Memory:
    """Entries of this process, the ones used last."""

    def __init__(self, limit: int = REMEMBERED) -> None:
        self._entries: OrderedDict[tuple[str, str], Any] = OrderedDict()
        self._limit = limit

    def get(self, kind: str, key: str) -> Any:
        if (kind, key) not in self._entries:
            return None
        self._entries.move_to_end((kind, key))
        return self._entries[kind, key]

    def put(self, kind: str, key: str, entry: Any) -> None:
        self._entries[kind, key] = entry
        while len(self._entries) > self._limit:
            self._entries.popitem(last=False)
