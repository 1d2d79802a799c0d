"""A filter of system calls: computing, own memory and open files; no processes, signals, sockets or devices."""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Sequence
from functools import cache

from . import system

_ARCHITECTURES = {system.X86: 0xC000003E, system.ARM: 0xC00000B7}
_NUMBERS = "x86_64 aarch64"
_CALLS: dict[str, tuple[int, int]] = {
    # own memory
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "mremap": (25, 216),
    "madvise": (28, 233), "membarrier": (324, 283),
    # files: which ones, the rules about files say
    "read": (0, 63), "write": (1, 64), "open": (2, -1), "close": (3, 57), "stat": (4, -1), "fstat": (5, 80),
    "lstat": (6, -1), "lseek": (8, 62), "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65),
    "writev": (20, 66), "access": (21, -1), "dup": (32, 23), "dup2": (33, -1), "dup3": (292, 24), "flock": (73, 32),
    "fsync": (74, 82), "fdatasync": (75, 83), "ftruncate": (77, 46), "getdents64": (217, 61), "getcwd": (79, 17),
    "chdir": (80, 49), "fchdir": (81, 50), "rename": (82, -1), "renameat": (264, 38), "renameat2": (316, 276),
    "mkdir": (83, -1), "mkdirat": (258, 34), "rmdir": (84, -1), "unlink": (87, -1), "unlinkat": (263, 35),
    "readlink": (89, -1), "readlinkat": (267, 78), "umask": (95, 166), "statfs": (137, 43), "fstatfs": (138, 44),
    "fadvise64": (221, 223), "openat": (257, 56), "newfstatat": (262, 79), "faccessat": (269, 48),
    "faccessat2": (439, 439), "fallocate": (285, 47), "copy_file_range": (326, 285), "sendfile": (40, 71),
    "statx": (332, 291), "close_range": (436, 436), "pipe": (22, -1), "pipe2": (293, 59), "eventfd2": (290, 19),
    # waiting
    "poll": (7, -1), "ppoll": (271, 73), "select": (23, -1), "pselect6": (270, 72), "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21), "epoll_wait": (232, -1), "epoll_pwait": (281, 22), "futex": (202, 98),
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "sched_yield": (24, 124), "pause": (34, -1),
    "wait4": (61, 260),
    # time, and what the process is told of itself
    "gettimeofday": (96, 169), "clock_gettime": (228, 113), "clock_getres": (229, 114), "getrandom": (318, 278),
    "getpid": (39, 172), "gettid": (186, 178), "getppid": (110, 173), "getuid": (102, 174), "geteuid": (107, 175),
    "getgid": (104, 176), "getegid": (108, 177), "getgroups": (115, 158), "getpgid": (121, 155), "getsid": (124, 156),
    "getpgrp": (111, -1), "uname": (63, 160), "getrusage": (98, 165), "sysinfo": (99, 179), "times": (100, 153),
    "getrlimit": (97, 163), "sched_getaffinity": (204, 123), "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120), "getcpu": (309, 168),
    # own signals and threads
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
    "alarm": (37, -1), "getitimer": (36, 102), "setitimer": (38, 103), "set_tid_address": (218, 96),
    "set_robust_list": (273, 99), "rseq": (334, 293), "restart_syscall": (219, 128), "exit": (60, 93),
    "exit_group": (231, 94),
}  # fmt: skip

_CONDITIONS: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {
    (16, 29): (1, (0x5401, 0x5421, 0x5450, 0x5451, 0x541B)),  # ioctl: ask for a terminal, blocking, closing, what waits
    (72, 25): (1, (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032)),  # fcntl: copies, flags and locks; no owner, no leases
    (302, 261): (0, (0,)),  # prlimit64: itself only
}
"""Calls that are allowed when one of their arguments has one of these values."""

_CLONE, _THREAD = (56, 220), 0x10000
_CLONE3 = 435

_LOAD, _EQUAL, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_REFUSE = _ERROR | errno.EPERM
_FOREIGN = 0x40000000  # the other numbering of x86_64 begins here

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def restrict() -> None:
    """From now on this process makes no other calls; it needs `no_new_privs`."""
    machine = system.MACHINE
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, "no filter for this architecture")
    code = _compiled(machine)
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = _Program(len(code) // 8, ctypes.addressof(buffer))
    mode = ctypes.c_ulong(2)
    none = ctypes.c_ulong(0)
    system.call("prctl", system.PR_SET_SECCOMP, mode, ctypes.byref(filter_), none, none)


@cache
def _compiled(machine: str) -> bytes:
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program(machine))


def prepare() -> None:
    """Do what is the same for all processes that are restricted."""
    if system.MACHINE in _ARCHITECTURES:
        _compiled(system.MACHINE)


def program(machine: str) -> list[Instruction]:
    """The filter, in the instructions of the system's small machine."""
    column = _NUMBERS.split().index(machine)
    code: list[Instruction] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _ARCHITECTURES[machine]), _returned(_REFUSE)]
    code += [(_LOAD, 0, 0, 0), (_AT_LEAST, 0, 1, _FOREIGN), _returned(_REFUSE)]
    for numbers in _CALLS.values():
        if numbers[column] >= 0:
            code += [(_EQUAL, 0, 1, numbers[column]), _returned(_ALLOW)]
    for numbers, (argument, values) in _CONDITIONS.items():
        code += _when(numbers[column], argument, [(_EQUAL, 0, 1, value) for value in values])
    code += _when(_CLONE[column], 0, [(_BITS, 0, 1, _THREAD)])
    code += [(_EQUAL, 0, 1, _CLONE3), _returned(_ERROR | errno.ENOSYS)]  # then the C library calls `clone`
    return [*code, _returned(_REFUSE)]


def _when(number: int, argument: int, tests: Sequence[Instruction]) -> list[Instruction]:
    """Allow a call if a test of the lower half of an argument holds, and refuse it otherwise."""
    body: list[Instruction] = [(_LOAD, 0, 0, 16 + 8 * argument)]
    for test in tests:
        body += [test, _returned(_ALLOW)]
    body.append(_returned(_REFUSE))
    return [(_EQUAL, 0, len(body), number), *body]


def _returned(value: int) -> Instruction:
    return _RETURN, 0, 0, value
