"""A hook of Python's own that refuses, before the system does, what a run has no business doing.

It is a second line: it explains a refusal, and it is nearly all there is where the system offers nothing. What it
refuses it tells a pipe at once, so that no list of it can be emptied later. It has no closure and uses no name of a
module and none of Python's: all it rests on are its default values, which are constants, and functions and types in C.
The interpreter keeps hooks where no program reaches them, and the ways to search the process for them are refused.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from types import FunctionType
from typing import Any

WRITE = "write outside of its folder"
FOLDER = "open a folder"
PROCESS = "start or signal processes"
NETWORK = "use the network"
NATIVE = "load native code"
INSPECT = "look into the process that runs it"
REFUSALS = (WRITE, FOLDER, PROCESS, NETWORK, NATIVE, INSPECT)

_FAMILIES = {
    PROCESS: "_winapi msvcrt subprocess _posixsubprocess pty fcntl",
    NETWORK: "socket ftplib http imaplib nntplib poplib smtplib telnetlib urllib webbrowser",
    NATIVE: "ctypes",
    WRITE: "winreg syslog",
}
_EVENTS = {
    PROCESS: "os.fork os.forkpty os.exec os.posix_spawn os.spawn os.system os.startfile os.startfile/2 os.kill"
    " os.killpg signal.pthread_kill resource.prlimit resource.setrlimit",
    NATIVE: "sqlite3.enable_load_extension sqlite3.load_extension",
    INSPECT: "gc.get_objects gc.get_referrers gc.get_referents sys._current_frames sys._current_exceptions"
    " sys.settrace sys.setprofile sys.addaudithook sys.remote_exec sys.monitoring.register_callback",
}
_ONE_PATH = (
    *("os.chflags", "os.chmod", "os.chown", "os.mkdir", "os.remove", "os.removexattr", "os.rmdir", "os.setxattr"),
    *("os.truncate", "os.utime", "sqlite3.connect", "readline.append_history_file", "readline.write_history_file"),
)
_TWO_PATHS = ("os.link", "os.rename", "os.symlink")
_OWN = ("open", "import", "object.__setattr__")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | getattr(os, "O_TMPFILE", 0)


def guard(scratch: str, pipe: int) -> None:
    """Refuse processes, the network, native code, and writing outside of `scratch`; tell `pipe` what was refused."""
    families = tuple((name, what) for what, names in _FAMILIES.items() for name in names.split())
    events = tuple((name, what) for what, names in _EVENTS.items() for name in names.split())
    known = frozenset((*(name for name, _ in events), *_ONE_PATH, *_TWO_PATHS, *_OWN))
    inside, separator = os.path.realpath(scratch), os.sep
    values = (
        *(known, frozenset(name for name, _ in families), families + events, _ONE_PATH, _TWO_PATHS),
        *(inside, inside + separator, separator, os.devnull, libraries(), _WRITES, pipe),
        *(os.write, os.getcwd, os.stat, str.__str__, bytes.decode, str.encode, len, type, issubclass),
        *(str, bytes, int, Exception, PermissionError),
    )
    sys.addaudithook(FunctionType(_hook.__code__, {"__builtins__": {}}, "hook", values))


@cache
def libraries() -> tuple[str, ...]:
    """The folders that native code may be loaded from."""
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    paths |= {p for p in sys.path if os.path.basename(p) in ("site-packages", "dist-packages", "lib-dynload")}
    both = {form for path in paths if path for form in (os.path.abspath(path), os.path.realpath(path))}
    return tuple(sorted(path + os.sep for path in both))


def _hook(
    event: str, arguments: Any, known: Any, first_words: Any, refusals: Any, one_path: Any, two_paths: Any,
    inside: str, below: str, separator: str, nowhere: str, libraries: Any, writes: int, pipe: int,
    write: Any, getcwd: Any, stat: Any, text: Any, decode: Any, encode: Any, length: Any, kind: Any, is_kind: Any,
    string: Any, raw: Any, integer: Any, anything: Any, refused: Any,
) -> None:  # fmt: skip
    # long: all that it rests on is in it, where no name of a module leads
    family = event.partition(".")[0]
    if event not in known and family not in first_words:
        return
    why = ""
    paths: Any = ()
    for name, what in refusals:
        if name in (event, family):
            why = what
    if event == "open":
        path, mode, flags = arguments
        if is_kind(kind(flags), integer) and flags & writes:
            paths = (path,)
        elif kind(mode) is string and ("w" in mode or "a" in mode or "x" in mode or "+" in mode):
            paths = (path,)
        elif mode is None and not is_kind(kind(path), integer):
            try:
                if (
                    stat(path).st_mode & 0o170000 == 0o040000
                    and kind(path) is string
                    and path[: length(below)] != below
                ):
                    why = "open a folder"  # what is below would be a relative path then
            except anything:
                pass
    elif event == "import":
        if arguments[1] is not None:
            why = "load native code"
            if kind(arguments[1]) is string and ".." not in arguments[1].split(separator):
                for library in libraries:
                    if arguments[1][: length(library)] == library:
                        why = ""
    elif event == "object.__setattr__":
        if arguments[1] == "__code__":
            why = "look into the process that runs it"
    elif event in one_path:
        paths = arguments[:1]
    elif event in two_paths:
        paths = arguments[:2]
    for path in paths:
        outside = True
        if is_kind(kind(path), integer):
            outside = event != "open" and event != "os.truncate"  # a file that is open already
        elif is_kind(kind(path), raw) or is_kind(kind(path), string):
            path = decode(path, "utf-8", "surrogateescape") if is_kind(kind(path), raw) else text(path)
            if path == nowhere or (event == "sqlite3.connect" and path == ":memory:"):
                continue
            if path[:1] != separator:
                path = getcwd() + separator + path
            outside = path != inside and (path[: length(below)] != below or ".." in path.split(separator))
        if outside:
            why = "write outside of its folder"
    if why:
        write(pipe, encode("refused " + why + "\n"))
        raise refused("a run for confirmation may not " + why)
