"""Operations that only one side of a choice computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


"""
KERNEL = """\
@nki.jit
def chosen(x, other=None, wide=True):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x[0:128, 0:64])
    {}
    nl.store(out, t)
    return out
"""


def migrated(folder: Path, text: str) -> Migration:
    (folder / "k.py").write_text(HEAD + text)
    return migrate([folder], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (
            "t = nisa.tensor_tensor(t, nl.load(other), op=nl.add) if other is not None else t",
            """\
    if other != None:
        tile_part = nl.load(other)
        t_tensor_tensor = nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_tensor(
            dst=t_tensor_tensor,
            data1=t,
            data2=tile_part if tile_part.shape == t.shape else nl.broadcast_to(tile_part, t.shape),
            op=nl.add,
        )
        t = t_tensor_tensor
    nl.store(out, t)
""",
        ),
        (
            "t = nisa.reciprocal(t) if wide else nl.exp(t) if other is None else nisa.tensor_copy(t)",
            """\
    if wide:
        t_reciprocal = nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.reciprocal(dst=t_reciprocal, data=t)
        t = t_reciprocal
    else:
        if other == None:
            t = nl.exp(t)
        else:
            t_tensor_copy = nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=t_tensor_copy, src=t)
            t = t_tensor_copy
    nl.store(out, t)
""",
        ),
    ],
    ids=["an operand that may not be there", "one choice inside of another"],
)
def test_a_side_is_computed_where_it_is_chosen(line: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, KERNEL.format(line))
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


def test_what_a_helper_returns_is_chosen_there(tmp_path: Path) -> None:
    helper = "def half(t, wanted):\n    return nisa.tensor_scalar(t, nl.multiply, 0.5) if wanted else t\n\n\n"
    result = migrated(tmp_path, helper + KERNEL.format("t = half(t, wide)"))
    after = result.files[0].after.decode()
    assert "    if wanted:\n        tensor_scalar_tile = nl.ndarray(" in after
    assert "        return tensor_scalar_tile\n    else:\n        return t\n" in after
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (
            "t = nisa.tensor_tensor(t, nisa.tensor_copy(nl.load(other[0:128, 0:64])) if other else t, nl.add)",
            """\
    if other:
        chosen_2 = nl.ndarray((128, 64), dtype=other.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=chosen_2, src=nl.load(other[0:128, 0:64]))
    else:
        chosen_2 = t
""",
        ),
        (
            "t = t * nl.load(other[0:128, 0:1]) if other is not None else t",
            """\
    if other != None:
        t_multiply = nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(
            dst=t_multiply,
            data=t,
            op0=nl.multiply,
            operand0=nl.copy(nl.load(other[0:128, 0:1]), dtype=nl.float32),
        )
        t = t_multiply
    nl.store(out, t)
""",
        ),
        (
            "t[:, 0:64] = t * nl.load(other[0:128, 0:1]) if other is not None else nl.exp(t)",
            """\
    else:
        chosen_2 = nl.exp(t)
    t[:, 0:64] = chosen_2
""",
        ),
        (
            "t += nisa.reciprocal(nl.load(other[0:128, 0:64])) if other is not None else 1.0",
            """\
    if other != None:
        reciprocal_tile = nl.ndarray((128, 64), dtype=other.dtype, buffer=nl.sbuf)
        nisa.reciprocal(dst=reciprocal_tile, data=nl.load(other[0:128, 0:64]))
        nisa.tensor_tensor(dst=t, data1=t, data2=reciprocal_tile, op=nl.add)
    else:
        nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
""",
        ),
        (
            "for u in [nisa.reciprocal(t) if wide else t]:\n        t = u",
            """\
    if wide:
        chosen_2 = nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.reciprocal(dst=chosen_2, data=t)
    else:
        chosen_2 = t
    for u in [chosen_2]:
""",
        ),
        (
            "t = nl.add(t, nl.load(other[0:128, 0:64]) if other is not None else t)",
            "    t = nl.add(t, nl.load(other[0:128, 0:64]) if other != None else t)\n",
        ),
    ],
    ids=["argument", "operator", "part", "sum", "head of a loop", "what needs no tile"],
)
def test_a_choice_that_is_a_part_of_something_has_a_name(line: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, KERNEL.format(line))
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


@pytest.mark.parametrize(
    "line",
    [
        "for u in [nisa.reciprocal(t) if k else t for k in range(1)]:\n        t = u",
        "f = lambda u: nisa.reciprocal(u) if wide else u\n    t = f(t)",
    ],
    ids=["comprehension", "lambda"],
)
def test_a_choice_that_is_made_later_is_left(line: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, KERNEL.format(line))
    assert [k.state for k in result.kernels] == ["left"]
    assert "chosen_2" not in result.files[0].after.decode()


@pytest.mark.parametrize(
    ("line", "new"),
    [
        (
            "u = nl.add(t, nl.load(o) if o is not None else t)",
            "    chosen = nl.load(o) if o != None else t\n"
            "    u = nl.add(t, chosen if chosen.shape == t.shape else nl.broadcast_to(chosen, t.shape))\n",
        ),
        (
            "u = (t if o is None else nl.load(o)) * t",
            "    chosen = t if o == None else nl.load(o)\n"
            "    u = nl.multiply(chosen if chosen.shape == t.shape else nl.broadcast_to(chosen, t.shape), t)\n",
        ),
        (
            "u = t / (nl.load(o) if o is not None else t)",
            "nl.reciprocal(chosen if chosen.shape == t.shape else nl.broadcast_to(chosen, t.shape))",
        ),
        (
            "u = nisa.tensor_tensor(t, nl.load(o) if o is not None else t, op=nl.multiply)",
            "data2=chosen if chosen.shape == t.shape else nl.broadcast_to(chosen, t.shape)",
        ),
    ],
)
def test_a_chosen_operand_is_as_large_as_the_other_one(tmp_path: Path, line: str, new: str) -> None:
    result = migrated_choice(tmp_path, line)
    assert new in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


@pytest.mark.parametrize("line", ["u = nl.add(nisa.reciprocal(t), nl.load(o) if o is not None else t)"])
def test_a_chosen_operand_beside_one_without_a_name_is_left(tmp_path: Path, line: str) -> None:
    result = migrated_choice(tmp_path, line)
    assert [n.text for n in result.files[0].notes if n.letter == "P"] == [
        "what it is chosen from may be of other sizes, and the other operand has no name: give it one"
    ]


def migrated_choice(folder: Path, line: str) -> Migration:
    (folder / "k.py").write_text(
        f"""\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def optional(x, o=None):
    assert x.shape == (128, 128)
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    {line}
    nl.store(out, u)
    return out
"""
    )
    return migrate([folder], Options(), "B1", "0.6")
