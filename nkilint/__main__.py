"""`python -m nkilint` is `nkilint`."""

import sys

from .cli import main

sys.exit(main())
