"""Events as models give them: whatever it is, it is an event or has a reason why it is none."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.glitches.reports import (
    REASONS,
    ClipReport,
    Invalid,
    event_as_json,
    event_in,
    read_reports,
    write_reports,
)
from assay.episodes.glitches.taxonomy import taxonomy
from assay.errors import InputError
from assay.judges._event_lists import EventList
from assay.models.answers import Unusable
from assay.records import Event
from glitches_made import event

HUGE = 10**400  # JSON has whole numbers of any length, and floats end at 1.8e308
NUMBERS = st.floats(-2.0, 12.0) | st.integers(-(10**310), 10**310) | st.floats()
NAMES = st.sampled_from([*taxonomy().dimensions, *taxonomy().types]) | st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
WHOLE = Event("", "", 0, 0, 1, confidence=1, secondary=("",), frames_s=(0,))
FIELDS = st.sampled_from(list(event_as_json(WHOLE)))
SPOILT = st.dictionaries(FIELDS, JSON, max_size=2).map(lambda told: {**event(), **told})


@given(SPOILT | JSON, st.floats(0.0, 10.0) | st.just(math.nan))
def test_any_json_is_an_event_or_says_why_not(one, length):
    found = event_in(one, length)
    if isinstance(found, Invalid):
        assert found.reason in REASONS
        assert found.detail
    else:
        assert event_in(json.loads(json.dumps(event_as_json(found))), length) == found


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"dimension": ["visual_quality"]}, "unknown_dimension"),
        ({"dimension": {"name": "visual_quality"}}, "unknown_dimension"),
        ({"dimension": None}, "unknown_dimension"),
        ({"dimension": 3}, "unknown_dimension"),
        ({"kind": ["blur"]}, "unknown_type"),
        ({"secondary": [["visual_quality"]]}, "unknown_dimension"),
        ({"severity": HUGE}, "bad_severity"),
        ({"end": HUGE}, "bad_span"),
        ({"start": -HUGE}, "bad_span"),
        ({"confidence": HUGE}, "malformed"),
        ({"frames_s": [HUGE]}, "malformed"),
        ({"severity": "3"}, "bad_severity"),
        ({"severity": True}, "bad_severity"),
    ],
)
def test_what_models_plausibly_say_has_a_reason(told, reason):
    found = event_in(event(**told), 5.0)
    assert isinstance(found, Invalid)
    assert found.reason == reason
    assert len(found.detail) < 800


def test_an_event_cites_moments_of_its_clip_alone():
    told = event(frames_s=[-5, 0, 2.5, 5.01, 999.0])
    assert event_in(told, 5.0).frames_s == (0.0, 2.5, 5.01)  # an end may be rounded up a little
    assert event_in(told).frames_s == (0.0, 2.5, 5.01, 999.0)  # nothing tells where it ends


@pytest.mark.parametrize("bad", [{"dimension": ["visual_quality"]}, {"severity": HUGE}])
def test_one_such_event_leaves_the_others_of_its_clip(bad):
    text = json.dumps({"events": [event(), event(**bad)]})
    read = EventList("events", tuple(taxonomy().dimensions), 5.0, tries=1)
    with pytest.raises(Unusable, match="An event can't be meant"):  # the model is told
        read(text)
    found = read(text)
    assert [type(one) for one in found.events] == [Event]
    assert len(found.invalid) == 1


def test_what_was_set_aside_comes_back_as_it_was_written(tmp_path):
    bad = (Invalid("bad_span", "it ends before it starts"), Invalid("unknown_type", "b"))
    said = [ClipReport("a", invalid=bad), ClipReport("b")]
    write_reports(tmp_path / "r.jsonl", said)
    assert list(read_reports(tmp_path / "r.jsonl").values()) == said
    assert "invalid" not in (tmp_path / "r.jsonl").read_text().splitlines()[1]


@pytest.mark.parametrize(
    "told",
    [3, "bad_span", ["bad_span"], [{"reason": "odd"}], [{"reason": "bad_span", "detail": 1}]],
)
def test_a_list_of_what_was_set_aside_has_reasons(tmp_path, told):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"clip": "a", "events": [], "invalid": told}))
    with pytest.raises(InputError, match=r"row 1: 'invalid' is a list of \{reason, detail\}"):
        read_reports(path)
