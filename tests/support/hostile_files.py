"""Files that nobody would write, or not yet: made from seeds, and checked one by one in a process with little memory.

    python -m tests.support.hostile_files FAMILY

prints a line of JSON for each: what the analysis failed on, what it found, and how much time it took.
"""

from __future__ import annotations

import json
import random
import re
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from nkilint.base.options import Options
from nkilint.base.source import may_define_kernels
from nkilint.run.engine import check

SECONDS = 20  # of the processor, for one file: work has its own limit, this is for what counts none
MEMORY = 4 << 30
COUNT = 50  # files in a family
Files = dict[str, bytes]  # by name; `k.py` is the one to check

KERNEL = '''\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def tiled(x, scale=2.0, *, names=("a", "b")):
    """Tiles of 128 rows."""
    rows, columns = x.shape
    assert rows % 128 == 0, f"{rows!r} rows"
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:columns]
    for m in nl.affine_range(rows // 128):
        tile = nl.load(x[m * 128 + i, j])
        if columns > 5 and scale:
            tile = nl.multiply(tile, [scale, 1.0][0], dtype={"f": nl.float32}["f"])
        nl.store(output[m * 128 + i, j], value=tile)
    return output


if __name__ == "__main__":
    tiled(np.zeros((256, 512), dtype=np.float32))
'''
WORDS = "x k nl nki ( ) [ ] , . : = == + - * // % @ ** < not and or if else for in lambda 0 1 128 'a' None"
TOKENS = tuple(re.split(" ", WORDS))
HEAD = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n\n\n@nki.jit\ndef k(x):\n"


class TooLong(BaseException):
    """One file took more time than it may."""


# --- families ---


def half_typed() -> Iterator[Files]:
    """A kernel as far as it is written, and with a line in the middle that is not finished."""
    rng = random.Random(1)
    lines = KERNEL.splitlines(keepends=True)
    for _ in range(COUNT // 2):
        yield {"k.py": KERNEL[: rng.randrange(60, len(KERNEL))].encode()}
        row = rng.randrange(5, len(lines))
        cut = lines[row][: rng.randrange(len(lines[row]))] + "\n"
        yield {"k.py": "".join([*lines[:row], cut, *lines[row + 1 :]]).encode()}


def broken() -> Iterator[Files]:
    """A kernel in which characters are missing, doubled, exchanged, or have come from elsewhere."""
    rng = random.Random(2)
    for _ in range(COUNT):
        text = list(KERNEL)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(text))
            change = rng.choice(["delete", "double", "swap", "insert"])
            if change == "delete":
                del text[at : at + rng.randrange(1, 30)]
            elif change == "double":
                text[at:at] = text[at : at + rng.randrange(1, 40)]
            elif change == "swap":
                other = rng.randrange(len(text))
                text[at], text[other] = text[other], text[at]
            else:
                text.insert(at, rng.choice("()[]{}'\"\\:;,@#\n\t\r\f \x1b\u200b\u202e🙂=*%\u2028"))
        yield {"k.py": "".join(text).encode("utf-8")}


def not_utf8() -> Iterator[Files]:
    """Bytes that are no text, or a text in another encoding than it says."""
    rng = random.Random(3)
    data = KERNEL.encode()
    for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037"):
        yield {"k.py": KERNEL.replace("rows", "zeilenzähler").encode(encoding, "replace")}
    for cookie in (
        "latin-1",
        "utf-16",
        "nonsense",
        "rot13",
        "utf-8",
        "ascii",
        "cp1252",
        "hex",
        "idna",
        "unicode_escape",
    ):
        yield {"k.py": f"# -*- coding: {cookie} -*-\n# ä\n".encode("latin-1") + data}
        yield {"k.py": b"\xef\xbb\xbf" + f"# coding: {cookie}\n".encode() + data}
    while True:
        spoilt = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            spoilt.insert(rng.randrange(len(spoilt)), rng.choice([0, 0x80, 0xC3, 0xED, 0xF5, 0xFF]))
        yield {"k.py": bytes(spoilt)}


def huge() -> Iterator[Files]:
    """Files of a size, or a depth, that no one reads."""
    rng = random.Random(4)
    tall = "".join(f"    a{n} = x.shape[0] + {n}\n" for n in range(3_000))
    wrong = "".join(f"    a{n} = x[{n}] + {n}\n" for n in range(150))
    deep = [
        "    y = " + "(" * 300 + "x" + ")" * 300,
        "    y = " + "[" * 2_000 + "]" * 2_000,
        "    y = x" + ".a" * 3_000,
        "    y = x" + "[0]" * 3_000,
        "    y = " + "-" * 3_000 + "1",
        "    y = " + " + ".join(["x"] * 3_000),
        "    y = " + "not " * 2_000 + "x",
        "    y = " + "lambda: " * 1_000 + "x",
        "    y = " + "x if x else " * 1_000 + "x",
        "    y = f" + "'" + "{x}" * 2_000 + "'",
        "    y = " + "9" * 5_000,
        "    y = '" + "a" * 500_000 + "'",
        "    y = [" + "1, " * 50_000 + "]",
        "    y = x" + "\\\n" * 3_000,
        "    return x" + " # nkilint: ignore[NKI101]" * 5_000,
        tall,
        wrong,
        "".join("    " * (n + 1) + "if x:\n" for n in range(90)) + "    " * 91 + "pass",
        "".join("    " * (n + 1) + "for _ in range(n):\n" for n in range(18)) + "    " * 19 + "pass",
        "    if x:\n        pass\n" + "    elif x:\n        pass\n" * 1_500,
        "    try:\n        pass\n" + "    except x:\n        pass\n" * 1_000,
    ]
    for text in deep:
        yield {"k.py": (HEAD + text + "\n").encode()}
    yield {"k.py": b"import nki\n#" + b" " * 6_000_000}
    yield {"k.py": b"import nki\n" + b"\n" * 300_000}
    yield {"k.py": b"import nki\n" + b"(" * 100_000}
    yield {"k.py": ("from nki import jit\n" + "@jit\n" * 2_000 + "def k(x): pass\n").encode()}
    yield {
        "k.py": ("import nki\n" + "@nki.jit\ndef k(" + ", ".join(f"a{n}" for n in range(1_000)) + "): pass\n").encode()
    }
    while True:
        depth, piece = rng.randrange(50, 400), rng.choice(["(x, ", "{x: ", "x[", "f(", "[x for x in "])
        closing = {"(": ")", "{": "}", "[": "]"}[next(c for c in piece if c in "({[")]
        yield {"k.py": (HEAD + "    y = " + piece * depth + "x" + closing * depth + "\n").encode()}


def cyclic() -> Iterator[Files]:
    """Things that lead back to themselves: imports, calls, classes, lists."""
    rng = random.Random(5)
    bodies = [
        "    return k(x)",
        "    def f(): return f()\n    return f()",
        "    f = lambda g: g(g)\n    return f(f)",
        "    l = []\n    l.append(l)\n    return l[0][0] == l, str(l), l + l",
        "    d = {}\n    d['d'] = d\n    return d == d, f'{d}', (*d,)",
        "    class C:\n        def __getattr__(self, n): return getattr(self, n)\n    return C().a",
        "    class C:\n        @property\n        def p(self): return self.p\n    return C().p",
        "    class C:\n        def __init__(self): self.c = C()\n    return C()",
        "    class C(C): pass\n    return C()",
        "    class C:\n        def __eq__(self, o): return o == self\n    return C() == C()",
        "    x.x = x\n    return x.x.x",
        "    t = (x,)\n    for _ in range(200): t = (t, t)\n    return t == t, hash(t)",
        "    s = x\n    for i in range(60): s = s + s\n    return s",
        "    n = 1\n    for i in range(1000): n = n * n + i\n    return nl.ndarray((n, n), dtype=x.dtype)",
        "    def f(n): return f(n - 1) + f(n - 2) if n > 1 else n\n    return f(300)",
        "    def g():\n        yield from g()\n    return list(g())",
        "    a = b = a\n    global k\n    k = k\n    return k",
        "    while x: x = x\n    return x",
        "    for x in x: pass\n    else: return k",
        "    def even(n): return n == 0 or odd(n - 1)\n    def odd(n): return n != 0 and even(n - 1)\n"
        "    return even(10 ** 9)",
    ]
    for body in bodies:
        yield {"k.py": (HEAD + body + "\n").encode()}
    while True:
        count = rng.randrange(1, 8)
        ring = [f"m{n}" for n in range(count)]
        files = {}
        for n, name in enumerate(ring):
            after, before = ring[(n + 1) % count], ring[n - 1]
            files[f"{name}.py"] = f"from {after} import *\nfrom {before} import a{n} as a{n + 1}\nimport k\n"
        files["k.py"] = f"from {ring[0]} import a0, a{count}\nimport k\n" + HEAD + f"    return a0(x, k.k, a{count})\n"
        yield {name: text.encode() for name, text in files.items()}


def hostile() -> Iterator[Files]:
    """Text that wants to be run, or wants more than there is."""
    rng = random.Random(6)
    bodies = [
        "    return 2 ** 2 ** 2 ** 2 ** 30",
        "    return 10 ** 10 ** 10 % 7",
        "    return 1 << 10 ** 12",
        "    return 'a' * 10 ** 12",
        "    return [0] * 10 ** 11",
        "    return (1,) * 2 ** 62 + (2,)",
        "    return list(range(10 ** 15))",
        "    return sum(range(10 ** 15)), max(range(10 ** 15)), 5 in range(10 ** 15)",
        "    return f'{1:1000000000000}', '%1000000000000d' % 1, 'a'.ljust(10 ** 12)",
        "    return [i for i in range(10 ** 9)], {i: i for i in range(10 ** 9)}",
        "    return int('9' * 10 ** 7), str(10 ** 10 ** 7), bytes(10 ** 12), bytearray(10 ** 12)",
        "    while True: pass",
        "    while True: x = (x, x)",
        "    for i in range(10 ** 18): x = x + i",
        "    for i in nl.static_range(10 ** 12): nl.load(x[i])",
        "    for i in nl.affine_range(10 ** 12):\n        for j in nl.affine_range(10 ** 12): nl.load(x[i, j])",
        "    return nl.ndarray((10 ** 100, -1, 0, 1.5, None, x), dtype=nl.float32, buffer=nl.sbuf)",
        "    return nl.ndarray((128,) * 10_000, dtype=nl.float32, buffer=nl.sbuf)",
        "    return x.reshape((1,) * 5_000), x.shape[10 ** 30], x[-(10 ** 30)]",
        "    return nl.arange(10 ** 15)[:, None] + nl.arange(10 ** 15)[None, :]",
        "    return nl.mgrid[0:10 ** 12, 0:10 ** 12, 0:10 ** 12]",
        "    return 1 / 0, 1 % 0, 1 // 0, divmod(1, 0), 0 ** -1, float('nan') // 1, 1e308 * 10, int(float('inf'))",
        "    return x[::0], x[1:2:-3], x[...][..., ...], x[{}], x[x[x]], x[lambda: 0], x[:, :, :, :, :, :, :]",
        "    assert False\n    return x",
        "    assert x.shape[0] > x.shape[0] and x.shape == ()\n    return x",
        "    import os; os.system('touch MARK'); open('MARK', 'w').write('')",
        "    eval(\"open('MARK', 'w')\"); exec(\"open('MARK', 'w')\"); __import__('os').mkdir('MARK')",
        "    return (lambda: (yield))(), [*x], {**x}, *x, x @ x, ~x, x.__class__.__mro__[-1].__subclasses__()",
        "    return ().__class__.__base__.__subclasses__()[0].__init__.__globals__['open']('MARK', 'w')",
        "    type('T', (), {'__del__': lambda s: 0})(); globals()['k'] = 1; setattr(nl, 'load', 1); del nl, x, k",
        "    raise SystemExit(3)",
        "    import sys; sys.setrecursionlimit(10); sys.exit(5)",
        "    print('\\x1b[2J', end=''); input(); breakpoint()",
    ]
    for body in bodies:
        yield {"k.py": (HEAD + body.replace("MARK", "executed.txt") + "\n").encode()}
    comments = [
        "# nkilint: x: float32[M, N], M % 0 == 0",
        "# nkilint: x: float32[" + "M, " * 2_000 + "]",
        "# nkilint: x: " + "(" * 5_000,
        "# nkilint: x: float32[__import__('os').mkdir('executed.txt')]",
        "# nkilint: x: bfloat16[10 ** 10 ** 10, 2 ** 2 ** 2 ** 30]",
        "# nkilint: ignore[" + "NKI101," * 5_000 + "]",
        "# noqa: " + "A1," * 20_000,
        "# nkilint: " + ":" * 10_000,
    ]
    for comment in comments:
        yield {"k.py": (HEAD.replace("@nki", comment + "\n@nki") + "    return x\n").encode()}
    while True:
        words = rng.choices(TOKENS, k=rng.randrange(5, 60))
        text = " ".join(words)
        yield {"k.py": (HEAD + f"    {text}\n    return {text}\n").encode()}


FAMILIES: dict[str, Callable[[], Iterator[Files]]] = {
    f.__name__: f for f in (half_typed, broken, not_utf8, huge, cyclic, hostile)
}


# --- running ---


def _stop(signal_number: int, frame: FrameType | None) -> None:
    raise TooLong


def _parses(data: bytes) -> bool | None:
    """Whether Python reads the file; None if it cannot tell either."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, "case.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, LookupError):
        return False
    except (RecursionError, MemoryError):
        return None
    return True


def _told(files: Files, number: int) -> dict[str, object]:
    """What became of one case."""
    folder = Path.cwd() / f"case{number}"
    overlay = {str(folder / name): data for name, data in files.items()}
    started = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        report = check([folder / "k.py"], Options(confirm=False), overlay=overlay)
    except TooLong:
        return {"number": number, "stopped": True}
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return {
        "number": number,
        "parses": _parses(files["k.py"]) if may_define_kernels(files["k.py"]) else None,
        "failures": [(d.code, d.message, d.at.row, d.at.column) for d in report.failures],
        "findings": [(d.code, d.message) for d in report.diagnostics],
        "kernels": [k.verdict for k in report.kernels],
        "seconds": round(time.process_time() - started, 2),
    }


def main() -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, _stop)
    for number, files in zip(range(COUNT), FAMILIES[sys.argv[1]](), strict=False):
        print(json.dumps(_told(files, number)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
