"""Dtypes that nothing specifies, and the dtypes that values name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from nkilint.symbolic.conditions import Cond, Opaque, leaves, opaque_parts, truth_by, with_leaves
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import choose, sym
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.dtypes import DTYPES, DType, dtype_in
from nkilint_rules.words.promotion import promote
from nkilint_rules.words.records import dataclass

from .choices import Either, as_one
from .objects import External, Native

SIZE_OF = "itemsize("
LARGEST = 4  # bytes of an element of what is not specified
REMEMBERED = 1_024  # facts that are not read again


class SymbolicDType:
    """The dtype of an input that nothing specifies, or what becomes of it. Questions about it become assumptions, never
    findings."""

    __slots__ = ("parts", "source")
    kind = "float"

    def __init__(self, source: str, parts: tuple[Any, ...] = ()) -> None:
        self.source = source
        self.parts = parts  # the dtypes that give this one together

    @property
    def name(self) -> str:
        return self.source

    @property
    def itemsize(self) -> Any:
        return sym(f"{SIZE_OF}{self.source})", "input", 1, LARGEST, self.source, never=(3,))

    packed = 1
    is_float = True
    is_integer = False

    def in_set(self, allowed: Any) -> Any:
        return Opaque(f"{self.source} in ({', '.join(sorted(t.name for t in allowed))})", "dtype")

    def same_as(self, other: Any) -> Any:
        return dtype_equal(self, other)

    def promoted(self, other: Any) -> Any:
        """The dtype that operands of this and another one give."""
        if isinstance(other, Unknown):
            return other
        if isinstance(other, ChosenDType):
            return other.with_first(self)
        first, second = sorted((str(self), str(other)))
        return self if first == second else SymbolicDType(f"the dtype that {first} and {second} give", (self, other))

    def __str__(self) -> str:
        return self.source


class ChosenDType(SymbolicDType):
    """One of several dtypes, each under a condition of its own: that of one of several tensors, or what a name stands
    for after a branch."""

    __slots__ = ("ways",)

    def __init__(self, source: str, ways: Iterable[tuple[Any, Any]], parts: tuple[Any, ...] = ()) -> None:
        super().__init__(source, parts)
        self.ways = tuple(ways)

    def _shared(self, name: str) -> Any:
        first, *others = (getattr(dtype, name) for _, dtype in self.ways)
        return first if all(o == first for o in others) else Unknown(f"{self.source} differs")

    @property
    def itemsize(self) -> Any:
        *others, (_, last) = self.ways
        size = last.itemsize
        for condition, dtype in reversed(others):
            if isinstance(size, Unknown) or isinstance(dtype.itemsize, Unknown):
                return Unknown(f"the size of {self.source}")
            size = choose(condition, dtype.itemsize, size)
        return size

    packed = property(lambda self: self._shared("packed"))
    is_float = property(lambda self: self._shared("is_float"))
    is_integer = property(lambda self: self._shared("is_integer"))
    kind = property(lambda self: self._shared("kind"))

    @property
    def hangs_on_dtypes(self) -> bool:
        """Whether dtypes choose between sizes of elements."""
        sizes = {str(dtype.itemsize) for _, dtype in self.ways}
        return len(sizes) > 1 and any(_speaks_of_dtypes(condition) for condition, _ in self.ways)

    def in_set(self, allowed: Any) -> Any:
        return self._each(lambda dtype: dtype_in(dtype, allowed))

    def same_as(self, other: Any) -> Any:
        return self._is(other) or self._each(lambda dtype: dtype_equal(dtype, other))

    def _is(self, other: Any) -> bool:
        """Whether another one is chosen in the same way."""
        if not isinstance(other, ChosenDType) or len(self.ways) != len(other.ways):
            return other is self
        pairs = zip(self.ways, other.ways, strict=True)
        return all(a.key == b.key and (one is two or str(one) == str(two)) for (a, one), (b, two) in pairs)

    def promoted(self, other: Any) -> Any:
        if self._is(other) or isinstance(other, Unknown):
            return other
        ways = ((condition, promote(dtype, other)) for condition, dtype in self.ways)
        return ChosenDType(f"the dtype that {self} and {other} give", ways, (self, other))

    def with_first(self, other: SymbolicDType) -> Any:
        """The dtype that an operand of another dtype and then one of this one give."""
        found = self.promoted(other)
        return ChosenDType(found.source, found.ways, (other, self)) if isinstance(found, ChosenDType) else found

    def _each(self, ask: Callable[[Any], Any]) -> Any:
        return all_of(any_of((negation(condition), ask(dtype))) for condition, dtype in self.ways)


def _speaks_of_dtypes(condition: Any) -> bool:
    return isinstance(condition, Cond) and any(fact.kind == "dtype" for fact in opaque_parts(condition))


def one_dtype(value: Any, sizes: bool = False) -> Any:
    """A value for what takes dtypes and asks for no choice: one of several dtypes is one that is chosen. With `sizes`,
    what the size of its elements decides is known."""
    ways = list(_ways(value, True))
    if len(ways) < 2 or not all(isinstance(dtype, (DType, SymbolicDType)) for _, dtype in ways):
        return as_one(value)
    chosen = ChosenDType(" or ".join(dict.fromkeys(str(dtype) for _, dtype in ways)), ways)
    return as_one(value) if sizes and chosen.hangs_on_dtypes else chosen


def _ways(value: Any, condition: Any) -> Iterator[tuple[Any, Any]]:
    """What a value may be, and where it is that."""
    if type(value) is Either and isinstance(value.condition, Cond):
        yield from _ways(value.then, all_of((condition, value.condition)))
        yield from _ways(value.otherwise, all_of((condition, negation(value.condition))))
    else:
        yield condition, _where(condition, as_dtype(value))


def _where(condition: Any, dtype: Any) -> Any:
    """A dtype where a condition holds, which may say which one it is."""
    for fact in leaves((condition,)):
        if type(dtype) is SymbolicDType and isinstance(fact, Opaque) and fact.kind == "dtype" and not fact.negated:
            sides, _ = read_fact(fact.name)
            named = [side for side in sides if side in DTYPES]
            if named and dtype.source in sides:
                return DTYPES[named[0]]
    return dtype


@dataclass(frozen=True, slots=True)
class FloatLimits:
    """What `finfo` says of a floating-point type."""

    dtype: Any


def dtype_equal(a: Any, b: Any) -> Any:
    """Whether two dtypes are the same: decided for known ones, an input's choice else."""
    if isinstance(a, DType) and isinstance(b, DType):
        return a == b
    for value in (a, b):
        if isinstance(value, Unknown):
            return value
    for one, other in ((a, b), (b, a)):
        if isinstance(one, ChosenDType):
            return one.same_as(other)
    names = sorted((str(a), str(b)))
    return True if names[0] == names[1] else Opaque(f"{names[1]} == {names[0]}", "dtype")


@lru_cache(REMEMBERED)
def read_fact(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """What a fact about dtypes speaks of: the sides of an equation, or what has one of some dtypes, and their names."""
    source, within, names = text.partition(" in (")
    return ((source,), frozenset(names[:-1].split(", "))) if within else (tuple(text.split(" == ")), frozenset())


def told_by(condition: Any, known: Iterable[str]) -> Iterator[Any]:
    """What the facts about dtypes in a condition tell of the sizes of elements, and of `known` ones about the same."""
    for fact in leaves((condition,)):
        if isinstance(fact, Opaque) and fact.kind == "dtype" and not fact.negated and len(sources_of(fact.name)) > 1:
            one, other = (SymbolicDType(source).itemsize for source in sources_of(fact.name))
            yield one == other
        names = [part.name for part in opaque_parts(fact)] if _speaks_of_dtypes(fact) else []
        sources = {source for name in names for source in sources_of(name)}
        if len(sources) == 1:
            (source,) = sources
            left = [d for d in DTYPES.values() if met_by(fact, {source: d}) is not False]
            sizes = {d.itemsize for d in left}
            if len(sizes) == 1:
                yield SymbolicDType(source).itemsize == sizes.pop()
            for name in known:
                if name not in names and sources_of(name) == (source,):
                    holds = _holds_for_each(name, source)
                    truths = {holds[d.name] for d in left}
                    if len(truths) == 1 and None not in truths:
                        yield Opaque(name, "dtype", negated=False in truths)


def named_in(fact: str) -> list[str]:
    """The names of dtypes that a fact about dtypes mentions."""
    sides, admitted = read_fact(fact)
    return [name for name in (*sides, *sorted(admitted)) if name in DTYPES]


@lru_cache(REMEMBERED)
def sources_of(fact: str) -> tuple[str, ...]:
    """What has the dtypes that a fact about dtypes speaks of."""
    return tuple(side for side in read_fact(fact)[0] if side not in DTYPES)


def holds_of(fact: str, chosen: Mapping[str, DType]) -> bool | None:
    """Whether a fact about dtypes is true where these are the dtypes; None of others."""
    sides, admitted = read_fact(fact)
    first, *others = (chosen.get(side, DTYPES.get(side)) for side in sides)
    if admitted:
        return None if first is None else first.name in admitted
    return None if first is None or None in others else all(other is first for other in others)


@lru_cache(REMEMBERED)
def _holds_for_each(fact: str, source: str) -> Mapping[str, bool | None]:
    """Whether a fact is true, by the dtype of what it speaks of."""
    return {name: holds_of(fact, {source: dtype}) for name, dtype in DTYPES.items()}


def met_by(condition: Any, chosen: Mapping[str, DType]) -> bool | None:
    """Whether a condition is true where these are the dtypes; None where that hangs on other things, too."""

    def known(fact: Any) -> bool | None:
        if not isinstance(fact, Opaque) or fact.kind != "dtype":
            return fact if isinstance(fact, bool) else None
        found = holds_of(fact.name, chosen)
        return None if found is None else found != fact.negated

    return truth_by(condition, known)


def under(condition: Any, chosen: Mapping[str, DType]) -> Any:
    """What is left of a condition where these are the dtypes."""

    def left(part: Any) -> Any:
        known = met_by(part, chosen)
        return part if known is None else known

    return with_leaves(condition, left)


def named_for(source: str, conditions: Iterable[Any]) -> Iterator[DType]:
    """The dtypes that conditions name for what `source` is the dtype of, and leave to it."""
    conditions = list(conditions)
    facts = [fact.name for c in conditions for fact in opaque_parts(c) if fact.kind == "dtype"]
    named = {name for fact in facts if source in sources_of(fact) for name in named_in(fact)}
    for name in sorted(named):
        if all(met_by(c, {source: DTYPES[name]}) is not False for c in conditions):
            yield DTYPES[name]


def sizes_by_dtype(conditions: Iterable[Any]) -> Iterator[Any]:
    """How large elements are by the dtypes that conditions name, where these speak of both."""
    conditions = [c for c in conditions if isinstance(c, Cond)]
    sized = {v.source for v in variables(*conditions) if v.kind == "input" and v.name.startswith(SIZE_OF)}
    for source in sorted(sized):
        dtype, named = SymbolicDType(source), list(named_for(source, conditions))
        if any(given.itemsize > LARGEST for given in named):
            continue
        is_one = [dtype_equal(dtype, given) for given in named]
        has_size = [dtype.itemsize == given.itemsize for given in named]
        if any(_is_one_of_some(fact, source) for fact in leaves(conditions)):
            yield any_of(map(all_of, zip(is_one, has_size, strict=True)))
        else:
            yield from (any_of((negation(one), size)) for one, size in zip(is_one, has_size, strict=True))


def _is_one_of_some(fact: Any, source: str) -> bool:
    """Whether a fact leaves to `source` the dtypes that it names and no others."""
    if not isinstance(fact, Opaque) or fact.kind != "dtype" or fact.negated:
        return False
    return source in sources_of(fact.name) and bool(named_in(fact.name))


_SPELLINGS = {
    "float8_e4m3": frozenset({"float8e4", "float8_e4m3"}),
    "float8_e5m2": frozenset({"float8e5", "float8_e5m2"}),
}
"""Dtypes of which no page says what `str` gives, and what it may be."""


def written_as(dtype: Any, texts: Iterable[str], dialect: str) -> Any:
    """Whether `str` of a dtype gives one of `texts`: of one with a single name it does in `nki`, and of no dtype the
    name of another."""
    left = set(texts)
    found: list[Any] = []
    for name, spellings in _SPELLINGS.items():
        if spellings <= left:
            found.append(dtype_equal(dtype, DTYPES[name]))
            left -= spellings
    return any_of([*found, *(_written(dtype, text, dialect) for text in sorted(left))])


def _written(dtype: Any, text: str, dialect: str) -> Any:
    spelt = next((name for name, spellings in _SPELLINGS.items() if text in spellings), text)
    named = DTYPES.get(spelt)
    if isinstance(dtype, DType) and named is not None and dtype is not named:
        return False
    if named is None or dialect != NKI or spelt in _SPELLINGS:
        return Unknown(f"whether `str` of `{dtype}` is {text!r}")
    return dtype_equal(dtype, named)


def known_dtype(name: str) -> DType | None:
    return DTYPES.get({"bool_": "bool", "half": "float16", "double": "float64", "single": "float32"}.get(name, name))


_DTYPE_MODULES = ("numpy", "torch", "jax.numpy", "ml_dtypes", "neuron_dtypes", "neuronxcc.starfish.support.dtype")
_DTYPE_ALIASES = {
    "bool_": "bool",
    "bool": "bool",
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "long": "int64",
    "float8_e4m3fn": "float8_e4m3fn",
    "int": "int32",
    "short": "int16",
}


def as_dtype(value: Any) -> Any:
    """The dtype that a value names, or None."""
    if isinstance(value, (DType, SymbolicDType)):
        return value
    if isinstance(value, str):
        return known_dtype(value)
    if isinstance(value, External):
        module, _, leaf = value.name.rpartition(".")
        if module in _DTYPE_MODULES:
            return DTYPES.get(_DTYPE_ALIASES.get(leaf, leaf))
        if value.name == "builtins.float":
            return DTYPES["float32"]
    if isinstance(value, Native) and value.name in ("bool", "int", "float"):
        return DTYPES.get({"bool": "bool", "int": "int32", "float": "float32"}[value.name])
    return None
