"""The NKI compiler's names for errors lead to rules, or to what is known of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nkilint.cli import main
from nkilint_rules import vendor
from nkilint_rules.catalogue import rules


@pytest.mark.parametrize(
    ("given", "name", "codes"),
    [
        ("err_num_partition_mismatch", "err_num_partition_mismatch", ["NKI203"]),
        ("num_partition_mismatch", "err_num_partition_mismatch", ["NKI203"]),
        ("SCH713", "SCH713", ["NKI502", "NKI503"]),
        ("NCC_SCH713", "SCH713", ["NKI502", "NKI503"]),
        ("[SCH713] Violation of accumulation group interleaving", "SCH713", ["NKI502", "NKI503"]),
        ("earg001", "NCC_EARG001", ["NKI607"]),
        ("[INTERNAL_ERROR] [NCC_INKI016] Kernel validation exception: K", "NCC_INKI016", ["NKI807"]),
        (
            "E: invalid access of 32 partitions starting at partition 16",
            "Invalid access of N partitions starting at partition M",
            ["NKI106"],
        ),
        ("NCC_EVRF065", "NCC_EVRF065", []),
    ],
)
def test_a_name_leads_to_its_rules(given: str, name: str, codes: list[str]) -> None:
    found = vendor.meant(given)
    assert found is not None
    assert (found.name, [rule.code for rule in found.rules]) == (name, codes)


def test_every_name_of_a_rule_is_known() -> None:
    for rule in rules().values():
        for name in rule.aws:
            found = vendor.meant(name)
            assert found is not None
            assert rule in found.rules


def test_every_name_has_a_rule_or_a_cause_with_its_page() -> None:
    assert len(vendor.names()) > 40
    for name in vendor.names().values():
        assert bool(name.rules) != bool(name.cause and name.page), name


def test_a_page_says_whose_name_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "err_num_partition_mismatch"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        "`err_num_partition_mismatch` of the NKI compiler is this:\n\n# NKI203 partition-mismatch\n"
    )


def test_several_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "SCH713"]) == 0
    assert [line[:23] for line in capsys.readouterr().out.splitlines()[2:]] == [
        "- `nkilint rule NKI502`",
        "- `nkilint rule NKI503`",
    ]


def test_names_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--output-format", "json", "SCH713"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["vendor"], [r["code"] for r in found["rules"]]) == ("SCH713", ["NKI502", "NKI503"])
    assert main(["rule", "--output-format", "json", "--vendor"]) == 0
    assert [n["vendor"] for n in json.loads(capsys.readouterr().out)] == list(vendor.names())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("NCC_IBIR158", "is not explained on the vendor's public pages, so no rule is known to be about the same"),
        ("NCC_IBIR158", "the nearest name that is explained there is `NCC_EBIR023`"),
        ("err_tensor_access", "`err_tensor_access_out_of_bound`"),
        ("NKI1", "there are NKI101, NKI102"),
        ("partition-limt", "did you mean `partition-limit`"),
    ],
)
def test_what_is_not_known_is_said_so(capsys: pytest.CaptureFixture[str], given: str, told: str) -> None:
    assert main(["rule", given]) == 2
    assert told in capsys.readouterr().err


def test_the_index_has_every_name(root: Path) -> None:
    text = (root / "docs/rules/vendor.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in vendor.names())
