"""`unittest` for programs whose assertions are looked at one by one: each tells `reveal` whether it holds."""


class SkipTest(Exception):
    pass


class Raised:
    def __init__(self, kind):
        self.kind = kind
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.exception = error
        found = kind is not None and issubclass(kind, self.kind)
        reveal(found)
        return found


class Within:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return False


class TestCase:
    longMessage = True
    maxDiff = None

    def __init__(self, name="runTest"):
        self.name = name

    def setUp(self):
        pass

    def tearDown(self):
        pass

    def id(self):
        return self.name

    def addCleanup(self, function, *args, **kwargs):
        pass

    def subTest(self, message=None, **values):
        return Within()

    def skipTest(self, reason):
        raise SkipTest(reason)

    def fail(self, message=None):
        raise AssertionError(message)

    def assertEqual(self, first, second, msg=None):
        reveal(bool(first == second))

    def assertNotEqual(self, first, second, msg=None):
        reveal(bool(first != second))

    def assertTrue(self, value, msg=None):
        reveal(bool(value))

    def assertFalse(self, value, msg=None):
        reveal(not value)

    def assertIs(self, first, second, msg=None):
        reveal(first is second)

    def assertIsNot(self, first, second, msg=None):
        reveal(first is not second)

    def assertIsNone(self, value, msg=None):
        reveal(value is None)

    def assertIsNotNone(self, value, msg=None):
        reveal(value is not None)

    def assertIn(self, item, items, msg=None):
        reveal(item in items)

    def assertNotIn(self, item, items, msg=None):
        reveal(item not in items)

    def assertIsInstance(self, value, kind, msg=None):
        reveal(isinstance(value, kind))

    def assertNotIsInstance(self, value, kind, msg=None):
        reveal(not isinstance(value, kind))

    def assertLess(self, first, second, msg=None):
        reveal(bool(first < second))

    def assertLessEqual(self, first, second, msg=None):
        reveal(bool(first <= second))

    def assertGreater(self, first, second, msg=None):
        reveal(bool(first > second))

    def assertGreaterEqual(self, first, second, msg=None):
        reveal(bool(first >= second))

    def assertCountEqual(self, first, second, msg=None):
        left = list(second)
        for item in first:
            left.remove(item)
        reveal(not left)

    def assertRaises(self, kind, function=None, *args, **kwargs):
        if function is None:
            return Raised(kind)
        raised = False
        try:
            function(*args, **kwargs)
        except kind:
            raised = True
        reveal(raised)

    def assertRaisesRegex(self, kind, text, function=None, *args, **kwargs):
        if function is None:
            return Raised(kind)
        raised = False
        try:
            function(*args, **kwargs)
        except kind:
            raised = True
        reveal(raised)

    assertListEqual = assertTupleEqual = assertSetEqual = assertDictEqual = assertEqual
    assertSequenceEqual = assertMultiLineEqual = assertEqual


def skip(reason):
    return skipped


def skipped(function):
    return None


def skipIf(condition, reason):
    return skipped if condition else kept


def skipUnless(condition, reason):
    return kept if condition else skipped


def kept(function):
    return function


expectedFailure = skipped


def main(*args, **kwargs):
    pass
