"""The page of findings says only what the rows of the audit show."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "findings.py"


@pytest.fixture(scope="module")
def findings():
    spec = importlib.util.spec_from_file_location("findings", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["findings"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["findings"]


def row(policy, *, success=False, **metrics):
    plain = {"mp": 1.0 if success else 0.5, "ppl": 0.9, "cra": 0.0, "str": 0.1}
    return {"policy": policy, "success_end": success, **plain, **metrics}


def spread(low, high, n=10):
    """Return n numbers from low to high, so that an interval has a width."""
    return [low + (high - low) * i / (n - 1) for i in range(n)]


def test_failures_concentrate_where_most_stop(findings):
    rows = [row("near-miss", mp=mp) for mp in spread(0.8, 0.9)]
    rows += [row("early-stopper", mp=mp) for mp in (*spread(0.1, 0.2, 9), 0.6)]
    shown, text = findings.concentrate(findings.Rows(rows))
    # 10 of 10: Wilson [72, 100]; 9 of 10: [60, 98]. Both lie above one half.
    assert shown
    assert "| near-miss | 10 | 75 to 100 % | 100 [72, 100] (n = 10) % |" in text
    assert "| early-stopper | 10 | 0 to 25 % | 90 [60, 98] (n = 10) % |" in text


def test_policies_without_success_are_told_apart_only_if_they_get_apart(findings):
    far = [row("near-miss", mp=mp) for mp in spread(0.8, 0.9)]
    near = [row("early-stopper", mp=mp) for mp in spread(0.1, 0.2)]
    close = [row("early-stopper", mp=mp) for mp in spread(0.75, 0.9)]
    assert findings.zero_success(findings.Rows(far + near))[0]
    assert not findings.zero_success(findings.Rows(far + close))[0]
    lucky = [row("early-stopper", success=True)]
    assert not findings.zero_success(findings.Rows(far + near + lucky))[0]


def test_narrow_success_is_seldom_and_clean(findings):
    def rows(clean):
        narrow = [row("wrong-object", success=i < 6, ppl=p) for i, p in enumerate(clean)]
        wide = [row("jittery", success=True, ppl=p) for p in spread(0.3, 0.5, 30)]
        return findings.Rows(narrow + wide)

    assert findings.narrow(rows(spread(0.9, 1.0, 20)))[0]
    assert not findings.narrow(rows(spread(0.3, 0.5, 20)))[0]


def test_failing_by_standing_still_differs_from_failing_by_undoing(findings):
    still = [row("hesitant", str=s, cra=0.05 * s) for s in spread(0.7, 0.9)]
    undone = [row("dropper", str=0.1 * s, cra=s) for s in spread(0.2, 0.3)]
    assert findings.kinds(findings.Rows(still + undone))[0]
    swapped = [row("dropper", str=s, cra=0.0) for s in spread(0.7, 0.9)]
    assert not findings.kinds(findings.Rows(still + swapped))[0]


def test_a_finding_that_does_not_show_is_marked_on_the_page(findings):
    rows = findings.Rows(
        [row(policy, mp=mp) for policy in findings.POLICIES for mp in spread(0.4, 0.6)]
    )
    shown, text = findings.page(rows, ["stack-blocks"], "0:10")
    assert not shown
    assert "**This does not show here.**" in text
