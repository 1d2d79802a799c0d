"""`nki.jit` takes no options.

The target comes from the environment, and the framework from the arguments. What ran in the simulator by
`mode="simulation"` is called through `nki.simulate`.
"""

from __future__ import annotations

import ast

from nkilint.migrate.rewriting import Rewriter
from nkilint.migrate.steps import COPYING, Example, Step

STEP = Step(
    "jit-options",
    "0.3",
    "A",
    __doc__,
    (
        Example(
            "import nki\nimport nki.language as nl\nimport numpy as np\n"
            + COPYING.replace("nki.jit", 'nki.jit(mode="simulation")'),
            "import nki\nimport nki.language as nl\nimport numpy as np\n"
            + COPYING.replace("kernel(np", "nki.simulate(kernel)(np"),
        ),
    ),
)

_GONE = frozenset({"mode", "platform_target"})


@STEP.calls("jit")
def options(r: Rewriter, node: ast.Call) -> str | None:
    """`@nki.jit(mode=..., platform_target=...)`."""
    kept = [k for k in node.keywords if k.arg not in _GONE]
    if len(kept) == len(node.keywords):
        return None
    parts = [*(r.render(a) for a in node.args), *(f"{k.arg}={r.render(k.value)}" for k in kept)]
    return f"{r.render(node.func)}({', '.join(parts)})" if parts else r.render(node.func)


@STEP.rewrites(ast.Call)
def launch(r: Rewriter, node: ast.Call) -> str | None:
    """A call of a kernel that ran in the simulator."""
    called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    if not isinstance(called, ast.Name) or called.id not in _simulated(r):
        return None
    function = r.source.function(node)
    if function is not None and (r.source.path, function.name) in r.facts.devices:
        return None
    text = r.plain(node)
    name = r.source.text_of(node.func)
    return f"{r.top()}.simulate({name}){text[len(name) :]}"


def _simulated(r: Rewriter) -> set[str]:
    """The kernels of the file that `nki.jit` had run in the simulator."""
    found = set()
    for node in (n for n in r.source.tree.body if isinstance(n, ast.FunctionDef)):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and (r.api(decorator.func) or ("", ""))[1] == "jit":
                modes = [k.value for k in decorator.keywords if k.arg == "mode"]
                if any(isinstance(m, ast.Constant) and m.value == "simulation" for m in modes):
                    found.add(node.name)
    return found
