"""Holds every rule to the form: names, page, examples and messages."""

from __future__ import annotations

import importlib
import pkgutil
import re
from string import Formatter

import pytest

import nkilint_rules
from nkilint_rules.catalogue import rules
from nkilint_rules.dataflow.uninitialised_read import UninitialisedRead
from nkilint_rules.rule import Example, Rule, fields_of, wording
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.targets import TARGETS

from ..support.example_source import CLOSE, OPEN, parses, source_of

RULES = list(rules().values())
FAMILIES = {
    "0": "tool",
    "1": "limits",
    "2": "operands",
    "3": "indexing",
    "4": "placement",
    "5": "lifetime",
    "6": "parallel",
    "7": "dataflow",
    "8": "language",
    "9": "migration",
}
HEADINGS = ["What it does", "Why is this bad?", "How to fix", "Source"]
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def examples(rule: type[Rule]) -> list[Example]:
    return [*rule.invalid, *rule.valid]


def templates(rule: type[Rule]) -> list[str]:
    """What the rule says, with the names of the values in place of them, be they words or negative numbers."""
    return [
        said(**{name: kind("{" + name + "}") for name in said.values}).text()
        for said in rule.wordings.values()
        for kind in (str, Negative)
    ]


class Negative(int):
    """A negative number that is printed as a name."""

    def __new__(cls, name: str) -> Negative:
        made = super().__new__(cls, -1)
        made.name = name
        return made

    def __format__(self, spec: str) -> str:
        return self.name


@each_rule
def test_code_and_name_have_their_form(rule: type[Rule]) -> None:
    assert re.fullmatch(r"NKI\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", rule.name())


@each_rule
def test_file_is_named_for_the_rule_and_stands_in_its_family(rule: type[Rule]) -> None:
    package, family, module = rule.__module__.split(".")
    assert (package, family, module) == ("nkilint_rules", FAMILIES[rule.code[3]], rule.name().replace("-", "_"))


def test_one_file_holds_one_rule() -> None:
    modules = [rule.__module__ for rule in RULES]
    assert len(modules) == len(set(modules))


@each_rule
def test_page_has_the_headings_in_order(rule: type[Rule]) -> None:
    page = rule.__doc__ or ""
    first = page.strip().splitlines()[0]
    assert first.endswith("."), "the first line is a sentence"
    assert re.findall(r"^ *## (.+)$", page, re.MULTILINE) == HEADINGS
    for section in re.split(r"^ *## .+$", page, flags=re.MULTILINE)[1:]:
        assert section.strip(), "a heading without text"


@each_rule
def test_message_mentions_what_is_there(rule: type[Rule]) -> None:
    assert "message" in rule.wordings
    for template in templates(rule):
        assert fields_of(template), template
        assert not template.endswith("."), template
        asked = template.replace("please report it", "")
        assert not re.search(r"\b(invalid|must|please)\b", asked, re.IGNORECASE), template


def test_help_speaks_of_values_that_every_wording_is_given() -> None:
    with pytest.raises(TypeError, match=r"Broken.message has no `size`, which the help speaks of"):

        class Broken(Rule):
            help = "make it {size}"

            @wording
            def message(self, tensor: object) -> str:
                return f"`{tensor}` is too large"


def test_conditional_wording_has_the_values_of_the_message() -> None:
    with pytest.raises(TypeError, match=r"Broken.conditional speaks of other values than its message"):

        class Broken(Rule):
            @wording
            def message(self, tensor: object) -> str:
                return f"`{tensor}` is too large"

            @wording
            def conditional(self, size: object) -> str:
                return f"{size} is too much"


def test_help_that_hangs_on_an_unknown_value_is_left_out() -> None:
    class Fine(Rule):
        help = "place it at {place}"

        @wording
        def message(self, tensor: object, place: object = None) -> str:
            return f"`{tensor}` is overwritten"

    assert Fine.message(tensor="t").help() == ""
    assert Fine.message(tensor="t", place=4).help() == "place it at 4"


@each_rule
def test_precedence_names_rules(rule: type[Rule]) -> None:
    assert all(re.fullmatch(r"NKI\d{3}", code) and code != rule.code for code in rule.before)


@each_rule
def test_rules_that_judge_calls_say_so(rule: type[Rule]) -> None:
    assert rule.judges_calls == (rule.check is not Rule.check)


@each_rule
def test_there_are_examples_in_each_dialect(rule: type[Rule]) -> None:
    assert rule.invalid
    assert rule.valid
    assert {e.dialect for e in rule.invalid} == {e.dialect for e in rule.valid} == set(rule.dialects)
    assert {e.target for e in examples(rule)} <= set(TARGETS)


@each_rule
def test_invalid_examples_mark_one_span(rule: type[Rule]) -> None:
    for example in rule.invalid:
        assert (example.code.count(OPEN), example.code.count(CLOSE)) == (1, 1), example.code
        assert source_of(example)[1] is not None
    for example in rule.valid:
        assert OPEN not in example.code
        assert example.message is None
        assert example.precondition is None


@each_rule
def test_at_least_one_example_states_its_message(rule: type[Rule]) -> None:
    free_text = rule.code in ("NKI001", "NKI003", "NKI004")  # what they say depends on the parser or on the count
    assert free_text or any(example.message for example in rule.invalid)


@each_rule
def test_examples_have_messages_of_the_rule(rule: type[Rule]) -> None:
    for example in rule.invalid:
        if example.message is not None and not rule.judges_calls:
            assert any(re.fullmatch(pattern(t), example.message) for t in templates(rule)), example.message


def pattern(template: str) -> str:
    return "".join(
        re.escape(text) + (".+" if name is not None else "") for text, name, _, _ in Formatter().parse(template)
    )


@each_rule
def test_examples_parse(rule: type[Rule]) -> None:
    broken = rule.invalid if rule.code == "NKI001" else []
    for example in examples(rule):
        assert parses(example) == (example not in broken), example.code


@each_rule
def test_dialects_are_known(rule: type[Rule]) -> None:
    assert set(rule.dialects) <= {BETA1, NKI}


def test_every_module_of_the_rulebook_imports() -> None:
    for info in pkgutil.walk_packages(nkilint_rules.__path__, "nkilint_rules."):
        importlib.import_module(info.name)


# Errors of the Beta 1 compiler (`api/nki.errors.rst`) and the rule that reports each. Errors about direct allocation,
# scopes, outputs, control flow and parallel loops belong to rules that stand in other families.
DOCUMENTED_ERRORS = {
    "err_1d_arange_not_supported": "NKI302",
    "err_activation_bias_invalid_type": "NKI202",
    "err_activation_scale_invalid_type": "NKI202",
    "err_activation_scale_scalar_or_vector": "NKI205",
    "err_annotation_shape_mismatch": "NKI204",
    "err_cannot_assign_to_index": "NKI305",
    "err_cannot_update_immutable_parameter": "NKI207",
    "err_copy_dynamic_indirect_indices_not_natively_supported": "NKI306",
    "err_exceed_max_supported_dimension": "NKI105",
    "err_failed_to_infer_tile_from_local_tensor": "NKI107",
    "err_hbm_tensor_with_init_value_not_supported": "NKI209",
    "err_indirect_indices_free_dim": "NKI306",
    "err_leading_dimension_of_tensor_must_be_partition": "NKI107",
    "err_nki_api_outside_of_nki_kernel": "NKI805",
    "err_num_partition_exceed_arch_limit": "NKI101",
    "err_num_partition_mismatch": "NKI203",
    "err_size_of_dimension_exceed_arch_limit": "NKI102",
    "err_store_dst_shape_smaller_than_other_shape": "NKI204",
    "err_tensor_access_out_of_bound": "NKI301",
    "err_unsupported_memory": "NKI201",
    "err_unsupported_mixing_basic_advanced_tensor_indexing": "NKI303",
}


@pytest.mark.parametrize(("error", "code"), DOCUMENTED_ERRORS.items())
def test_documented_errors_are_named_by_their_rule(error: str, code: str) -> None:
    rule = rules()[code]
    assert error in rule.aws
    assert BETA1 in {example.dialect for example in rule.invalid}
    assert f"`{error}`" in (rule.__doc__ or ""), "the page names the error, which is what users search for"


@pytest.mark.parametrize(("tensor", "said"), [("acc", "`acc`"), ("the tile", "the tile"), ("a tensor", "a tensor")])
def test_what_has_no_name_is_not_quoted(tensor: str, said: str) -> None:
    text = UninitialisedRead.message(element=[0, 0], tensor=tensor).text()
    assert text == f"element [0, 0] of {said} is read before anything is written to it"
