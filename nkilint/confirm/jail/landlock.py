"""Landlock: which files a process may read and write, for good, whoever it runs as."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

from . import system

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_ASK_VERSION = 1
_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE, _MAKE_DIR, _MAKE_FILE = (1 << 4) | (1 << 5), 1 << 7, 1 << 8
_REFER, _TRUNCATE, _DEVICES = 1 << 13, 1 << 14, 1 << 15
_ALL = ((1 << 13) - 1, _REFER, _TRUNCATE, 0, _DEVICES)  # what each version brought
_READ = _READ_FILE | _READ_DIR
_WRITE = _WRITE_FILE | _REMOVE | _MAKE_DIR | _MAKE_FILE | _TRUNCATE | _REFER
_ON_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE
_TCP, _SCOPES = 3, 3  # binding and connecting; abstract sockets and signals


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """The version that the system speaks; 0 if it has none."""
    if not system.MACHINE:
        return 0
    try:
        return system.syscall(_CREATE, None, 0, _ASK_VERSION)
    except OSError:
        return 0


def restrict(readable: Iterable[str], listed: Iterable[str], writable: Iterable[str]) -> None:
    """From now on this process reads and writes only what stands here or below; of `listed` it sees names only.

    It needs `no_new_privs`, and holds for this thread and those that it starts.
    """
    known = version()
    handled = sum(_ALL[:known])
    attributes = _Ruleset(handled, _TCP if known >= 4 else 0, _SCOPES if known >= 6 else 0)
    size = 8 if known < 4 else 16 if known < 6 else 24
    rules = system.syscall(_CREATE, ctypes.byref(attributes), size, 0)
    try:
        for paths, rights in ((listed, _READ_DIR), (readable, _READ), (writable, _READ | _WRITE)):
            for path in paths:
                _allow(rules, path, rights & handled)
        system.syscall(_RESTRICT, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what is not there needs no rule
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _ON_FILES
        rule = _Beneath(rights, place)
        if rights:
            system.syscall(_ADD, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(place)
