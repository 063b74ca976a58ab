"""The contract of audit.json: what the job writes keeps it, and nothing else does."""

from __future__ import annotations

import copy
import json

import pytest

from assay.errors import InputError
from assay.records import STATUSES
from assay.reports import words
from assay.reports.document import AuditDocument, check_audit
from reports.sample import audited, sample_page


@pytest.fixture(scope="module")
def document(page):
    """The document as it is read back from a file."""
    return json.loads(json.dumps(page.audit))


def test_what_the_job_writes_keeps_the_contract(document):
    checked = check_audit(document, "audit.json")
    assert checked.version == "assay.audit/1"
    assert checked.cells[0].stagnation.value == document["cells"][0]["str"]["value"]
    with pytest.raises(ValueError, match="frozen"):
        checked.success_source = None


def test_nothing_is_lost_in_the_model(document):
    checked = AuditDocument.model_validate(document)
    again = checked.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert again == document


@pytest.mark.parametrize(
    "settings",
    [
        {"diagnostics": ("ppe", "rr")},
        {"epsilon": 0.02},
        {"success_at": 1.0, "by": ("seed",)},
        {"fill": "linear", "by": ()},
        {"judge": "ramp"},
    ],
    ids=str,
)
def test_every_kind_of_audit_keeps_the_contract(settings):
    written = json.loads(json.dumps(sample_page(2, **settings).audit))
    assert check_audit(written, "audit.json").judge.name in ("recorded", "ramp")


def test_a_still_segment_keeps_the_contract():
    still = [{"name": "rest", "start_s": 0, "end_s": 3, "kind": "still"}]
    curve = {"t": [0, 1, 2, 3, 4], "progress": [0.1, 0.103, 0.098, 0.101, 1.0], "segments": still}
    page = audited((json.dumps({"episode": "a", "task": "pour", **curve}),))
    assert check_audit(page.audit, "audit.json").epsilon.source == "still segment"


def without(found, key):
    del found[key]


BREAKS = [
    (lambda d: d.update(extra=1), "extra: Extra inputs are not permitted"),
    (lambda d: d.update(schema="assay.audit/2"), "schema: Input should be 'assay.audit/1'"),
    (lambda d: without(d["cells"][0], "mp"), "cells.0.mp: Field required"),
    (lambda d: d["cells"][2].update(n="20"), "cells.2.n: Input should be a valid integer"),
    (lambda d: d["cells"][0].update(n=21), "cells.0: Value error, the statuses do not add up"),
    (lambda d: d["cells"][0]["mp"].update(low=None), "cells.0.mp: Value error, a missing number"),
    (lambda d: d["cells"][0]["mp"].update(low=0.9, high=0.1), "interval runs from 0.9 to 0.1"),
    (lambda d: without(d["cells"][0]["conditioned"], "why"), "either all numbers"),
    (lambda d: d["cells"][0]["mp"].update(value=float("nan")), "should be a finite number"),
    (lambda d: d["cells"][0]["status"].update(fine=0), "cells.0.status.fine"),
    (lambda d: d["epsilon"].update(source="guessed"), "epsilon.source"),
]


@pytest.mark.parametrize(("change", "told"), BREAKS, ids=[told for _, told in BREAKS])
def test_what_breaks_the_contract_is_named_with_its_place(document, change, told):
    broken = copy.deepcopy(document)
    change(broken)
    with pytest.raises(InputError) as refused:
        check_audit(broken, "run/audit.json")
    assert str(refused.value).startswith("run/audit.json: ")
    assert told in str(refused.value)


def test_every_status_has_a_meaning():
    assert set(words.STATUS_MEANINGS) == set(STATUSES) - {"ok"}
