"""What an operation gives of which not all is known may be what it was given, or hold it: changes of one change the
other."""

from __future__ import annotations

import pytest

from ..support.oracle import ask

HEAD = """
import collections
import copy
import functools
import itertools
import nki
import nki.language as nl


class Box:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v

    def __getitem__(self, key):
        return self.v

    def __call__(self):
        return self.v

    def __neg__(self):
        return self.v

    def __add__(self, other):
        return self.v

    __radd__ = __add__


def u(x):
    return eval("x")


@nki.jit
def kernel(a):
    n, m = a.shape
    e = [1]
    b = Box(e)
    z = u(0)
    t = u(True)
"""
CASES = r"""
u([[3]]) + [e]|r[1][0] = 5
u([[3]]) + [e]|r[-1][0] = 5
[e] + u([[3]])|r[0][0] = 5
[e] + u([[3]])|for x in r:;    x[0] = 5
(e,) + u(((3,),))|r[0][0] = 5
[e] * u(2)|r[0][0] = 5
u(2) * [e]|r[0][0] = 5
[e][z]|r[0] = 5
(e,)[z]|r[0] = 5
{0: e}[z]|r[0] = 5
{"a": e}[u("a")]|r[0] = 5
{0: e}.get(z)|r[0] = 5
{0: e}.pop(z)|r[0] = 5
[e].pop(z)|r[0] = 5
[[3], e][-1 - z]|r[0] = 5
[e][z:]|r[0][0] = 5
(e,)[z:]|r[0][0] = 5
[e] if t else [[3]]|r[0][0] = 5
t and e|r[0] = 5
u(None) or e|r[0] = 5
e or z|r[0] = 5
[x for x in [e] if t]|r[0][0] = 5
[x for x in u([[3]]) + [e]]|r[-1][0] = 5
[*u([[3]]), e]|r[-1][0] = 5
(*u([[3]]), e)|r[-1][0] = 5
{**u({}), "a": e}|r["a"][0] = 5
dict(u({}), a=e)|r["a"][0] = 5
{"x": 1} | u({"y": e})|r["y"][0] = 5
{"x": e} | u({"y": 2})|r["x"][0] = 5
u({"y": 2}) | {"x": e}|r["x"][0] = 5
list(u([])) + [e]|r[0][0] = 5
max([e], key=lambda q: u(1))|r[0] = 5
max([e, [0]], key=u(lambda q: q[0]))|r[0] = 5
min(e, u([7]))|r[0] = 5
sorted([e], key=u(lambda q: 1))|r[0][0] = 5
list(map(u(lambda q: q), [e]))|r[0][0] = 5
list(filter(u(None), [e]))|r[0][0] = 5
list(zip([e], u([1])))|r[0][0][0] = 5
list(itertools.chain(u([]), [e]))|r[0][0] = 5
next(iter(u([])), e)|r[0] = 5
functools.reduce(u(lambda p, q: p), [e, 1])|r[0] = 5
copy.copy([e])|r[0][0] = 5
getattr(b, u("v"))|r[0] = 5
getattr(u(b), "v")|r[0] = 5
b + u(1)|r[0] = 5
u(1) + b|r[0] = 5
b[z]|r[0] = 5
-u(b)|r[0] = 5
u(b)()|r[0] = 5
(lambda q: q)(*u([e]))|r[0] = 5
(lambda *q: q[z])(e)|r[0] = 5
(lambda **q: q[u("a")])(a=e)|r[0] = 5
sum(u([]), e)|r[0] = 5
sum([[e]], u([]))|r[0][0] = 5
collections.deque([e], u(3))|r[0][0] = 5
collections.deque([e])[z]|r[0] = 5
collections.OrderedDict(a=e)[u("a")]|r[0] = 5
collections.defaultdict(list, {0: e})[z]|r[0] = 5
list({0: e}.values())[z]|r[0] = 5
list(reversed([e]))[z]|r[0] = 5
[e].copy()[z]|r[0] = 5
[[e]][z][0]|r[0] = 5
list(enumerate([e]))[z][1]|r[0] = 5
[e][slice(u(0), 1)]|r[0][0] = 5
[e][u(slice(0, 1))]|r[0][0] = 5
([e] + u([]))[0:1]|r[0][0] = 5
(lambda: e) if t else 3|r()[0] = 5
[lambda: e][z]|r()[0] = 5
b.get if t else 3|r()[0] = 5
(q := [e])[z]|r[0] = 5
list(itertools.islice([e], u(1)))|r[0][0] = 5
list(itertools.repeat(e, u(1)))|r[0][0] = 5
dict.fromkeys([1], e)[u(1)]|r[0] = 5
dict(zip(u([0]), [e]))|r[0][0] = 5
{k: e for k in u([0])}|r[0][0] = 5
[e for k in u([0])]|r[0][0] = 5
tuple(e for k in u([0]))|r[0][0] = 5
vars(b)[u("v")]|r[0] = 5
b.__dict__[u("v")]|r[0] = 5
dict([(0, e)])[z]|r[0] = 5
{0: {0: e}}[0][z]|r[0] = 5
collections.ChainMap({0: e})[z]|r[0] = 5
(e, [2])[z % 1]|r[0] = 5
[e][z if t else 0]|r[0] = 5
[e] + [3] * u(0)|r[0][0] = 5
([e],)[0] + u([])|r[0][0] = 5
{"a": e}.setdefault(u("a"), 4)|r[0] = 5
{}.setdefault(u("a"), e)|r[0] = 5
{"a": 1}.get(u("b"), e)|r[0] = 5
list({"a": e}.items())[z][1]|r[0] = 5
divmod(u(1), 1) + (e,)|r[-1][0] = 5
a.shape + (e,)|r[-1][0] = 5
[e].__getitem__(z)|r[0] = 5
[e].__add__(u([]))|r[0][0] = 5
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_what_is_changed_by_another_name_is_not_known(case: str) -> None:
    expression, _, change = case.rpartition("|")
    lines = [f"r = {expression}", *change.split(";"), "reveal(e[0])", "return a"]
    found = ask(HEAD + "".join(f"    {line}\n" for line in lines))
    assert found is not None, "CPython does not take it"
    assert (found.wrong, found.fault) == ({}, "")
