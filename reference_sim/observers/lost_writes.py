"""Results of an iteration that the next one overwrites, where nothing reads them before the loop ends (NKI708).

Nothing is lost of a value that builds on the iteration before, such as a running sum, or that is the same each time.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM
from reference_sim.machine.dtypes import Array
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import RESULTS, Storage
from reference_sim.machine.program import Program, running
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, here
from reference_sim.report.strictness import Strictness
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.deferred import KINDS, look
from reference_sim.tensors.deferred_sums import carry_out
from reference_sim.tensors.elements import accessed
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .carried import UNKNOWN, WHOLE, Content, Key, RunningLoop, overlap, part_of, read_part_of
from .loops import LoopObserver
from .overwritten import shares_bytes
from .protocol import Follower, follow

COPIES = 8  # of copies that are followed back
MANY = 1024  # places of a tensor that statements write, of which each is followed

Statement = tuple[int, int, Key]
"""A statement, by the number of its code object, which takes long to hash itself, and the part of a tensor that it
writes. What is known of a statement keeps its code, so that no other takes its number."""


class Held:
    """What is in a tensor until something else is written to it: how often it was read, and what it is a copy of."""

    __slots__ = ("copied", "depth", "reads")

    def __init__(self, copied: Held | None = None) -> None:
        self.reads, self.depth, self.copied = 0, 0, copied
        if copied is not None:
            self.depth = copied.depth + 1
            self.copied = copied if self.depth < COPIES else None

    @property
    def is_read_elsewhere(self) -> bool:
        """Whether a copy of it is not all that is made of it."""
        return self.reads > 1 or (self.copied is not None and self.copied.is_read_elsewhere)


class Last:
    """When a statement last wrote to a part of a tensor, and what, where that may be compared with what follows."""

    __slots__ = ("clock", "site", "source", "values")

    def __init__(self, clock: int, site: Site, source: Held | None) -> None:
        self.clock, self.site, self.source = clock, site, source
        self.values: int | None = None


class Losing:
    """A statement that overwrites what it wrote in the iteration before, or makes anew the tile that it made there: how
    often, and whether with other values."""

    __slots__ = ("earlier", "is_made_anew", "pairs", "site", "storage", "values", "varies", "view")

    def __init__(self, storage: Storage, site: Site, view: Array | None, is_made_anew: bool = False) -> None:
        self.storage, self.site, self.view, self.is_made_anew = storage, site, view, is_made_anew
        self.pairs, self.varies = 0, False
        self.values: int | None = None  # of a tile that is made anew, in the iteration before
        self.earlier: list[ref[Storage]] = []  # the tiles that were made before

    @property
    def is_kept(self) -> bool:
        """Whether the program still has a tile of an earlier iteration, as in a list: it may read that later."""
        return any(each() is not None for each in self.earlier)


class Account(RunningLoop):
    """A loop that runs, with the statements in it that may lose something, and those that make a tile in each iteration
    of which none was read yet; None for others that make tiles."""

    __slots__ = ("losing", "made")

    def __init__(self, loop: Loop, clock: int, around: list[Account]) -> None:
        super().__init__(loop, clock, around)
        self.losing: dict[tuple[int, Statement], Losing] = {}
        self.made: dict[tuple[int, int], Losing | None] = {}


class Writes(Content):
    """What is known of a tensor that is used while loops run: besides its content, when it was last read, what was
    written to its parts by which statements, and, after a loop, what that left of what all of its iterations wrote."""

    __slots__ = ("held", "last", "lost", "seen")

    def __init__(self, clock: int = 0, bits: int = 0, copied: Held | None = None) -> None:
        self.clock, self.bits, self.parts = clock, bits, None  # as `Content` does: this is for every tile
        self.seen = 0
        self.held = Held(copied)
        self.last: dict[Statement, Last] | None = None
        self.lost: dict[Statement, tuple[Loop, Losing]] | None = None

    def tell(self, storage: Storage, view: Array | None, strictness: Strictness | None = None) -> None:
        """Something reads a part: what a loop left of it is all that it reads."""
        for loop, losing in self.take_out(storage, view):
            related = [("the loop", loop.site)]
            said = LostWrite.anew if losing.is_made_anew else LostWrite.message
            complain(said(tensor=name_of(losing.storage), loop=loop.name), losing.site, related, strictness)

    def take_out(self, storage: Storage, view: Array | None) -> list[tuple[Loop, Losing]]:
        """What loops left in a part, which is followed no longer."""
        lost = self.lost or {}
        keys = [key for key, (_, losing) in lost.items() if overlap(storage, view, losing.view)]
        return [lost.pop(key) for key in keys]


class Rewritten(Follower):
    """A tensor that statements in loops write to, which may lose something."""

    __slots__ = ("known",)

    def __init__(self, known: Writes) -> None:
        self.known = known

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        if self.known.lost:
            self.known.tell(tensor.storage, part_of(tensor, where)[1])

    def used(self, tensor: Tensor, current: Program) -> None:
        if self.known.lost:
            self.known.tell(tensor.storage, part_of(tensor)[1])

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        if self.known.lost:
            self.known.take_out(tensor.storage, part_of(tensor, where)[1])

    def looked(self, tensor: Tensor) -> None:
        current = running()
        if current is not None:
            self.known.seen = current.clock
            self.known.tell(tensor.storage, None)


def judge_returned(storage: Storage, strictness: Strictness) -> None:
    """The host reads a tensor."""
    known: Writes | None = storage.notes
    if known is not None:
        known.tell(storage, None, strictness)


def _writes_of(storage: Storage) -> Writes:
    known: Writes | None = storage.notes
    if known is None:  # of a result whose operands no iteration carried: it is new, and the program's own
        known = storage.notes = Writes(storage.birth if storage.kind in RESULTS else 0)
    return known


class LostWrites(LoopObserver[Account]):
    """Follows tensors while loops run whose iterations come in order."""

    AT_TIMES = ("iterated", "began", "read", "used", "wrote", "gave", "allocated", "reinterpreted")

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.carried = 0  # the loops that carried something into what the present operation reads
        self.sources: list[Held] | None = None  # what it copies, if it is a copy
        self.operands: Operands | None = None  # of the present operation
        self.target: Storage | bool | None = None  # what alone it writes to, if anything; True until somebody asks
        self.written: frozenset[Key] | None = None  # the parts that it writes, once somebody has asked

    def notes_of(self, loop: Loop) -> Account | None:
        return Account(loop, self.program.clock, self.loops) if loop.ordered else None

    def judge_loop(self, account: Account) -> None:
        """What each of its iterations overwrote is lost, if anything reads there."""
        for (_, statement), losing in account.losing.items():
            storage = losing.storage
            known = _writes_of(storage)
            unread = losing.pairs == account.loop.number and known.seen < account.began
            if losing.varies and unread and not (storage.placed and shares_bytes(storage)):
                known.lost = {**(known.lost or {}), statement: (account.loop, losing)}
        for number, made in account.made.items():
            if made is None or made.pairs != account.loop.number or made.is_kept:
                continue
            if self._is_lost(made, account) and made.varies:
                known = _writes_of(made.storage)
                known.lost = {(*number, None): (account.loop, made)}
                follow(made.storage, Rewritten(known))

    def _make(self, storage: Storage) -> None:
        """A statement makes a tile, perhaps in the place of the one that it made in the iteration before."""
        account, site = self.loops[-1], storage.site
        if site is None:
            return
        number = id(site[0]), site[1]
        made = account.made.get(number)
        if made is None:
            first = number not in account.made and account.loop.number == 0
            account.made[number] = Losing(storage, site, None, is_made_anew=True) if first else None
        elif (
            made.storage.birth < account.started
            and made.storage.birth >= account.previous
            and self._is_lost(made, account)
        ):
            made.earlier.append(ref(made.storage))
            made.storage = storage
            made.pairs += 1
        else:
            account.made[number] = None

    def _is_lost(self, made: Losing, account: Account) -> bool:
        """Whether nothing but what writes to the tile has read it, and no earlier iteration had part in it."""
        known = _writes_of(made.storage)
        bits = known.bits
        for _, other, _ in (known.parts or {}).values():
            bits |= other
        if known.seen or bits & account.bit:
            return False
        if not made.varies:
            values = _content(made.storage)
            made.varies = made.values is not None and values != made.values
            made.values = values
        return made.varies or account.loop.number <= 1

    def began(self, operands: Operands | None) -> None:
        self.operands, self.written = operands, None
        if operands is None:
            self.target, self.carried, self.sources = None, 0, []
            return
        entry = operands.entry
        self.target = True if entry.targets else None
        self.carried = UNKNOWN if operands.plan.opaque else 0
        self.sources = [] if entry.name in LostWrite.copies else None

    def used(self, tensor: Tensor, where: Where, operands: Operands | None = None) -> None:
        storage = tensor.storage
        known: Writes = storage.notes or _writes_of(storage)
        if self.target is True:
            self.target = self._only_target()
        if storage is not self.target or not self._goes_on(tensor, where):
            known.seen = self.program.clock
        known.held.reads += 1
        if self.sources is not None and storage.memory != HBM:
            self.sources.append(known.held)
        of_others = storage.kind == "shared" and self.program.launch.turns is not None
        untouched = known.clock < self.loops[0].began and known.parts is None and tensor._array is not None
        if self.carried == UNKNOWN or (untouched and not of_others):
            return
        key, view = read_part_of(tensor, where)
        if key is None or of_others:  # another core may write to it
            self.carried = UNKNOWN
        else:
            self.carried |= known.carried(storage, key, view, self.loops)

    read = used

    def _targets(self) -> list[Any]:
        """What the present operation writes to."""
        assert self.operands is not None
        arguments = self.operands.arguments
        return [target for name in self.operands.entry.targets if (target := arguments.get(name)) is not None]

    def _only_target(self) -> Storage | None:
        """The one tensor that the present operation writes to, if it writes to nothing else."""
        targets = self._targets()
        if len(targets) < 2:
            return targets[0].storage if targets and isinstance(targets[0], Tensor) else None
        storages = {t.storage if isinstance(t, Tensor) else None for t in targets}
        return storages.pop() if len(storages) == 1 else None

    def _goes_on(self, tensor: Tensor, where: Where) -> bool:
        """Whether the present operation writes what it reads of a tensor, as far as that can be told."""
        if self.written is None:
            self.written = frozenset(part_of(target)[0] for target in self._targets())
        read = part_of(tensor, where)[0]
        return read is None or not self.written.isdisjoint((None, WHOLE, read))

    def allocated(self, storage: Storage, filled: bool) -> None:
        storage.notes = Writes(self.program.clock, self.carried)
        if storage.memory != HBM and self.program.dialect != BETA1:
            self._make(storage)

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        if self.carried or self.sources or tile.storage.kind not in RESULTS:
            tile.storage.notes = Writes(self.program.clock, self.carried, self._source() if self.sources else None)

    def _source(self) -> Held | None:
        return self.sources[0] if self.sources is not None and len(self.sources) == 1 else None

    def reinterpreted(self, tensor: Tensor, storage: Storage) -> None:
        self.carried = 0
        self.used(tensor, None)
        self.allocated(storage, True)

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        storage = target.storage
        known: Writes = storage.notes or _writes_of(storage)
        key, view = part_of(target, where)
        if key is not None and storage.birth < self.loops[-1].started and self.program.launch.turns is None:
            self._again(target, where, key, view, known)
        known.put(key, view, self.program.clock, self.carried)
        known.held = Held(self._source())

    def _again(self, target: Tensor, where: Where, key: Key, view: Array | None, known: Writes) -> None:
        """A statement writes, perhaps over what it wrote in the iteration before."""
        storage = target.storage
        site = here(5)  # an assignment has the fewest frames from here to `Tensor.__setitem__`
        statement = (id(site[0]), site[1], key) if site is not None else (0, 0, key)
        if known.last is None:
            follow(storage, Rewritten(known))
        if known.last is None or len(known.last) > MANY:
            known.last = {}
        before = known.last.get(statement)
        now = known.last[statement] = Last(self.program.clock, site, self._source())
        losing = None if before is None else self._losing(storage, statement, view, before, known)
        if (losing is not None and not losing.varies) or self._may_be_lost(known):
            now.values = _values(target, where)
        if losing is not None and before is not None and None not in (before.values, now.values):
            losing.varies = losing.varies or before.values != now.values

    def _losing(
        self, storage: Storage, statement: Statement, view: Array | None, before: Last, known: Writes
    ) -> Losing | None:
        """A loop's account of a statement that writes over what it wrote in the iteration before, unread until here."""
        for account in self.loops:
            if account.began <= before.clock < account.started:
                break
        else:
            return None
        if before.clock < account.previous:
            return None
        if self.carried & account.bit or known.seen >= account.began or self._is_meant(before):
            return None
        key = (id(storage), statement)
        losing = account.losing.get(key)
        if losing is None:
            losing = account.losing[key] = Losing(storage, before.site, view)
        losing.pairs += 1
        return losing if losing.pairs == account.loop.number else None

    def _is_meant(self, before: Last) -> bool:
        """Whether it was a copy of what something else reads too."""
        return before.source is not None and before.source.is_read_elsewhere

    def _may_be_lost(self, known: Writes) -> bool:
        """Whether this is the first iteration of a loop that has not read the tensor."""
        for one in self.loops:  # noqa: SIM110 (a generator takes twice as long)
            if one.loop.number == 0 and known.seen < one.began:
                return True
        return False


def _content(storage: Storage) -> int:
    """The same for all of a tensor."""
    if storage.put_off is not None:
        carry_out(storage)
    array: Any = storage.array
    return hash(array.tobytes())


def _values(target: Tensor, where: Where) -> int:
    """A number for what is in a part of a tensor: the same for the same elements."""
    if target.storage.put_off is not None:
        carry_out(target.storage)
    if target.access is not None and isinstance(target.access, KINDS):
        look(target)
    view, positions = accessed(target, where)
    array: Any = target.storage.array
    return hash((array.reshape(-1)[positions] if view is None else view).tobytes())
