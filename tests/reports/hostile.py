"""A page made of words that would do harm if they were read as more than words."""

from __future__ import annotations

import numpy as np

from assay.records import Curve
from assay.reports.audit_page import AuditPage, Clip
from reports.cells import E, audit, cell
from reports.sample import make_row

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\"'&"


def hostile_page():
    curve = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array(["ok", "ok"]))
    row = make_row("x/000", HOSTILE, HOSTILE, curve) | {
        "episode": HOSTILE,
        "instruction": HOSTILE,
        "detail": HOSTILE,
    }
    document = audit(
        cell(HOSTILE, HOSTILE, mp=E(None, n=0, why=HOSTILE)),
        judge={"name": HOSTILE, "settings": {HOSTILE: HOSTILE}, "noise": None},
        settings={"fill": HOSTILE},
        inputs=[{"path": HOSTILE, "label": HOSTILE, "format": "csv", "episodes": 1}],
        fingerprints=[
            {
                "task": HOSTILE,
                "policies": [
                    {"policy": HOSTILE, "n_failures": 0, "raw": None, "z": None, "why": HOSTILE}
                ],
            }
        ],
    )
    clips = {HOSTILE: [Clip(HOSTILE, "", 0, None, HOSTILE)]}
    return AuditPage(document, [row], {HOSTILE: curve}, {}, {}, clips, HOSTILE)
