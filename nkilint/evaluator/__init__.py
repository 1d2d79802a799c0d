"""The symbolic evaluator: runs kernels over unknown shapes and yields their traces.

What Python and NKI mean stands in tables that the modules of this package fill, so all of them are loaded with it.
"""

import importlib
import pkgutil

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
