"""A pytest plugin that makes `neuronxcc.nki.kernels` importable from the folder `reference` on the path.

The vendor ships that package; early samples have the same kernels in `reference`, and test the package.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

package = ModuleType("neuronxcc.nki.kernels")
package.__path__ = [str(folder) for entry in sys.path if (folder := Path(entry) / "reference").is_dir()]
sys.modules[package.__name__] = package
