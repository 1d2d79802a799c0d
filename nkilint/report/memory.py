"""The memory map of a kernel, drawn in a terminal: addresses downwards, statements from left to right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from pathlib import Path
from string import ascii_uppercase

from nkilint.base.findings import KernelReport, MemoryMap, Resident, Step
from nkilint_rules.words.records import dataclass

from .places import assignments, shown_path
from .style import Style
from .summary import counted

WIDTH = 60  # steps drawn; more are drawn together
NAMES = {"sbuf": "SBUF", "psum": "PSUM"}
FREE, LOST = ".", "!"


@dataclass(frozen=True, slots=True)
class _Band:
    """Bytes of partitions that the same tensors share."""

    byte: int
    end: int
    partition: int
    last: int


def drawing(kernel: KernelReport, folder: Path, style: Style) -> str:
    """What SBUF and PSUM hold over the statements of `kernel`."""
    title = style.paint(f"{shown_path(kernel.file, folder)}::{kernel.name}", "bold")
    memory = kernel.memory
    if memory is None:
        return f"{title}: nothing is on chip\n"
    drawn = condensed(memory, WIDTH)
    given = assignments(memory.inputs)
    parts = [f"{title} on {memory.target}" + (f", for {given}" if given else "") + "\n"]
    for name, capacity in memory.capacity.items():
        mine = [(letter, r) for letter, r in zip(cycle(ascii_uppercase), drawn.residents) if r.memory == name]
        if mine:
            parts.append(_chip(drawn, name, capacity, mine, style))
    parts.append(
        "Each column is a statement, below its line number. Capitals are written, `!` is read after something else\n"
        "was written over it. Loops are drawn once, tensors from their first write to their last read.\n"
    )
    return "\n".join(parts)


def _chip(memory: MemoryMap, name: str, capacity: int, mine: Sequence[tuple[str, Resident]], style: Style) -> str:
    placed = [(letter, r) for letter, r in mine if r.places]
    others = [(letter, r) for letter, r in mine if not r.places]
    lines = [
        style.paint(NAMES.get(name, name), "bold")
        + f": {capacity} bytes in each partition{_peak(memory, name, placed)}"
    ]
    bands = _bands([r for _, r in placed])
    labels = [_label(band, name, memory.bank_bytes, bands) for band in bands]
    legend = [f"{letter} {_described(r)}" for letter, r in mine]
    margin = max(map(len, [*labels, "line", *(letter for letter, _ in others)]), default=4) + 4
    lines += _head(memory.steps, margin)
    for band, label in zip(bands, labels, strict=True):
        there = [(letter, r) for letter, r in placed if _stands_in(r, band)]
        lines.append(f"  {label.ljust(margin - 2)}{_row(there, len(memory.steps), style)}")
    for letter, resident in others:
        lines.append(f"  {letter.ljust(margin - 2)}{_row([(letter, resident)], len(memory.steps), style)}")
    return "\n".join([*lines, *(f"  {text}" for text in legend), ""])


@dataclass(frozen=True, slots=True)
class Peak:
    """The most bytes of a partition that hold data at once, after the statement on `row`; `whole` says that the sizes
    of all tensors are known."""

    memory: str
    bytes: int
    row: int
    capacity: int
    whole: bool


def peaks(memory: MemoryMap) -> list[Peak]:
    """The peak of each memory that is used. Tensors that the compiler places count as if they shared partitions."""
    found = (_most(memory, name, [r for r in memory.residents if r.memory == name]) for name in memory.capacity)
    return [peak for peak in found if peak is not None]


def _most(memory: MemoryMap, name: str, residents: Sequence[Resident]) -> Peak | None:
    bands = _bands(residents)
    rows = sorted({b.partition for b in bands}) or [0]
    used: list[int] = []
    for step in range(len(memory.steps)):
        there = [r for r in residents if r.marks[step] != " "]
        taken = [b for b in bands if any(_stands_in(r, b) for r in there)]
        placed = max(sum(b.end - b.byte for b in taken if b.partition <= row < b.last) for row in rows)
        used.append(placed + sum(r.bytes * r.tiles for r in there if not r.places))
    if not residents or not used:
        return None
    whole = all(r.places or r.bytes * r.tiles for r in residents)
    return Peak(name, max(used), memory.steps[used.index(max(used))].row, memory.capacity[name], whole)


def _peak(memory: MemoryMap, name: str, placed: Sequence[tuple[str, Resident]]) -> str:
    """How many of the placed bytes of one partition hold data at once at most, and where."""
    most = _most(memory, name, [r for _, r in placed])
    return "" if most is None else f"; at most {most.bytes} of them hold data at once, on line {most.row}"


def _described(resident: Resident) -> str:
    size = f"of {resident.bytes} bytes" if resident.bytes else "of unknown size"
    tiles = counted(resident.tiles, "tile") if resident.tiles else "tiles"
    text = f"{resident.name or 'a tensor'} (line {resident.at.row}): {tiles} {size}"
    if not resident.places:
        return f"{text}, placed by the compiler"
    return text if resident.tiles <= 1 else f"{text} in {counted(len(resident.places), 'place')}"


# --- bands of addresses ---


def _bands(residents: Sequence[Resident]) -> list[_Band]:
    """The bytes that tensors take, cut where one of them begins or ends."""
    places = [place for r in residents for place in r.places]
    rows = sorted({edge for place in places for edge in place[2:]})
    found: list[_Band] = []
    for byte, end in pairwise(sorted({edge for place in places for edge in place[:2]})):
        across = [_Band(byte, end, partition, last) for partition, last in pairwise(rows)]
        taken = [band for band in across if _there(band, residents)]
        found += _joined(taken, residents, lambda a, b: replace(a, last=b.last) if a.last == b.partition else None)
    return _joined(found, residents, _lengthened)


def _lengthened(a: _Band, b: _Band) -> _Band | None:
    alike = a.end == b.byte and (a.partition, a.last) == (b.partition, b.last)
    return replace(a, end=b.end) if alike else None


def _joined(
    bands: Iterable[_Band], residents: Sequence[Resident], join: Callable[[_Band, _Band], _Band | None]
) -> list[_Band]:
    """Neighbours that hold the same tensors are one band."""
    found: list[_Band] = []
    for band in bands:
        whole = join(found[-1], band) if found and _there(found[-1], residents) == _there(band, residents) else None
        if whole is None:
            found.append(band)
        else:
            found[-1] = whole
    return found


def _there(band: _Band, residents: Sequence[Resident]) -> list[int]:
    return [n for n, r in enumerate(residents) if _stands_in(r, band)]


def _covers(place: tuple[int, int, int, int], band: _Band) -> bool:
    byte, end, partition, last = place
    return byte < band.end and band.byte < end and partition < band.last and band.partition < last


def _stands_in(resident: Resident, band: _Band) -> bool:
    return any(_covers(place, band) for place in resident.places)


def _label(band: _Band, memory: str, bank_bytes: int, bands: Sequence[_Band]) -> str:
    digits = len(str(max(b.end for b in bands)))
    text = f"{band.byte:>{digits}} - {band.end - 1:<{digits}}"
    if memory == "psum":
        text = f"bank {band.byte // bank_bytes}: {text}"
    if len({(b.partition, b.last) for b in bands}) > 1:
        text += f" [{band.partition}-{band.last - 1}]"
    return text


# --- columns ---


def condensed(memory: MemoryMap, most: int) -> MemoryMap:
    """The map with at most so many steps: as many neighbours as it takes are drawn as one."""
    each = -(-len(memory.steps) // most)
    if each <= 1:
        return memory
    starts = range(0, len(memory.steps), each)
    residents = [replace(r, marks="".join(_strongest(r.marks[i : i + each]) for i in starts)) for r in memory.residents]
    return replace(memory, steps=tuple(memory.steps[i] for i in starts), residents=tuple(residents))


def _strongest(marks: str) -> str:
    return next((m for m in "!WR-" if m in marks), " ")


def _head(steps: Sequence[Step], margin: int) -> list[str]:
    """Line numbers, written downwards, and the loops around the statements."""
    width = len(str(max(step.row for step in steps)))
    rows = [f"{step.row:>{width}}" for step in steps]
    lines = [" " * margin + "".join(row[digit] for row in rows) for digit in range(width)]
    lines[-1] = "  line".ljust(margin) + lines[-1][margin:]
    for depth in range(max(len(step.loops) for step in steps)):
        lines.append("  loop".ljust(margin) + _loop_line(steps, depth))
    return lines


def _loop_line(steps: Sequence[Step], depth: int) -> str:
    text, before = "", None
    for step in steps:
        inside = step.loops[: depth + 1] if len(step.loops) > depth else None
        text += " " if inside is None else step.loops[depth][0] if inside != before else "-"
        before = inside
    return text


def _row(there: Sequence[tuple[str, Resident]], steps: int, style: Style) -> str:
    return "".join(_cell(there, step, style) for step in range(steps)).rstrip()


def _cell(there: Sequence[tuple[str, Resident]], step: int, style: Style) -> str:
    """What a band holds after a statement: what is written there, else what still is needed, the latest first."""
    marked = [(r.marks[step], letter) for letter, r in reversed(there)]
    for mark, paint, change in (
        ("W", "bold", str.upper),
        ("!", "red", None),
        ("R", "blue", str.lower),
        ("-", "blue", str.lower),
    ):
        for found, letter in marked:
            if found == mark:
                return style.paint(LOST if change is None else change(letter[0]), paint)
    return FREE
