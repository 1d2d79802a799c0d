"""`python -m nkilint` is `nkilint`."""

import os
import sys


def _start() -> None:
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not sys.flags.isolated and not getattr(sys.flags, "safe_path", False) and sys.path[0] not in (own, ""):
        del sys.path[0]  # Python put the working folder there, whose modules are to be read and not to be imported
    from .cli import start  # after the folder is out of the way

    start()


_start()
