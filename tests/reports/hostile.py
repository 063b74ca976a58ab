"""A page made of words that would do harm if they were read as more than words."""

from __future__ import annotations

import numpy as np

from assay.records import Curve
from assay.reports.audit_page import AuditPage, Clip
from reports.cells import E, audit, cell, row

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\"'&"


def hostile_page():
    curve = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array(["ok", "ok"]))
    told = {"instruction": HOSTILE, "detail": HOSTILE}
    rows = [row(HOSTILE, HOSTILE, HOSTILE, curve) | told]
    document = audit(
        cell(HOSTILE, HOSTILE, mp=E(None, n=0, why=HOSTILE)),
        judge={"name": HOSTILE, "settings": {HOSTILE: HOSTILE}, "bound": "cpu", "noise": None},
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
    return AuditPage(document, rows, {HOSTILE: curve}, {}, {}, clips, HOSTILE)
