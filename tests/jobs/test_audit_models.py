"""An audit whose judge asks a model: what is kept of the calls, what they took, what is new."""

import json

import pyarrow.parquet as pq
import pytest

from assay.errors import UsageError
from assay.jobs.audit import AuditSettings, audit, plan
from assay.jobs.replay import replay
from assay.judges import make_judge
from assay.models.session import ModelSettings
from killed import OUTSIDE, files_of
from model_server import ModelServer, error, refuse, say
from models_loopback import by_schema, write_instructed

# A clip of 16 frames at 8 a second has the moments 0, 0.5, 1, 1.5 and 1.875 s at 2 a second: five
# moments, and four hops from one to the next.
CLIPS, HOPS = 2, 4


@pytest.fixture
def clips(tmp_path):
    return write_instructed(tmp_path / "clips", CLIPS)


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text("[stub]\ninput = 10.0\noutput = 100.0\n")  # USD per million tokens
    return path


@pytest.fixture
def judged(clips, tmp_path):
    """Audit with a model behind a server; the ledger is the same in all audits of a test."""

    def audited(server, name, *, do=audit, **more):
        asked = {"ledger": tmp_path / "ledger.sqlite", "tries": 1, **more.pop("models", {})}
        options = {"model": f"openai:stub@{server.url}", **more.pop("options", {})}
        settings = {"fps": 2.0, "video": "none", "jobs": 1, "judge": "vlm-pairwise"} | more
        models = ModelSettings(**asked)
        return do(
            [clips], AuditSettings(tmp_path / name, options=options, models=models, **settings)
        )

    return audited


def calls_of(result):
    return pq.read_table(result.out / "calls.parquet").to_pylist()


def test_every_call_is_kept_with_its_episode_its_frames_and_its_reply(judged):
    with ModelServer(by_schema) as server:
        result = judged(server, "run")
    calls = calls_of(result)
    assert [(c["episode"], c["number"]) for c in calls] == [
        (f"clip{clip}", number) for clip in range(CLIPS) for number in range(HOPS)
    ]
    third = calls[2]
    # The third hop is asked with the start, and goes from 1 to 1.5 s.
    assert [picture["t"] for picture in third["pictures"]] == [0.0, 1.0, 1.5]
    assert {picture["view"] for picture in third["pictures"]} == {"main"}
    assert "[picture 1]" in third["prompt"]
    assert "[picture 3]" in third["prompt"]
    assert json.loads(third["reply"]) == {"answer": "+1"}
    assert (third["status"], third["judge"], third["revision"]) == (
        "ok", "vlm-pairwise", "stub-2026-01",
    )  # fmt: skip
    assert (third["input_tokens"], third["output_tokens"]) == (100, 10)
    assert len({c["key"] for c in calls}) == CLIPS * HOPS


def test_the_residual_of_an_integrator_stands_on_the_page_of_an_episode(judged):
    options = {"options": {"integrator": "least-squares"}}
    with ModelServer(by_schema) as server:
        result = judged(server, "run", limit=1, **options)
    assert result.ok
    # The pairs of 5 moments that are at most 3 apart: 1 + 2 + 3 + 3.
    told = "least-squares over 9 pairs, residual 0.000"  # all answers agree
    assert told in (result.out / "assets" / "data-000.js").read_text()
    assert pq.read_table(result.out / "episodes.parquet")["detail"].to_pylist() == [told]


def test_what_the_answers_came_to_and_what_a_command_paid_for(judged, prices):
    with ModelServer(by_schema) as server:
        first = judged(server, "first", models={"prices": prices})
        again = judged(server, "again", models={"prices": prices})
        assert server.count == CLIPS * HOPS
    (came_to,) = first.document["asked"].values()
    # 8 answers of 100 + 10 tokens: (800 * 10 + 80 * 100) / 1e6 = 0.016 USD.
    assert (came_to["questions"], came_to["distinct"], came_to["status"]) == (8, 8, {"ok": 8})
    assert (came_to["input_tokens"], came_to["output_tokens"]) == (800, 80)
    assert came_to["cost"] == pytest.approx(0.016)
    paid, found = (next(iter(run.usage["models"].values())) for run in (first, again))
    assert (paid["calls"], paid["cached"], paid["cost"]) == (8, 0, pytest.approx(0.016))
    assert (found["calls"], found["cached"], found["cost"]) == (0, 8, 0.0)


def test_a_run_that_found_its_answers_has_the_same_files(judged):
    with ModelServer(by_schema) as server:
        first, again = (files_of(judged(server, name).out) for name in ("first", "again"))
    assert first == again
    assert "calls.parquet" in first
    assert {"usage.json", "usage.js"} < OUTSIDE


def test_failed_calls_are_counted_by_status_and_only_they_are_repeated(judged):
    answers = {0: by_schema, 1: lambda _: refuse(), 2: lambda _: error(500)}

    def badly(asked):
        return answers.get(asked.nth, by_schema)(asked)

    with ModelServer(badly) as server:
        first = judged(server, "run")
        assert not first.ok
        (came_to,) = first.document["asked"].values()
        assert came_to["status"] == {"ok": 6, "refused": 1, "transport": 1}
        before = server.count
        again = judged(server, "run", retry=True)
        assert again.ok
        assert server.count - before == 2  # the refused one and the one that was lost
    (came_to,) = again.document["asked"].values()
    assert came_to["status"] == {"ok": 8}
    assert len(calls_of(again)) == CLIPS * HOPS


def test_an_answer_that_can_not_be_read_is_shown_as_such(judged):
    with ModelServer(lambda asked: say("It goes well.")) as server:
        result = judged(server, "run", limit=1)
    calls = calls_of(result)
    assert {call["status"] for call in calls} == {"unparsed"}
    assert {call["reply"] for call in calls} == {"It goes well."}
    assert len(calls) == HOPS * 4  # each asked again three times, with the fault fed back
    assert "You answered: It goes well." in calls[1]["prompt"]


def test_a_report_made_anew_asks_nothing_and_needs_no_model(judged):
    with ModelServer(by_schema) as server:
        first = judged(server, "run")
        url, count = server, server.count
    kept, usage = calls_of(first), first.usage
    again = judged(url, "run", by=("policy",))  # the server is gone
    assert url.count == count
    assert calls_of(again) == kept
    assert again.usage == usage
    assert again.document["asked"] == first.document["asked"]


def test_judges_beside_each_other_share_one_session(judged):
    with ModelServer(by_schema) as server:
        model = f"openai:stub@{server.url}"
        other = make_judge("vlac", {"model": model})
        result = judged(server, "run", beside=(other, "ramp"))
        assert result.usage["models"][model]["calls"] == server.count
    assert {call["judge"] for call in calls_of(result)} == {"vlm-pairwise", "vlac"}


def test_a_plan_counts_and_neither_sends_nor_writes(judged, prices, tmp_path):
    with ModelServer(by_schema) as server:
        model = f"openai:stub@{server.url}"
        planned = judged(server, "run", do=plan, models={"prices": prices})
        assert server.count == 0
        assert {p.name for p in tmp_path.iterdir()} == {"clips", "prices.toml"}
        assert planned.usage[model].calls == CLIPS * HOPS
        judged(server, "run", models={"prices": prices}, limit=1)
        before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
        rest = judged(server, "run", do=plan, models={"prices": prices})
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
    assert (rest.usage[model].calls, rest.usage[model].cached) == (HOPS, HOPS)
    assert rest.usage[model].cost > 0
    assert rest.document["models"][model]["calls"] == HOPS
    with pytest.raises(UsageError, match="call plan instead"):
        judged(server, "run", models={"plan": True})


def test_a_budget_ends_the_asking_and_more_of_it_goes_on(judged, prices):
    with ModelServer(by_schema) as server:
        (most,) = judged(server, "run", do=plan, models={"prices": prices}).usage.values()
        # Room for the estimate of one request; what two have cost, 0.004 USD, leaves too little.
        budget = most.cost / most.calls + 0.003
        poor = judged(server, "run", models={"prices": prices, "max_cost": budget})
        sent = server.count
        assert 0 < sent < CLIPS * HOPS
        assert any("--max-cost" in line for line in poor.problems())
        # A budget is that of a command: the same one again pays for more.
        judged(server, "run", models={"prices": prices, "max_cost": budget}, retry=True)
        assert sent < server.count < CLIPS * HOPS
        rich = judged(server, "run", models={"prices": prices, "max_cost": 9.0}, retry=True)
        assert rich.ok
        assert server.count == CLIPS * HOPS


def test_settings_of_asking_are_no_part_of_the_run(judged, tmp_path):
    with ModelServer(by_schema) as server:
        result = judged(server, "run", models={"in_flight": 3, "timeout_s": 9.0})
        count = server.count
        judged(server, "run", models={"in_flight": 5, "timeout_s": 8.0})
        assert server.count == count
    recorded = json.loads((result.out / "run.json").read_text())["settings"]
    assert recorded["ledger"] == str(tmp_path / "ledger.sqlite")  # where a replay finds the answers
    assert not {"models", "in_flight", "timeout_s", "max_cost"} & recorded.keys()
    again = replay(result.out)
    assert again.ok
    assert again.differing == ()
