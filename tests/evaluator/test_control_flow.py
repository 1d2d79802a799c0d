"""`match`, `try`, `with` and one-sided operators, held against CPython: what is decided is right, and how much is."""

from __future__ import annotations

import pytest

from ..support.differential import kernel_source
from ..support.oracle import Answer, ask

DECIDED = {
    "values": """
        x = 0
        match n:
            case 1:
                x = 1
            case 2 | 3:
                x = 2
            case k if k > 4:
                x = k
            case _:
                x = 9
        reveal(x)""",
    "sequences": """
        p = (n, [m, 2])
        match p:
            case (1, [a, b]):
                x = a + b
            case (a, [b, *rest]):
                x = a * b + len(rest)
        reveal(x)""",
    "mappings": """
        d = {'k': n, 'l': 2}
        match d:
            case {'absent': _}:
                x = 0
            case {'k': v, **rest}:
                x = v + len(rest)
        reveal(x)""",
    "types": """
        match n:
            case str():
                x = 0
            case int(q):
                x = q
        match 'a':
            case str() as s:
                x += len(s)
        reveal(x)""",
    "objects": """
        class P:
            __match_args__ = ('a', 'b')
            def __init__(self, a, b):
                self.a, self.b = a, b
        match P(n, 3):
            case P(1, b):
                x = b
            case P(a, b=3):
                x = a
        reveal(x)""",
    "names that stay bound where a guard fails": """
        match n:
            case k if k > 100:
                pass
            case _:
                k += 1
        reveal(k)""",
    "literals": """
        match None:
            case False:
                x = 1
            case None:
                x = 2
        match -1:
            case -1:
                x += n
        reveal(x)""",
    "returns from cases": """
        def f(v):
            match v:
                case 1:
                    return 10
                case _:
                    v += 1
            return v
        reveal(f(n))""",
    "conditions of several parts": """
        x = 1 if n > 2 and m > 1 or not n == 1 else 2
        reveal(x)""",
    "numbers where a comparison goes first": """
        reveal(1 if (n > 2 and m) else 0)""",
    "a body that raises nothing": """
        try:
            x = 5
        except ValueError:
            x = 6
        else:
            x += n
        finally:
            y = x
        reveal(y)""",
    "exits that swallow nothing": """
        class D:
            def __enter__(self): return n
            def __exit__(self, *error): pass
        with D() as y:
            x = y
        reveal(x)""",
}
OPEN = {
    "effects of one side": """
        xs = []
        n > 2 and xs.append(1)
        reveal(len(xs))
        xs.append(2) if n > 3 else None
        reveal(len(xs))""",
    "values of one side": """
        reveal(n > 2 and 1)
        reveal(n == 2 or 5)
        reveal(n > 2 and n or m)""",
    "assertions that are handled": """
        x = 0
        try:
            assert n > 2
            x = 1
        except AssertionError:
            x = 2
        reveal(x)
        reveal(n > 2)""",
    "handlers by type": """
        try:
            raise ValueError
        except KeyError:
            x = 1
        except (ValueError, TypeError):
            x = 2
        reveal(x)""",
    "a body that stops": """
        xs = [1]
        try:
            xs.append(n)
            xs[n + 5]
            xs.append(2)
        except IndexError:
            pass
        reveal(len(xs))""",
    "suppressed exceptions": """
        import contextlib
        x = 1
        with contextlib.suppress(AssertionError):
            assert n > 3
            x = 7
        reveal(x)
        reveal(n > 3)""",
    "exits that swallow": """
        class C:
            def __enter__(self): return self
            def __exit__(self, *error): return True
        x = 1
        with C():
            x = 2
            assert n > 2
            x = 3
        reveal(x)""",
    "exceptions of callees": """
        def f(v):
            if v > 2:
                raise ValueError
            return v
        x = 0
        try:
            x = f(n)
        except ValueError:
            x = 9
        reveal(x)""",
    "names in alternatives": """
        match (n, m):
            case (1, a) | (a, 1):
                x = a
            case _:
                x = 0
        reveal(x)""",
}


def answer_to(body: str) -> tuple[Answer, int]:
    """What came of a program, and how much it asks."""
    lines = [line[8:] for line in body.strip("\n").splitlines()]
    answer = ask(kernel_source("\n".join(lines)))
    assert answer is not None
    return answer, sum("reveal(" in line for line in lines)


@pytest.mark.parametrize("name", DECIDED)
def test_what_is_decided_as_in_cpython(name: str) -> None:
    answer, asked = answer_to(DECIDED[name])
    told = f"{DECIDED[name]}\nunknown, by row: {answer.unknown}"
    assert (answer.wrong, answer.fault, len(answer.right)) == ({}, "", asked), told


@pytest.mark.parametrize("name", OPEN)
def test_what_is_right_or_open(name: str) -> None:
    answer, _ = answer_to(OPEN[name])
    assert (answer.wrong, answer.fault) == ({}, "")


GROUPS = {
    "handlers": """
        x, y = 0, 0
        try:
            x = 1
        except* ValueError:
            x = 2
        else:
            x += n
        try:
            if n > 2:
                raise ValueError
            y = 1
        except* (KeyError, IndexError):
            y = 2
        except* ValueError:
            y = 3
        finally:
            x += m
        try:
            try:
                raise KeyError
            except* KeyError as e:
                raise ValueError
        except ValueError:
            x += 10
        except Exception:
            x += 20
        reveal(x)
        reveal(y)""",
    "handlers that raise": """
        x = 0
        try:
            try:
                raise ValueError
            except* ValueError:
                raise
        except ValueError:
            x = 1
        except BaseException:
            x = 2
        reveal(x)""",
    "what nothing takes": """
        x = 0
        try:
            try:
                if n > 2:
                    raise OSError
                x = n
            except* ValueError:
                x = m
        except OSError:
            x = 4
        reveal(x)""",
}
"""What Python takes from 3.11 on."""


@pytest.mark.skipif("sys.version_info < (3, 11)", reason="this Python has no `except*`")
@pytest.mark.parametrize("name", GROUPS)
def test_handlers_of_groups_are_as_in_cpython(name: str) -> None:
    answer, asked = answer_to(GROUPS[name])
    assert (answer.wrong, answer.fault, len(answer.right)) == ({}, "", asked), answer.unknown
