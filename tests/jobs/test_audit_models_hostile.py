"""An audit of one clip for each way in which an endpoint can answer, and its resume."""

import io
from collections import Counter
from contextlib import closing
from sqlite3 import connect

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from assay.jobs.audit import AuditSettings, audit
from assay.models.session import ModelSettings
from clips import number_of, write_clip
from model_server import (
    TEXTS,
    ModelServer,
    brackets,
    cut,
    error,
    half_a_body,
    hang,
    refuse,
    say,
    truncated_json,
)
from models_loopback import by_schema, instruct

# What comes back, and the status that the episode ends with.
LOST = {
    "429": error(429, "slow down", retry_after="0.05"),
    "500": error(500, "oops"),
    "hangs": hang(),
    "half a body": half_a_body(),
    "cut connection": cut(),
    "truncated JSON": truncated_json(),
    "brackets without end": brackets(),
    "an error in brackets": brackets(500),
}
SAID = {
    "prose": (say(TEXTS["prose"]), "unparsed"),
    "empty": (say(TEXTS["empty"]), "unparsed"),
    "undecided": (say('{"answer": 0}'), "unparsed"),
    "nan": (say('{"answer": NaN}'), "invalid_value"),
    "wrong option": (say('{"answer": "perhaps"}'), "invalid_value"),
    "broken": (say('{"answer": "+'), "unparsed"),
    "opposite": (say("It is certainly not +1."), "unparsed"),
    "nested": (say('{"answer": ' + "[" * 100_000), "unparsed"),
    "digits": (say('{"answer": 1' + "0" * 5000 + "}"), "unparsed"),
    "half an answer": (say("+", finish="length"), "truncated"),
    "refusal": (refuse(), "refused"),
}
WAYS = {name: (behaviour, "transport") for name, behaviour in LOST.items()} | SAID
NAMES = [*WAYS, "correct", "correct too"]
AGAIN = {"unparsed", "invalid_value"}  # asked three times more, with the fault fed back


def clip_of(asked):
    """Return the number of the clip that is asked about: every frame carries its own."""
    with Image.open(io.BytesIO(asked.pictures[0])) as image:
        return number_of(np.asarray(image)) // 100


def badly(asked):
    name = NAMES[clip_of(asked)]
    return WAYS[name][0] if name in WAYS else by_schema(asked)


@pytest.fixture
def judged(tmp_path):
    """Audit clips of two moments, so of one question each; the same run every time."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for number in range(len(NAMES)):
        write_clip(folder / f"{number:02}.mp4", frames=2, fps=2, first=100 * number)
    instruct(folder)

    def audited(server, judge="vlm-pairwise", **more):
        models = ModelSettings(ledger=tmp_path / "ledger.sqlite", tries=1, timeout_s=2.0)
        options = {"model": f"openai:stub@{server.url}"}
        settings = {"fps": 2.0, "video": "none", "jobs": 1, "judge": judge} | more
        return audit(
            [folder], AuditSettings(tmp_path / "run", options=options, models=models, **settings)
        )

    return audited


def statuses(result):
    rows = pq.read_table(result.out / "episodes.parquet").to_pylist()
    return {NAMES[int(row["episode"])]: row["status"] for row in rows}


def usable(folder):
    with closing(connect(folder / "ledger.sqlite")) as base:
        return base.execute("SELECT count(*) FROM entries WHERE usable").fetchone()[0]


def test_every_way_has_its_status_and_only_failures_are_asked_again(judged, tmp_path):
    with ModelServer(badly) as server:
        first = judged(server)
        came = Counter(NAMES[clip_of(asked)] for asked in server.asked)
        expected = {name: status for name, (_, status) in WAYS.items()}
        assert statuses(first) == {**expected, "correct": "ok", "correct too": "ok"}
        assert came == {name: 4 if expected.get(name) in AGAIN else 1 for name in NAMES}
        assert usable(tmp_path) == 2
        values = pq.read_table(first.out / "curves.parquet").to_pylist()
        assert {v["value"] for v in values if v["status"] != "ok"} == {None}  # never 0
        server.answering = by_schema
        server.asked.clear()
        again = judged(server, retry=True)
        assert Counter(NAMES[clip_of(asked)] for asked in server.asked) == dict.fromkeys(WAYS, 1)
    assert not first.ok
    assert again.ok
    assert set(statuses(again).values()) == {"ok"}
    assert usable(tmp_path) == len(NAMES)


def test_the_scale_before_a_number_is_no_answer(judged):
    # "(0-100): 85" is 85 of 100, so a hop of 0.85 from the start.
    with ModelServer(lambda asked: say(TEXTS["scale"])) as server:
        result = judged(server, judge="vlac", limit=1)
        assert server.count == 1
    (last,) = pq.read_table(result.out / "curves.parquet").to_pylist()[-1:]
    assert (last["status"], last["value"]) == ("ok", pytest.approx(0.85))
