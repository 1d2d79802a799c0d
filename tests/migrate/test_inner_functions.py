"""Functions inside kernels that are made, or that stand in a class or under a condition."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

IMPORTS = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\nimport numpy as np\n"
KERNEL = '''\
@nki.jit
def scaled(x):
    n, m = x.shape
    out = nl.ndarray((n, columns), dtype=x.dtype, buffer=nl.shared_hbm)

    # one tile
    def tile(row):
        """Of all
        of it."""
        i = row + nl.arange(128)[:, None]
        j = nl.arange(columns)[None, :]

        def shorter(t):
            return nl.multiply(t, 2)

        nl.store(out[i, j], shorter(nl.load(x[i, j], mask=i < n)), mask=i < n)

    for t in nl.affine_range((n + 127) // 128):
        tile(t * 128)
    return out
'''
CLASS = f"""\
class Kernels:
    width = 64

    # a kernel
    @staticmethod
{indent(KERNEL.replace("columns", "m"), "    ")}

Kernels.scaled(np.ones((200, 64), np.float32))
"""
FACTORY = f"""\
def made(columns):
    \"\"\"A kernel.\"\"\"

{indent(KERNEL, "    ")}
    return scaled


made(64)(np.ones((200, 64), np.float32))
made(32)(np.ones((200, 64), np.float32))
"""
GUARDED = f"""\
if np.__version__:
{indent(KERNEL.replace("columns", "m"), "    ")}"""


def migrated(tmp_path: Path, text: str) -> Migration:
    file = tmp_path / "k.py"
    file.write_text(f"{IMPORTS}\n\n{text}")
    return migrate([file], Options(), "B1", "0.6")


@pytest.mark.parametrize("text", [CLASS, FACTORY, GUARDED], ids=["class", "factory", "guarded"])
def test_they_stand_before_the_kernel(text: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, text)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert "arange" not in after
    given = "n, out, x" if text is FACTORY else "m, n, out, x"
    assert f"def tile({given}, row):" in after
    assert after.index("def shorter(t):") < after.index("# one tile") < after.index("def scaled(x):")


def test_tabs_and_texts_stay(tmp_path: Path) -> None:
    after = migrated(tmp_path, CLASS.replace("    ", "\t")).files[0].after.decode()
    assert '# one tile\ndef tile(m, n, out, x, row):\n\t"""Of all\n\t\t\tof it."""\n\n\tload_' in after
