"""How a run saves time: what it remembers of earlier ones, and how many processes it takes."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint.base.config import ConfigError
from nkilint.base.options import Options
from nkilint.base.store import FOLDER, Store

if TYPE_CHECKING:
    from nkilint.run.outcome import Runner

NO_CACHE = "NKILINT_NO_CACHE"
CACHE_DIR = "NKILINT_CACHE_DIR"


def jobs(arguments: argparse.Namespace) -> int:
    if arguments.jobs is not None:
        return int(arguments.jobs)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def store(arguments: argparse.Namespace, options: Options) -> Store | None:
    """Where results are kept: beside the configuration, unless the command line or the environment say otherwise."""
    if arguments.no_cache or os.environ.get(NO_CACHE):
        return None

    chosen = arguments.cache_dir or os.environ.get(CACHE_DIR)
    return Store(Path(chosen) if chosen else options.root / FOLDER)


def elsewhere(arguments: argparse.Namespace) -> Runner | None:
    """The cluster that verifies kernels, if one is asked for."""
    if arguments.executor is None:
        return None

    given = str(arguments.executor)
    address = re.fullmatch(r"dask://([\w.-]+:\d+|\[[0-9a-fA-F:]+\]:\d+)/?", given)
    if address is None:
        raise ConfigError(f"`{given}` is no executor; they look like `dask://HOST:PORT`")
    if importlib.util.find_spec("distributed") is None:
        raise ConfigError("--executor needs more packages: install nkilint with its extra `distributed`")

    from nkilint.run.cluster import in_cluster  # only where an executor is asked for: it starts slowly

    return in_cluster(address[1])
