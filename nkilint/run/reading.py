"""Files read and their kernels found, for who asks of them one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nkilint.base.options import Options
from nkilint.project.callers import called_by_kernels
from nkilint.project.discovery import Kernel, discover
from nkilint.project.files import Project

from .session import Session


def session_of(
    paths: Sequence[Path], options: Options, overlay: Mapping[str, bytes]
) -> tuple[Session, Sequence[Kernel]]:
    """The files of `paths` read, and the kernels in them."""
    session = Session(Project([str(p) for p in paths], overlay, options.search_paths, options.prelude), options)
    for file in session.project.targets():
        session.read(file)
    modules = list(session.read_modules.values())
    kernels = session.kernels = discover(session.imports, modules).kernels
    session.inner = called_by_kernels(kernels, [session.imports.scope(m) for m in modules])
    return session, kernels
