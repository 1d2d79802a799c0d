"""z3 behind conditions: satisfiability within a work limit, and values read from models."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from math import inf
from typing import Any

from nkilint.symbolic import And, Atom, Compare, Cond, FloorDiv, Ite, Opaque, Or, Power, Sym, Var
from nkilint.symbolic.atoms import Int, bounds
from nkilint.symbolic.evaluation import opaques, variables
from nkilint.symbolic.operators import OPERATORS
from nkilint.symbolic.work import charge, note

from .sampling import Found

SEED = 7
QUERY = 300  # units of work for a query
READ = 5  # for a truth that is read from a model
SHARE = 8  # of what z3 counts are about a unit of work
ANSWERED = 2  # times less is counted where there is an answer
PATIENCE = 10  # queries that may spend all of their work; later ones get a part of it
PART = 8
EXPONENTS = 20  # of two, whose powers are spelled out
KEPT = 256 << 20  # bytes that this process keeps rather than to give them back
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
LAST_RESORT = 30_000  # milliseconds: some steps of z3 come to no end and count nothing


@cache
def _z3() -> Any:
    """z3, within the memory that this process keeps."""
    import z3  # takes long: many a run needs no solver

    _keep_memory()
    return z3


def _keep_memory() -> None:
    """Have this process keep the memory of one context for the next: each takes and clears 16 MiB, and to be given them
    anew by the system, page by page, takes longer than all that most kernels ask of it."""
    with suppress(OSError, TypeError, AttributeError):  # only the allocator of glibc gives so much back
        tell = ctypes.CDLL(None).mallopt
        tell(_M_MMAP_THRESHOLD, 32 << 20)  # the most that it takes
        tell(_M_TRIM_THRESHOLD, KEPT)


class Solver:
    """One z3 solver that answers one question after the other; `None` means that the work limit was spent."""

    def __init__(self, work: int) -> None:
        self.z3 = z3 = _z3()
        self.work = work
        self.queries = 0
        self.spent = 0  # queries that came to no end
        self.counted = 0  # by z3, of the work of all queries
        self._context = z3.Context()  # of its own: what was asked before must not sway it
        self._reference = self._context.ref()
        self._sort = z3.IntSort(self._context).ast
        self._solver = z3.Solver(ctx=self._context)
        self._solver.set("random_seed", SEED)
        self._solver.set("rlimit", work)
        self._solver.set("timeout", LAST_RESORT)
        self._terms: dict[Atom, Any] = {}
        self._needs: dict[Atom, tuple[list[Any], list[Atom]]] = {}
        self._opaque: dict[Any, Any] = {}
        self._told = Counter[str]()
        self._conditions: dict[Any, Any] = {}
        self._powers: list[Any] = []  # the exponents of powers of two

    def satisfiable(self, conditions: Sequence[Cond], found: Found | None = None) -> bool | None:
        """Whether some values meet all `conditions`; those are kept among the `found` ones."""
        with _Scope(self._solver):
            self.assume(conditions)
            answer = self.check()
            if answer is True and found is not None:
                found.keep(self.values(variables(*conditions)), self.truths(conditions))
            return answer

    def assume(self, conditions: Iterable[Cond | bool], variables: Iterable[Var] = ()) -> None:
        """Add `conditions`, the constant bounds of the variables in them (and of `variables`) and the meaning of
        divisions, until the scope is left. Symbolic bounds of variables are the caller's to add."""
        seen: set[Atom] = set()
        self._add_needs(variables, seen)
        for condition in conditions:
            self.add(self.condition(condition))
            if isinstance(condition, Cond):
                for expression in condition.expressions():
                    self._add_needs(expression.atoms(), seen)

    def add(self, term: Any) -> None:
        """Assume `term`, until the scope is left."""
        self.z3.Z3_solver_assert(self._reference, self._solver.solver, term.ast)

    def variable(self, variable: Var) -> Any:
        """`variable` as a term."""
        return self._term(variable)

    def check(self, *extra: Any) -> bool | None:
        self.queries += 1
        charge(QUERY)
        before = self.counted
        answer = self._solver.check(*extra)
        self.counted = self._count()
        done = (self.counted - before) // SHARE
        if answer == self.z3.unknown:
            charge(done)
            self.spent += 1
            if self.spent == PATIENCE:
                self._solver.set("rlimit", self.work // PART)
        else:
            note(done // ANSWERED)
        if answer == self.z3.sat and not all(map(self._is_exact, self._powers)):
            exact = self._solver.check(*extra, *[exponent < EXPONENTS for exponent in self._powers])
            answer = exact if exact == self.z3.sat else self.z3.unknown
        return True if answer == self.z3.sat else False if answer == self.z3.unsat else None

    def _count(self) -> int:
        """What z3 has counted so far."""
        z3, context = self.z3, self._reference
        statistics = z3.Z3_solver_get_statistics(context, self._solver.solver)
        z3.Z3_stats_inc_ref(context, statistics)
        try:
            for place in reversed(range(z3.Z3_stats_size(context, statistics))):
                if z3.Z3_stats_get_key(context, statistics, place) == "rlimit count":
                    return int(z3.Z3_stats_get_uint_value(context, statistics, place))
            return self.counted
        finally:
            z3.Z3_stats_dec_ref(context, statistics)

    def _is_exact(self, exponent: Any) -> bool:
        """Whether the power of two with that exponent has its value in the model."""
        return bool(self._solver.model().eval(exponent, model_completion=True).as_long() < EXPONENTS)

    def scope(self) -> _Scope:
        """Within it, assumptions are temporary."""
        return _Scope(self._solver)

    def values(self, variables: Iterable[Var]) -> dict[Var, int]:
        """The numbers in the model of the last satisfiable check."""
        model = self._solver.model()
        return {v: model.eval(self._term(v), model_completion=True).as_long() for v in variables}

    def truths(self, conditions: Iterable[Cond]) -> Mapping[Any, bool]:
        """The truths of the opaque facts in `conditions` in the model of the last satisfiable check."""
        terms = {part.identity: self._opaque[part.identity] for part in opaques(*conditions)}
        if not terms:
            return {}
        charge(READ * len(terms))
        model = self._solver.model()
        return {fact: bool(self.z3.is_true(model.eval(term, model_completion=True))) for fact, term in terms.items()}

    def _add_needs(self, atoms: Iterable[Atom], seen: set[Atom]) -> None:
        pending = list(atoms)
        while pending:
            atom = pending.pop()
            if atom in seen:
                continue
            seen.add(atom)
            self._term(atom)
            needs, inner = self._needs[atom]
            for need in needs:
                self.add(need)
            pending += inner

    # --- translation ---

    def condition(self, condition: Cond | bool) -> Any:
        """`condition` as a term."""
        if isinstance(condition, bool):
            return self.z3.BoolVal(condition, self._context)
        known = self._conditions.get(condition.key)
        if known is None:
            known = self._conditions[condition.key] = self._translated(condition)
        return known

    def _translated(self, condition: Cond) -> Any:
        if isinstance(condition, Compare):
            positive = self.integer(Sym({m: c for m, c in condition.left.terms.items() if c > 0}, 0))
            negative = self.integer(
                Sym({m: -c for m, c in condition.left.terms.items() if c < 0}, -condition.left.const)
            )
            make = self.z3.Z3_mk_ge if condition.relation == ">=" else self.z3.Z3_mk_eq
            term = self.z3.BoolRef(make(self._reference, positive.ast, negative.ast), self._context)
            return self.z3.Not(term) if condition.relation == "!=" else term
        if isinstance(condition, (And, Or)):
            join = self.z3.And if isinstance(condition, And) else self.z3.Or
            return join(*[self.condition(part) for part in condition.parts])
        assert isinstance(condition, Opaque)
        term = self._opaque.get(condition.identity)
        if term is None:
            told = f"{condition.name} ({condition.number}; {', '.join(map(str, condition.of))})"
            self._told[told] += 1
            name = f"opaque {told}" + "'" * (self._told[told] - 1)  # loops of one name are several
            term = self._opaque[condition.identity] = self.z3.Bool(name, self._context)
        return self.z3.Not(term) if condition.negated else term

    def integer(self, value: Int) -> Any:
        """`value` as a term."""
        if isinstance(value, int):
            return self._number(value)
        pieces = []
        for mono, c in value.terms.items():
            factors = [self._term(atom) for atom in mono]
            pieces.append(self._joined("mul", factors if c == 1 else [self._number(c), *factors]))
        if value.const or not pieces:
            pieces.append(self._number(value.const))
        return self._joined("add", pieces)

    # z3's own wrappers check and coerce every operand, which takes longer than most queries: these two do not.

    def _number(self, value: int) -> Any:
        return self.z3.IntNumRef(self.z3.Z3_mk_numeral(self._reference, str(value), self._sort), self._context)

    def _joined(self, operator: str, terms: list[Any]) -> Any:
        if len(terms) == 1:
            return terms[0]
        operands = (self.z3.Ast * len(terms))(*[term.ast for term in terms])
        make = self.z3.Z3_mk_add if operator == "add" else self.z3.Z3_mk_mul
        return self.z3.ArithRef(make(self._reference, len(terms), operands), self._context)

    def _term(self, atom: Atom) -> Any:
        term = self._terms.get(atom)
        if term is None:
            needs: list[Any] = []
            term = self._make(atom, needs)
            inner = [a for child in atom.children() for a in child.atoms()]
            self._terms[atom] = term
            self._needs[atom] = (needs, inner)
            if isinstance(atom, Var):
                low, high = atom.bounds
                needs += [term >= int(low)] if low > -inf else []
                needs += [term <= int(high)] if high < inf else []
        return term

    def _make(self, atom: Atom, needs: list[Any]) -> Any:
        if isinstance(atom, Var):
            return self.z3.Int(f"{atom.name} {atom.uid}", self._context)
        if isinstance(atom, Ite):
            return self.z3.If(self.condition(atom.condition), self.integer(atom.then), self.integer(atom.otherwise))
        if isinstance(atom, Power):
            return self._power(atom, needs)
        left, right = (self.integer(operand) for operand in atom.operands)
        if isinstance(atom, FloorDiv) and isinstance(atom.divisor, Sym):
            # Spelled out: z3's own division by a term brings in a case for zero that slows it down.
            quotient = self.z3.Int(f"quotient {atom.uid}", self._context)
            multiple = right * quotient
            up, down = [multiple <= left, left < multiple + right], [multiple >= left, left > multiple + right]
            if bounds(atom.divisor)[0] >= 1:
                needs += up
            else:  # nothing is said of a quotient by zero
                needs += [self.z3.Implies(right >= 1, self.z3.And(*up)), self.z3.Implies(right < 0, self.z3.And(*down))]
            return quotient
        return OPERATORS[atom.operator].z3(left, right)

    def _power(self, atom: Power, needs: list[Any]) -> Any:
        """A power of two: exact for the exponents that tiles have, and at least that large beyond them."""
        exponent, found = self.integer(atom.exponent), self.z3.Int(f"power {atom.uid}", self._context)
        implies = self.z3.Implies
        self._powers.append(exponent)
        needs += [implies(exponent < 0, found == 0)]
        needs += [implies(exponent == n, found == 2**n) for n in range(EXPONENTS)]
        needs += [implies(exponent >= EXPONENTS, found >= 2**EXPONENTS)]
        return found


class _Scope:
    def __init__(self, solver: Any) -> None:
        self._solver = solver

    def __enter__(self) -> None:
        self._solver.push()

    def __exit__(self, *_: object) -> None:
        self._solver.pop()
