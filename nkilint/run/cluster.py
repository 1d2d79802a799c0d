"""Verifies kernels on the machines of a Dask cluster, which need nkilint and nothing of the project.

Each machine gets the files that were read, writes them to a folder of its own, and verifies one kernel at a time there.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from nkilint import __version__
from nkilint.base.config import ConfigError
from nkilint.base.findings import KernelReport
from nkilint.base.ir import Span
from nkilint.base.options import Options
from nkilint.base.serial import plain, restored
from nkilint.base.source import STDIN, SourceError, read_bytes
from nkilint.base.store import digest
from nkilint.project.discovery import Kernel
from nkilint.project.files import Project
from nkilint.project.layout import project_root

from .engine import check
from .outcome import Outcome, Runner, Setting, Verify, one_by_one
from .processes import died, in_processes

_PATIENCE = 20  # seconds to wait for the scheduler
Ready = tuple[dict[tuple[str, int, int], Kernel], Verify]
_ready: dict[str, Ready] = {}  # on a machine of the cluster: by what is asked
_turn = threading.Lock()  # a worker may have several threads, and evaluation has state of its process
_folders: dict[str, tempfile.TemporaryDirectory[str]] = {}  # on a machine of the cluster: by what is in them


def in_cluster(address: str) -> Runner:
    """A runner that has kernels verified by the cluster whose scheduler is at `HOST:PORT`."""

    def run(setting: Setting, kernels: Sequence[Kernel], verify: Verify) -> list[Outcome]:
        if STDIN in setting.project.files:
            return one_by_one(setting, kernels, verify)
        import distributed  # an extra, which only this needs

        make: Any = distributed.Client

        try:
            client = make(f"tcp://{address}", timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ConfigError(f"no Dask scheduler answers at {address}: {error}") from None
        with client:
            files = _files(setting.project)
            work = client.scatter((digest(sorted(files.items())), files), broadcast=True, hash=False)
            targets = [os.path.abspath(file) for file in setting.project.files]
            options = plain(setting.options)
            futures = {
                kernel: client.submit(verify_there, __version__, work, targets, options, _place(kernel), pure=False)
                for kernel in kernels
            }

            def there(kernel: Kernel) -> Outcome:
                try:
                    answer = futures[kernel].result()
                except (distributed.KilledWorker, CancelledError):  # those died that had it, or the sources
                    return in_processes(1)(replace(setting, listeners=[]), [kernel], verify)[0]
                if isinstance(answer, str):
                    raise ConfigError(f"the cluster has nkilint {answer}, and this is {__version__}")
                return died(kernel) if answer is None else _home(answer, setting.project)

            return one_by_one(setting, kernels, there)

    return run


def _files(project: Project) -> dict[str, bytes]:
    """By absolute path, what an analysis of the project reads, and what tells where a project begins."""
    probed = (path for path, there in project.overlay.probed.items() if there and path.endswith(".py"))
    paths = {os.path.abspath(path) for path in (*project.files, *project.read, *probed)}
    found: dict[str, bytes] = {}
    for path in sorted(paths):
        try:
            found[path] = read_bytes(path, project.overlay)
        except SourceError:
            continue  # it was reported here
    roots = {project_root(os.path.dirname(path)) for path in paths}
    return {**{os.path.join(root, "setup.cfg"): b"" for root in roots if root is not None}, **found}


def _place(kernel: Kernel) -> tuple[str, int, int]:
    at = kernel.function.at
    return os.path.abspath(at.file), at.row, at.column


def _home(answer: Any, project: Project) -> Outcome:
    """The outcome, with files named as they are here."""
    outcome = restored(Outcome, answer)
    moved: Outcome = _moved(outcome, project.shown, (Span, KernelReport))
    return moved


def _moved(value: Any, rename: Callable[[str], str], kinds: tuple[type, ...] = (object,)) -> Any:
    """`value` with the files renamed that values of these kinds in it are in."""
    if isinstance(value, (tuple, frozenset)):
        return type(value)(_moved(item, rename, kinds) for item in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changes = {f.name: _moved(getattr(value, f.name), rename, kinds) for f in fields(value) if f.init}
    if "file" in changes and isinstance(value, kinds):
        changes["file"] = rename(changes["file"])
    return replace(value, **changes)


# --- on a machine of the cluster ---


def verify_there(
    version: str,
    work: tuple[str, Mapping[str, bytes]],
    targets: Sequence[str],
    options: Any,
    place: tuple[str, int, int],
) -> Any:
    """The outcome of the kernel at `place`, with files named by their paths where the run was started; None if the
    kernel is not found, and this program's version if it is another than `version`."""
    if version != __version__:
        return __version__
    with _turn:
        folder = _unpacked(*work)

        def here(path: str) -> str:
            return folder + path

        key = digest(folder, targets, options)
        if key not in _ready:
            _ready.clear()  # a run asks for nothing of another
            own = restored(Options, options)
            specified = {here(name) if os.path.isabs(name) else name: spec for name, spec in own.kernels.items()}
            own = replace(own, root=Path(here(os.path.abspath(own.root))), kernels=specified)
            _ready[key] = _prepared([Path(here(path)) for path in targets], own)
        kernels, verify = _ready[key]
        kernel = kernels.get((here(place[0]), *place[1:]))
        if kernel is None:
            return None
        return plain(_moved(verify(kernel), lambda file: os.path.abspath(file).removeprefix(folder)))


def _prepared(paths: Sequence[Path], options: Options) -> Ready:
    """The kernels of these files by their places, and what verifies them: files are read once, not for each kernel."""
    found: list[Ready] = []

    def keep(setting: Setting, kernels: Sequence[Kernel], verify: Verify) -> list[Outcome]:
        found.append(({_place(kernel): kernel for kernel in kernels}, verify))
        return [Outcome(kernel.function.at, None) for kernel in kernels]

    check(paths, options, runner=keep)
    return found[0]


def _unpacked(name: str, files: Mapping[str, bytes]) -> str:
    """A folder that holds `files`, kept for the kernels that follow."""
    if name not in _folders:
        made = _folders[name] = tempfile.TemporaryDirectory(prefix="nkilint-")
        for path, data in files.items():
            file = Path(os.path.realpath(made.name) + path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    return os.path.realpath(_folders[name].name)
