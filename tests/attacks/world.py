"""What attacks aim at, and how to tell that nothing happened to it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

from nkilint.base.findings import Trial
from nkilint.base.serial import plain
from nkilint.confirm.server import command
from nkilint.confirm.tasks import Account, Task
from nkilint.confirm.workers import Worker

SECRET = "a-secret-of-the-user-7381"
FORGED = "FORGED"
ROW = 1000  # where the faulty load stands, whatever the attack is

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
VICTIM, FOLDER, SLEEPER, PORT, SERVER, KERNELS = {values!r}
"""
KERNEL = """
@nki.jit
def kernel(x):
    attack()
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(512)[None, :]
    tile = nl.load(x[i, j + 1])
    nl.store(output[i, j], value=tile)
    return output
"""


class World:
    """A folder with a file in it, a process, a port that listens, and a worker that runs kernels."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "precious"
        self.folder.mkdir()
        self.victim = self.folder / "victim.txt"
        self.victim.write_text(SECRET, encoding="utf-8")
        self.kernels = folder / "project"
        self.kernels.mkdir()
        self.file = self.kernels / "kernels.py"
        self.file.write_text("", encoding="utf-8")
        (self.kernels / "native.so").write_bytes(b"\x7fELF no library")
        os.environ["NKILINT_SECRET"] = SECRET
        self.sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(0)
        self.worker = Worker()

    def close(self) -> None:
        self.worker.close()
        self.sleeper.kill()
        self.sleeper.wait()
        self.listener.close()
        del os.environ["NKILINT_SECRET"]

    @property
    def server(self) -> int:
        """The number of the process that the worker started."""
        process = self.worker._started()
        return process.pid

    def run(self, attack: str, *, seconds: float = 20) -> Account:
        """The account of a kernel that does `attack` before it loads a column too many."""
        values = (str(self.victim), str(self.folder), self.sleeper.pid, self.port, self.server, str(self.kernels))
        body = "\n".join("    " + line for line in attack.strip("\n").splitlines())
        source = HEAD.format(values=values) + f"def attack():\n{body}\n"
        source += "\n" * (ROW - 8 - source.count("\n")) + KERNEL
        trial = Trial(
            file=str(self.file), function="kernel", outer=(), dialect="neuronxcc", target="trn2", may_write=False,
            grid=(), arguments={"x": {"array": ["float32", [128, 512]]}},
        )  # fmt: skip
        return self.worker.run(
            Task(
                trial=trial, module="kernels", roots=(str(self.kernels),), marks=((str(self.file), ROW, ("NKI301",)),),
                dtype="float32", truth=True, steps=1_000_000, memory=1 << 30, seconds=float(seconds),
                overlay={str(self.file): source},
            )
        )  # fmt: skip

    @property
    def port(self) -> int:
        number: int = self.listener.getsockname()[1]
        return number

    def state(self) -> dict[str, Any]:
        """All that an attack could have changed."""
        return {
            "files": [_described(path) for path in sorted([self.folder, *self.folder.rglob("*")])],
            "project": sorted(path.name for path in self.kernels.rglob("*") if path.name != "__pycache__"),
            "shared": _shared(),
            "sleeper": self.sleeper.poll(),
            "server": self.server,
            "priorities": [os.getpriority(os.PRIO_PROCESS, pid) for pid in (0, self.server, self.sleeper.pid)],
            "limits": [_limits(pid) for pid in (os.getpid(), self.server)],
            "processes": _session(self.server),
            "working": os.getcwd(),
            "visitors": self._visitors(),
            "handlers": signal.getsignal(signal.SIGINT),
        }

    def _visitors(self) -> int:
        try:
            self.listener.accept()[0].close()
        except (BlockingIOError, TimeoutError):
            return 0
        return 1


def _shared() -> list[str]:
    """What shared memory holds, but for the semaphores that any Python process beside this one makes and drops."""
    found = os.listdir("/dev/shm") if os.path.isdir("/dev/shm") else []
    return sorted(name for name in found if not name.startswith("sem.mp-"))


def _described(path: Path) -> tuple[Any, ...]:
    found = path.lstat()
    content = path.read_bytes() if stat.S_ISREG(found.st_mode) else b""
    return (
        path.name,
        stat.S_IFMT(found.st_mode),
        stat.S_IMODE(found.st_mode),
        found.st_mtime_ns,
        found.st_nlink,
        content,
    )


def _limits(pid: int) -> list[tuple[int, int]]:
    if not hasattr(resource, "prlimit"):
        return []
    return [resource.prlimit(pid, kind) for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_CORE)]


def _session(leader: int) -> list[str]:
    """The commands of the processes that belong to a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(folder.name)
    return sorted(found)


def text(account: Account) -> str:
    return json.dumps(plain(account))


def without_hook(monkeypatch: Any) -> None:
    """From now on there are workers whose runs only the system confines."""
    (*start, script, _), environment = command("")
    before = "from nkilint.confirm.jail import hook; hook.guard = lambda *_: None; "
    changed = script.replace("from nkilint.confirm.server", before + "from nkilint.confirm.server")
    assert changed != script
    monkeypatch.setattr("nkilint.confirm.workers.command", lambda owner: ([*start, changed, owner], environment))
