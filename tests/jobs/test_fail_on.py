"""Rules that stop a data pipeline."""

import pytest

from assay.errors import UnknownNameError, UsageError
from assay.jobs._fail_on import rule_of
from assay.records import Event

GRAVE = Event("physical_plausibility", "object_floating", 0.0, 1.0, 4.0, confidence=0.6)


@pytest.mark.parametrize(
    ("text", "meets"),
    [
        ("severity>=4", True),
        ("severity > 4", False),
        ("severity<5", True),
        ("confidence>=0.7", False),
        ("type==object_floating", True),
        ("type!=object_floating", False),
        ("dimension==visual_quality", False),
    ],
)
def test_a_rule_is_about_an_event(text, meets):
    rule = rule_of(text)
    assert rule.meets(GRAVE) is meets
    assert rule_of(str(rule)) == rule


def test_a_number_that_is_not_known_meets_no_rule():
    assert not rule_of("confidence<1").meets(Event("visual_quality", "blur", 0, 1, 3.0))


@pytest.mark.parametrize("text", ["severity", "severity=>4", "severity>=x", "type>=blur", "", "4"])
def test_what_is_no_rule_is_told_what_one_looks_like(text):
    with pytest.raises(UsageError, match="such as 'severity>=4'"):
        rule_of(text)


def test_unknown_names_and_numbers_out_of_range_are_named():
    with pytest.raises(UnknownNameError, match=r"'sevrity'.*Did you mean 'severity'"):
        rule_of("sevrity>=4")
    with pytest.raises(UnknownNameError, match=r"'blurr'.*Did you mean 'blur'"):
        rule_of("type==blurr")
    with pytest.raises(UsageError, match=r"severity lies in 1\.\.5"):
        rule_of("severity>=7")
