"""What the standard library's tests need of `test.support`."""

import sys

MAX_Py_ssize_t = sys.maxsize
NHASHBITS = 61
verbose = False
C_RECURSION_LIMIT = 1000
is_wasi = is_emscripten = False
has_fork_support = has_subprocess_support = True


class _AlwaysEqual:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


class _NeverEqual:
    def __eq__(self, other):
        return False

    def __ne__(self, other):
        return True

    def __hash__(self):
        return 1


class _Largest:
    def __eq__(self, other):
        return isinstance(other, _Largest)

    def __lt__(self, other):
        return False

    def __gt__(self, other):
        return not isinstance(other, _Largest)


class _Smallest:
    def __eq__(self, other):
        return isinstance(other, _Smallest)

    def __gt__(self, other):
        return False

    def __lt__(self, other):
        return not isinstance(other, _Smallest)


ALWAYS_EQ = _AlwaysEqual()
NEVER_EQ = _NeverEqual()
LARGEST = _Largest()
SMALLEST = _Smallest()


def cpython_only(function):
    return function


def impl_detail(message=None, **given):
    return cpython_only


def requires_IEEE_754(function):
    return function


def bigmemtest(*args, **kwargs):
    return lambda function: None


def bigaddrspacetest(function):
    return None


def refcount_test(function):
    return None


def gc_collect():
    pass


def check_syntax_error(case, *args, **kwargs):
    pass


def check_free_after_iterating(*args, **kwargs):
    pass


def skip_if_pgo_task(function):
    return function


def captured_stdout():
    raise NotImplementedError
