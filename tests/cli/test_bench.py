"""assay build and assay bench: from a rollout to a table of judges, and what is refused."""

from __future__ import annotations

import html
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from assay.cli._app import run
from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import EpisodeError
from assay.jobs.bench import BenchSettings, bench
from assay.judges.ramp import Ramp
from assay.records import Curve, Segment
from assay.reports import pulse_tables, words
from assay.reports._pulse_columns import PAIRS
from lerobot_sets import made_episode

CHEAP = ["--views", "front", "--size", "64", "--quality", "fast", "--fps", "5", "--jobs", "1"]
LABELS = {"bad": "wrong-object", "not-wrong-object-at-all": "dropper", "b": "backtracker"}
NULLS = {"ramp", "constant", "random", "last-frame", "pixel-change"}


@dataclass(frozen=True)
class Abroad(Ramp):
    """A clock that has seen nothing like it before, and that won't look at some of it."""

    bound: ClassVar[str] = "network"
    card: ClassVar[dict] = {"novel_limit": 0.7, "completion": 0.9}

    def progress(self, episode, times):
        if episode.policy == "wrong-object":
            raise EpisodeError("it looks away")
        ramp = super().progress(episode, times)
        return Curve(times, ramp.values, ramp.status, novel=np.ones(len(times), dtype=bool))


def code_of(*arguments: object) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Return a folder with a rollout, `runs`, and the benchmark made from it, `pulse`."""
    root = tmp_path_factory.mktemp("pulse")
    policies = [f"--policy={name}" for name in ("expert", "dropper", "wrong-object")]
    strong = ["--set", "dropper.strength=1", "--set", "wrong-object.strength=1"]
    ask = ["rollout", "lift-block", *policies, *strong, "--seeds", "0:2"]
    assert code_of(*ask, "--out", root / "runs", *CHEAP) == 0
    assert code_of("build", "pulse", root / "runs", "--out", root / "pulse") == 0
    return root


@pytest.fixture(scope="module")
def labelled(tmp_path_factory) -> Path:
    """Return a rollout without pictures whose labels don't say who acts."""
    runs = tmp_path_factory.mktemp("labelled") / "runs"
    policies = [f"--policy={label}={name}" for label, name in LABELS.items()]
    strong = [f"--set={label}.strength=1" for label in LABELS]
    ask = ["rollout", "lift-block", *policies, *strong, "--seeds", "0", "--views", "none"]
    assert code_of(*ask, "--out", runs, "--jobs", "1") == 0
    return runs


@pytest.fixture(scope="module")
def benched(made) -> dict:
    """Return what a run of the oracle, with noise, says."""
    ask = ["bench", "pulse", made / "pulse", "--judge", "truth=oracle", "--noise", "0,0.1"]
    assert code_of(*ask, "--jobs", "1", "--out", made / "bench") == 0
    return json.loads((made / "bench" / "bench.json").read_text())


def judge(document, name):
    return next(judge for judge in document["judges"] if judge["name"] == name)


def test_the_benchmark_is_balanced_and_says_what_was_dropped(made):
    document = json.loads((made / "pulse" / "build.json").read_text())
    assert document["schema"] == "assay.build/1"
    rows = pq.read_table(made / "pulse" / "items.parquet").to_pylist()
    assert len(rows) == document["items"] > 20
    assert sum(row["y"] for row in rows) == 0
    assert {row["order"] for row in rows} == {"forward", "reversed", "anti-time"}
    pairs = document["pairs"]
    dropped = sum(own["n"] for own in pairs["dropped"].values())
    assert dropped + pairs["kept"] == pairs["considered"]
    assert 0 < pairs["dropped"]["near-static"]["share"] < 1


def test_who_acted_decides_and_not_the_label(labelled, tmp_path, capsys):
    shutil.copytree(labelled, tmp_path / "runs")
    assert code_of("build", "pulse", tmp_path / "runs", "--out", tmp_path / "pulse") == 0
    rows = pq.read_table(tmp_path / "pulse" / "items.parquet").to_pylist()
    found = {(row["policy"], row["wrong_object"], row["undone"]) for row in rows}
    assert found == {
        ("bad", True, False),
        ("not-wrong-object-at-all", False, False),
        ("b", False, True),
    }
    # without the record, a label that is no policy's name tells nothing, and the notes say so
    (tmp_path / "runs" / "rollout.json").unlink()
    capsys.readouterr()
    assert code_of("build", "pulse", tmp_path / "runs", "--out", tmp_path / "again") == 0
    rows = pq.read_table(tmp_path / "again" / "items.parquet").to_pylist()
    assert {(row["wrong_object"], row["undone"]) for row in rows} == {(None, None)}
    document = json.loads((tmp_path / "again" / "build.json").read_text())
    assert document["unknown_policies"] == dict.fromkeys(sorted(LABELS), 1)
    said = " ".join(capsys.readouterr().out.split())
    assert "Which policy acted is not recorded for 3 episodes" in said


def test_undone_pairs_and_cells_of_two_settings_stand_on_the_page(labelled, tmp_path):
    segments = (Segment("reach", 0.0, 10.0), Segment("lift", 10.0, 29.9))
    about = {"world": None, "views": {}, "segments": segments, "perturbation": None}
    write_lerobot(tmp_path / "arm", [made_episode(0, 300, **about)], fps=10)
    ask = ["build", "pulse", labelled, tmp_path / "arm", "--setting", "Real", "--per-episode", 12]
    assert code_of(*ask, "--out", tmp_path / "pulse") == 0
    done = bench(tmp_path / "pulse", BenchSettings(tmp_path / "bench", judges=["oracle"], jobs=1))
    truth, ramp = judge(done.document, "oracle"), judge(done.document, "ramp")
    undone = truth["anti_time_undone"]
    assert undone["n"] > 0
    assert undone == truth["anti_time_by_policy"]["b"]  # the label of the policy that undoes
    assert (undone["value"], ramp["anti_time_undone"]["value"]) == (1.0, 0.0)
    page = html.unescape((tmp_path / "bench" / "index.html").read_text())
    assert "<dt>Undone</dt>" in page
    cells = page.partition('<section id="cells">')[2].partition("</section>")[0]
    for cell in ramp["cells"]:
        told = "".join(
            f'<th scope="row">{cell[name]}</th>' for name in ("setting", "category", "bin")
        )
        assert told in cells
        assert words.number(cell["accuracy"]) in cells.partition(told)[2].partition("</tr>")[0]
    assert {cell["setting"] for cell in ramp["cells"]} == {"Real", "Sim"}
    losses = page.partition('<section id="losses">')[2].partition("</section>")[0]
    assert all(
        f'<th scope="row">{label}</th>' in losses for label in ("b", "not-wrong-object-at-all")
    )
    (line,) = [
        line
        for line in pulse_tables.bench_to_csv(done.document).splitlines()
        if line.startswith("oracle,undone,")
    ]
    assert line.startswith("oracle,undone,1.0,")


def test_a_document_of_before_tells_undone_pairs_by_the_label(benched):
    old = {**judge(benched, "ramp")}
    del old["anti_time_undone"]
    (undone,) = [figure for figure in PAIRS if figure.key == "undone"]
    assert undone.pick(old) is None
    kept = {"value": 0.5, "n": 4}
    assert undone.pick({**old, "anti_time_by_policy": {"backtracker": kept}}) == kept
    assert undone.pick(judge(benched, "ramp"))["n"] == 0  # nobody undid anything here


def test_one_setting_has_no_section_of_cells(made, benched):
    assert 'id="cells"' not in (made / "bench" / "index.html").read_text()


def test_the_oracle_is_always_right_and_the_clock_never_against_time(benched):
    assert {judge["name"] for judge in benched["judges"]} == NULLS | {"truth"}
    truth, ramp = judge(benched, "truth"), judge(benched, "ramp")
    assert truth["overall"]["average"]["value"] == 1.0
    assert truth["noise"]["0.1"]["overall"]["average"]["value"] == 1.0
    assert ramp["orders"]["anti-time"]["value"] == 0.0
    assert ramp["orders"]["forward"]["value"] == 1.0
    assert judge(benched, "constant")["counts"]["zero"] == benched["items"]
    assert judge(benched, "pixel-change")["counts"]["invalid"] == 0
    assert truth["curves"]["drop_hits"]["value"] == 1.0
    assert truth["curves"]["false_drops"]["value"] == 0.0
    assert ramp["curves"]["drop_hits"]["value"] == 0.0
    assert truth["lift"]["value"] > 0


def test_noise_reaches_judges_that_look(benched):
    looks = judge(benched, "pixel-change")["noise"]
    assert looks["0.1"]["overall"]["pairs"] != looks["0"]["overall"]["pairs"]
    blind = judge(benched, "ramp")["noise"]
    assert blind["0.1"]["overall"]["pairs"] == blind["0"]["overall"]["pairs"]


def test_the_page_shows_pairs_and_opens_from_disk(made, benched):
    page = (made / "bench" / "index.html").read_text()
    assert page.count("data:image/jpeg;base64,") == 3 * min(24, benched["items"])
    assert "pixel-change" in page
    assert "http" not in page.replace("http-equiv", "")
    assert (made / "bench" / "assets" / "report.css").is_file()


def test_passports_are_carried_with_warnings_of_what_is_shown(made, benched):
    # A clock moves on a still video, which puts MP and PPL in doubt.
    carried = judge(benched, "ramp")["passport"]
    assert carried["path"] == "ramp.json"
    assert any("(static video, simulated worlds)" in told for told in carried["warnings"])
    # last-frame tells no nearby moments apart, which puts STR in doubt and nothing else
    silent = judge(benched, "last-frame")["passport"]
    assert "nearby pairs told apart" in silent["summary"]
    assert not any("nearby pairs" in told for told in silent["warnings"])
    page = (made / "bench" / "index.html").read_text()
    assert page.count("simulated worlds: ") == 6  # the oracle and the five null judges
    assert carried["warnings"][0] in html.unescape(page)
    # tables have the passports of the judges that were asked for; the oracle passes all it is asked
    (told,) = pulse_tables.bench_to_markdown(benched).split("\n\n")[-1:]
    assert told.startswith("- truth: passport: simulated worlds: ")
    assert told.endswith(" 0 failed.\n")


def test_a_judge_without_a_passport_says_how_to_get_one(made, tmp_path):
    done = bench(made / "pulse", BenchSettings(tmp_path, judges={"abroad": Abroad()}, jobs=1))
    assert judge(done.document, "abroad")["passport"] is None
    assert "- abroad: no passport: run `assay certify " in pulse_tables.bench_to_markdown(
        done.document
    )


def test_a_judge_says_first_that_it_has_not_seen_such_scenes(made, tmp_path):
    done = bench(made / "pulse", BenchSettings(tmp_path, judges={"abroad": Abroad()}, jobs=1))
    own = judge(done.document, "abroad")
    # Two of six attempts are at a wrong object: at best, nothing in them is new.
    assert [own["novel"][key] for key in ("value", "n", "worst")] == [1.0, 4, 1.0]
    assert own["novel"]["best"] == pytest.approx(4 / 6)
    assert own["card"] == {"novel_limit": 0.7}
    assert judge(done.document, "ramp")["novel"] is None
    told = "abroad has not seen such scenes, and the figures are not evidence"
    assert told in (tmp_path / "index.html").read_text()
    assert pulse_tables.bench_to_markdown(done.document).startswith(f"**{told}")
    console = Console(width=400)
    with console.capture() as shown:
        console.print(pulse_tables.bench_to_terminal(done.document))
    assert shown.get().startswith(told)


def test_what_unscored_episodes_could_make_of_the_figures(made, tmp_path):
    done = bench(made / "pulse", BenchSettings(tmp_path, judges={"abroad": Abroad()}, jobs=1))
    curves = judge(done.document, "abroad")["curves"]
    assert (curves["episodes"], curves["unscored"]) == (4, 2)
    ends = curves["end_auc"]
    # A ramp always ends at 1, where the unscored failures can tie with it but not pass it.
    assert ends["worst"] == ends["value"] == 0.5 < ends["best"]
    told = f"worst to best {ends['worst']:.2f} to {ends['best']:.2f}"
    assert told in (tmp_path / "index.html").read_text()
    lines = pulse_tables.bench_to_csv(done.document).splitlines()
    assert lines[0] == "judge,figure,value,low,high,n,worst,best"
    assert any(line.endswith(f",{ends['worst']},{ends['best']}") for line in lines)


def test_a_limit_without_pairs_and_an_episode_that_is_gone(made, tmp_path, capsys):
    other = made / "other"  # beside the rollout, as paths lead from one to the other
    shutil.copytree(made / "pulse", other)
    document = json.loads((other / "build.json").read_text())
    items = pq.read_table(other / "items.parquet")
    first = document["episodes"]["taken"][0]
    kept = [name != first for name in items["episode"].to_pylist()]
    pq.write_table(items.filter(kept), other / "items.parquet")
    ask = ["bench", "pulse", other, "--out", tmp_path / "out"]
    assert code_of(*ask, "--limit", "1") == 2
    assert "none of the first 1 episodes has a pair" in capsys.readouterr().err
    document["episodes"]["taken"].append("lost")
    (other / "build.json").write_text(json.dumps(document))
    assert code_of(*ask) == 2
    assert "the episode lost can no longer be read" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_second_build_and_a_second_run_are_the_same(made, benched, tmp_path, capsys):
    again = tmp_path / "pulse"
    assert code_of("build", "pulse", made / "runs", "--out", again, "--json") == 0
    assert json.loads(capsys.readouterr().out)["items"] == benched["items"]
    first, second = (folder / "items.parquet" for folder in (made / "pulse", again))
    assert first.read_bytes() == second.read_bytes()
    before = (made / "bench" / "bench.json").read_bytes()
    ask = ["bench", "pulse", made / "pulse", "--judge", "truth=oracle", "--noise", "0,0.1"]
    assert code_of(*ask, "--out", made / "bench", "--json") == 0
    assert capsys.readouterr().out.encode() == before


def test_recorded_answers(made, tmp_path, capsys):
    rows = pq.read_table(made / "pulse" / "items.parquet").to_pylist()
    lines = [f"{row['item']},{row['y']}" for row in rows]
    lines[0], lines[1] = f"{rows[0]['item']},no idea", f"{rows[1]['item']},0"
    answers = tmp_path / "mine.csv"
    answers.write_text("\n".join(["item,answer", *lines[:-1]]) + "\n")
    ask = ["bench", "pulse", made / "pulse", "--answers", answers, "--jobs", "1"]
    assert code_of(*ask, "--out", tmp_path / "out", "--json") == 1
    seen = capsys.readouterr()
    mine = judge(json.loads(seen.out), "mine")
    # One can't be parsed, one is zero and the last is missing; all others are right.
    assert mine["counts"] == {"right": len(rows) - 3, "wrong": 0, "zero": 1, "invalid": 2}
    assert f"mine: no valid answer to 2 of {len(rows)} items" in seen.err


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["nothing:0>1,1"], "bad.csv, row 2: no item 'nothing:0>1'"),
        (["{item},1", "{item},1"], "row 3: the item"),
    ],
)
def test_answers_that_fit_nothing_are_refused(made, tmp_path, capsys, rows, words):
    item = pq.read_table(made / "pulse" / "items.parquet")["item"][0].as_py()
    answers = tmp_path / "bad.csv"
    answers.write_text("\n".join(["item,answer", *(row.format(item=item) for row in rows)]))
    ask = ["bench", "pulse", made / "pulse", "--answers", answers, "--out", tmp_path / "out"]
    assert code_of(*ask) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_judges_of_pairs_answer_by_their_curves_where_that_is_asked(made, tmp_path, capsys):
    ask = ["bench", "pulse", made / "pulse", "--judge", "truth=oracle", "--jobs", "1"]
    assert code_of(*ask, "--by-curve", "--out", tmp_path / "out", "--json") == 0
    assert json.loads(capsys.readouterr().out)["settings"]["by_curve"] is True


def test_a_goal_goes_to_every_judge_that_takes_one(made, tmp_path, capsys):
    ask = ["bench", "pulse", made / "pulse", "--judge", "similarity-image", "--judge", "oracle"]
    assert code_of(*ask, "--jobs", "1", "--out", tmp_path / "none") == 1  # no goal, no answer
    assert "pass --goal IMAGE" in capsys.readouterr().err
    code = code_of(
        *ask, "--goal", made / "runs", "--jobs", "1", "--out", tmp_path / "out", "--json"
    )
    document = json.loads(capsys.readouterr().out)
    assert "by_curve" not in document["settings"]
    assert (code, judge(document, "similarity-image")["counts"]["invalid"]) == (0, 0)
    passport = judge(document, "similarity-image")["passport"]
    assert "The passport was made with other goal pictures." in passport["warnings"]
    told = document["settings"]["judges"]
    assert told["similarity-image"]["settings"]["goal"] == str(made / "runs")
    assert "goal" not in told["oracle"]["settings"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--judge", "oracel"], "Did you mean 'oracle'"),
        (["--judge", "a=oracle", "--judge", "a=ramp"], "'a' was asked for twice"),
        (["--judge", "oracle", "--set", "ramp.seed=1"], "no judge 'ramp' was asked for"),
        (["--judge", "ramp=oracle"], "ramp is the name of a null judge: give another LABEL="),
        (["--noise", "much"], "--noise takes numbers"),
        (["--noise", "2"], "--noise takes shares from 0"),
        (["--answers", "nowhere.csv"], "there is no such file of answers"),
        (["--limit", "0"], "--limit must be at least 1"),
        (["--goal", "nowhere.png"], "--goal is for a judge that compares with one"),
        (["--judge", "oracle", "--goal", "nowhere.png"], "and oracle does not: leave it out"),
        (["--judge", "similarity-image", "--goal", "nowhere.png"], "there is no such image"),
    ],
)
def test_bench_refuses(made, tmp_path, capsys, arguments, words):
    assert code_of("bench", "pulse", made / "pulse", "--out", tmp_path / "out", *arguments) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--split", "frehs"], "Did you mean 'fresh'"),
        (["--split", "fresh"], "no episode is left to build from with --split fresh"),
        (["--task", "stack-blocks"], "with --task stack-blocks"),
        (["--setting", "Moon"], "There is no setting named 'Moon'"),
        (["--per-episode", "0"], "--per-episode must be 1 to"),
    ],
)
def test_build_refuses(made, tmp_path, capsys, arguments, words):
    assert code_of("build", "pulse", made / "runs", "--out", tmp_path / "out", *arguments) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_unknown_benchmark_and_a_folder_without_one(made, tmp_path, capsys):
    assert code_of("build", "puls", made / "runs", "--out", tmp_path / "out") == 2
    assert "Did you mean 'pulse'" in capsys.readouterr().err
    assert code_of("bench", "pulse", made / "runs", "--out", tmp_path / "out") == 2
    assert "there is no build.json" in capsys.readouterr().err


def test_a_changed_source_is_refused(made, tmp_path, capsys):
    shutil.copytree(made / "runs", tmp_path / "runs")
    shutil.copytree(made / "pulse", tmp_path / "pulse")  # paths lead from one to the other
    ask = ["bench", "pulse", tmp_path / "pulse", "--out", tmp_path / "out"]
    (tmp_path / "runs" / "note.json").write_text("{}")
    assert code_of(*ask) == 2
    assert "runs: has changed since the benchmark" in capsys.readouterr().err
    shutil.rmtree(tmp_path / "runs")
    assert code_of(*ask) == 2
    assert "a source of the benchmark" in capsys.readouterr().err


def test_a_benchmark_that_is_not_there_is_named_first(capsys):
    with pytest.raises(SystemExit) as caught:
        run(["bench", "glitch", "--reports", "a.jsonl", "--references", "b.jsonl"])
    assert caught.value.code == 2
    assert "no benchmark named 'glitch'. Did you mean 'glitches'" in capsys.readouterr().err
