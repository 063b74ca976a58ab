"""What a report says of how far its judge may be believed."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import pytest
from rich.console import Console

from assay.reports._beside import besides
from assay.reports._evidence import alarms, card_facts, judge_notes, passport_line
from assay.reports._pages import episode_page, index_page
from assay.reports.audit_page import write_audit_page
from assay.reports.opening import opening
from assay.reports.tables import to_markdown, to_terminal
from reports.cells import E, audit, cell
from reports.test_beside import beside, order

CARD = {"completion": 0.93, "novel_limit": 0.2, "look": 1, "trained_on": "40 episodes: lift (40)"}
JUDGE = {"name": "prm-mini", "settings": {}, "bound": "cpu", "noise": 0.0123, "files": {}}
NOT_SEEN = (
    "prm-mini has not seen such scenes, and the figures are not evidence: 83.1 [70.2, 91.0] "
    "(n = 20) of 100 moments are unlike anything it was trained on, and its limit is 20.0."
)


def judged(novel=None, **changes):
    """Return an audit of two policies by a learned judge."""
    judge = JUDGE | {"card": CARD, "novel": novel} | changes
    return audit(cell("lift", "act"), cell("lift", "pi0"), judge=judge)


def printed(document):
    text = io.StringIO()
    Console(file=text, width=400).print(to_terminal(document))
    return text.getvalue()


STRANGE = judged(E(0.831, 0.702, 0.91))


def test_the_first_line_everywhere_is_that_it_has_not_seen_such_scenes():
    assert alarms(STRANGE) == [NOT_SEEN]
    assert printed(STRANGE).splitlines()[0].strip() == NOT_SEEN
    assert to_markdown(STRANGE).startswith("**prm-mini has not seen such scenes,")
    for page in (index_page(STRANGE, "Title"), episode_page(STRANGE, "Title")):
        _, _, body = page.partition("<body")
        assert body.index(NOT_SEEN) < min(body.index("<nav"), body.index("<h1"))


def test_a_card_may_name_another_limit():
    kind = judged(E(0.831, 0.702, 0.91), card=CARD | {"novel_limit": 0.9})
    assert alarms(kind) == []
    assert alarms(judged(E(0.21, 0.1, 0.3), card={})) != []  # above 0.2, which holds without one


@pytest.mark.parametrize("novel", [None, E(0.2, 0.1, 0.3), E(0.0, 0.0, 0.1)])
def test_known_scenes_raise_no_alarm(novel):
    assert alarms(judged(novel)) == []
    assert "alarm" not in index_page(judged(novel), "Title")


def test_unseen_groups_are_named_where_the_rest_is_known():
    # a tenth of all moments, but half of those of one policy
    cells = [cell("lift", "act", novel=E(0.5, 0.4, 0.6)), cell("lift", "pi0", novel=E(0.0, 0, 0.1))]
    document = audit(*cells, judge=JUDGE | {"card": CARD, "novel": E(0.1, 0.05, 0.2)})
    (told,) = alarms(document)
    assert told.startswith("prm-mini has not seen scenes such as those of act on “lift”: more than")
    assert told.endswith("and these figures are not evidence.")


def test_the_heading_has_level_noise_and_share():
    document = judged(E(0.031, 0.011, 0.06))
    assert card_facts(document["judge"]) == [
        "completion level 0.93",
        "noise sigma 0.0123",
        "novel moments 3.1 [1.1, 6.0] (n = 20) of 100",
        "trained on 40 episodes: lift (40)",
    ]
    page = index_page(document, "Title")
    assert "completion level 0.93; noise sigma 0.0123; novel moments 3.1 [1.1, 6.0]" in page
    assert "completion level 0.93; noise sigma 0.0123" in printed(document)


def test_a_judge_that_can_not_tell_says_so_and_one_without_a_card_says_nothing():
    assert "novel moments: it can't tell" in card_facts(judged()["judge"])
    assert card_facts(JUDGE) == []


def test_another_look_is_said_with_its_episodes():
    others = {"looks": [2, 3], "episodes": 12}
    told = "12 episodes of worlds with look 2 and 3 count as novel: prm-mini was trained on look 1."
    assert told in card_facts(judged(E(0.1, 0.0, 0.2), other_looks=others)["judge"])
    strange = judged(E(0.831, 0.702, 0.91), other_looks=others)
    assert alarms(strange) == [NOT_SEEN, told]


PASSPORT = {
    "path": "prm-mini.json",
    "summary": "simulated worlds: 14 checks passed, 1 failed (static video)",
    "warnings": ["Its STR is no evidence. (static video, simulated worlds)"],
}


def test_the_heading_carries_the_passport_and_its_warnings():
    document = judged(passport=PASSPORT)
    assert passport_line(document["judge"]) == f"passport: {PASSPORT['summary']}"
    page = index_page(document, "Title")
    assert PASSPORT["summary"] in page
    assert PASSPORT["warnings"][0] in page
    assert judge_notes(document)[0].endswith(f"; passport: {PASSPORT['summary']}.")
    assert judge_notes(document)[1:] == PASSPORT["warnings"]


def test_without_a_passport_the_report_says_how_to_get_one():
    assert passport_line(JUDGE) == "no passport: run `assay certify prm-mini --out passport`"
    page = index_page(audit(cell("t", "p")), "Title")
    assert "no passport: run `assay certify recorded --out passport`" in page
    trained = JUDGE | {"name": "prm-mini:mine", "settings": {"weights": "out/mine"}}
    assert passport_line(trained) == "no passport: run `assay certify out/mine --out passport`"


def test_a_judge_beside_is_doubted_in_its_own_section():
    strange = beside(order(), name="prm-mini", is_null=False)
    strange["judge"] |= {"card": CARD, "novel": E(0.831, 0.702, 0.91), "passport": PASSPORT}
    document = audit(*(cell("lift", policy) for policy in ("a", "b", "c")), beside=[strange])
    assert alarms(document) == []
    section = str(besides(document))
    assert NOT_SEEN in section
    assert f"Passport: {PASSPORT['summary']}." in section


def at_zero(policy, **metrics):
    none = dict.fromkeys(("once", "held", "end"), E(0.0, 0.0, 0.16))
    return cell("lift", policy, success=none, **metrics)


def seconding(name, *values, is_null=False, key="mp"):
    """Return a judge beside that has these means, each with an interval of two points."""
    other = beside(order(), name=name, is_null=is_null)
    for one, value in zip(other["cells"], values, strict=True):
        one[key] = E(value, max(0.0, value - 0.01), min(1.0, value + 0.01))
    return other


def test_the_opening_says_what_truth_and_clock_make_of_two_policies_without_success():
    document = audit(
        at_zero("a", mp=E(0.2, 0.15, 0.25)),
        at_zero("b", mp=E(0.9, 0.85, 0.95)),
        at_zero("c", mp=E(0.55, 0.2, 0.9)),
        beside=[
            seconding("oracle", 0.25, 0.8, 0.5),
            seconding("ramp", 1.0, 1.0, 1.0, is_null=True),
            seconding("mine:eyes", 0.6, 0.5, 0.5),
            seconding("mine:blur", 0.5, 0.51, 0.5),
        ],
    )
    assert (
        "MP by oracle, which knows the truth: 25.0 [24.0, 26.0] against 80.0 [79.0, 81.0], the "
        "same order; by ramp, a null judge that only looks at the clock: 100.0 [99.0, 100.0] "
        "against 100.0 [99.0, 100.0], no difference; by mine:eyes: 60.0 [59.0, 61.0] against "
        "50.0 [49.0, 51.0], the other way round; by mine:blur: 50.0 [49.0, 51.0] against "
        "51.0 [50.0, 52.0], the same order, but the intervals overlap."
    ) in opening(document)


def test_a_pair_that_differs_in_regret_alone_is_told_of_as_well():
    # early stops early; back and near get equally far, but back gives it back
    document = audit(
        at_zero("back", mp=E(0.85, 0.7, 0.95), cra=E(0.3, 0.25, 0.35)),
        at_zero("early", mp=E(0.2, 0.15, 0.25), cra=E(0.0, 0.0, 0.02)),
        at_zero("near", mp=E(0.9, 0.85, 0.95), cra=E(0.01, 0.0, 0.03)),
    )
    told = opening(document)
    assert "early and near have the same success rate, 0.0, but differ in MP" in told
    assert (
        "back and near have the same success rate, 0.0, but differ in CRA (30.0 [25.0, 35.0] "
        "against 1.0 [0.0, 3.0])"
    ) in told


@pytest.mark.browser
def test_novel_moments_are_marked_under_the_curve(page, opened, tmp_path):
    name = page.rows[0]["episode"]
    curve = page.curves[name]
    novel = np.zeros(len(curve.times), dtype=bool)
    novel[3:7] = novel[20:22] = True
    marked = {**page.curves, name: dataclasses.replace(curve, novel=novel)}
    write_audit_page(dataclasses.replace(page, curves=marked), tmp_path)
    tab = opened(tmp_path).goto("episode.html#steady%2Fstack-cups%2F000")
    tab.wait_for_selector(".curve .line-now")
    assert tab.locator(".curve rect.novel").count() == 2
    assert "unlike anything the judge was trained on" in tab.locator(".key").inner_text()
