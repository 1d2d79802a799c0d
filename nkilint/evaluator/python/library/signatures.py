"""Whether functions of Python's own modules and of numpy take the arguments of a call."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from math import inf

from nkilint_rules.operations.signatures import Signature, SignatureError


@cache
def takes(name: str, count: int, keywords: tuple[str, ...]) -> bool:
    """Whether the function of that full name takes so many arguments and these keywords, as far as it says."""
    module, _, leaf = name.rpartition(".")
    if name in _OF_NUMPY:
        return any(_fits(way, count, keywords) for way in _OF_NUMPY[name])
    if leaf in _COUNTS and module == "builtins":
        least, most = _COUNTS[leaf]
        return least <= count <= most
    if module not in ("builtins", "collections", "functools", "itertools", "math", "operator"):
        return True
    try:
        inspect.signature(getattr(importlib.import_module(module), leaf)).bind(*range(count), **dict.fromkeys(keywords))
    except TypeError:
        return False
    except (AttributeError, ValueError):  # functions without a signature
        return True
    return True


def _fits(signature: Signature, count: int, keywords: tuple[str, ...]) -> bool:
    try:
        signature.bind(range(count), dict.fromkeys(keywords))
    except SignatureError:
        return False
    return True


_COUNTS = {
    "bool": (0, 1), "dict": (0, 1), "filter": (2, 2), "float": (0, 1), "frozenset": (0, 1), "getattr": (0, 3),
    "int": (0, 2), "iter": (0, 2), "list": (0, 1), "map": (2, inf), "next": (0, 2), "range": (0, 3), "reveal": (1, 1),
    "set": (0, 1), "slice": (0, 3), "str": (0, 3), "tuple": (0, 1), "type": (0, 3), "vars": (0, 1),
}  # fmt: skip
"""How many arguments functions without a signature take, at least and at most, as far as that is asked."""

_UFUNC = "out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None, extobj=None"
_MADE = "order='C', *, device=None, like=None"
_LIKE = "dtype=None, order='K', subok=True, shape=None, *, device=None"
_FOLDED = "out=None, keepdims=False, initial=0, where=True"
_SIGNATURES = {
    "abs ceil cos exp floor log log2 negative sin sqrt square tanh": f"x, {_UFUNC}",
    "add divide gcd lcm maximum minimum multiply power subtract": f"x1, x2, {_UFUNC}",
    "amax amin max min": f"a, axis=None, {_FOLDED}",
    "sum prod": f"a, axis=None, dtype=None, {_FOLDED}",
    "mean": "a, axis=None, dtype=None, out=None, keepdims=False, *, where=True",
    "cumsum": "a, axis=None, dtype=None, out=None",
    "argmax argmin": "a, axis=None, out=None, *, keepdims=False",
    "argsort sort": "a, axis=-1, kind=None, order=None, *, stable=None",
    "arange": "start_or_stop=0, stop=None, step=1, dtype=None, *, start=None, device=None, like=None",
    "array": "object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None",
    "asarray": "a, dtype=None, order=None, *, device=None, copy=None, like=None",
    "ascontiguousarray": "a, dtype=None, *, like=None",
    "broadcast_to": "array, shape, subok=False",
    "clip": f"a, a_min, a_max, {_UFUNC} | a, *, min=None, max=None, {_UFUNC.replace(' *,', '')}",
    "diff": "a, n=1, axis=-1, prepend=None, append=None",
    "dot outer": "a, b, out=None",
    "dtype": "dtype, align=False, copy=False, **kwargs",
    "empty ones zeros": f"shape, dtype=None, {_MADE}",
    "empty_like": f"prototype, {_LIKE}",
    "ones_like zeros_like": f"a, {_LIKE}",
    "full": f"shape, fill_value, dtype=None, {_MADE}",
    "full_like": f"a, fill_value, {_LIKE}",
    "expand_dims": "a, axis",
    "eye": f"N, M=None, k=0, dtype=None, {_MADE}",
    "identity": "n, dtype=None, *, like=None",
    "finfo": "dtype",
    "flatnonzero nonzero": "a",
    "flip": "m, axis=None",
    "fromfunction": "function, shape, *, dtype=None, like=None, **kwargs",
    "hstack vstack": "tup, *, dtype=None, casting='same_kind'",
    "linspace": "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None",
    "ndarray": "shape, dtype=None, buffer=None, offset=0, strides=None, order=None",
    "repeat": "a, repeats, axis=None",
    "round": "a, decimals=0, out=None",
    "squeeze": "a, axis=None",
    "stack": "arrays, axis=0, out=None, *, dtype=None, casting='same_kind'",
    "swapaxes": "a, axis1, axis2",
    "tile": "A, reps",
    "transpose": "a, axes=None",
    "tril triu": "m, k=0",
    "random.RandomState random.default_rng random.seed": "seed=None",
    "random.choice": "a, size=None, replace=True, p=None, axis=0, shuffle=True",
    "random.normal": "loc=0.0, scale=1.0, size=None",
    "random.rand random.randn": "*sizes",
    "random.uniform": "low=0.0, high=1.0, size=None",
    "random.randint": "low, high=None, size=None, dtype=None",
    "random.integers": "low, high=None, size=None, dtype=None, endpoint=False",
    "random.random random.standard_normal": "size=None, dtype=None, out=None",
    "random.random_sample": "size=None",
}
"""Names of numpy's functions, and the arguments that some version of them takes, in one way or in another."""
_OF_NUMPY = {
    f"numpy.{name}": tuple(map(Signature, text.split(" | ")))
    for names, text in _SIGNATURES.items()
    for name in names.split()
}
