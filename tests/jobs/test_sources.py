"""Audits of real files: LeRobot datasets, folders of videos, and what is wrong with them."""

import json
import os
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.cli._app import run
from assay.episodes.lerobot.writer import write_lerobot
from assay.jobs.audit import AuditSettings, audit
from assay.judges import make_judge
from assay.records import Episode, Segment, Series
from clips import cut_file, write_clip
from lerobot_sets import LENGTHS, write_v21, write_v30

SECONDS = 1.0
BRIGHTNESS = make_judge("judge_functions:brightness", outside=True)
FAILING = make_judge("judge_functions:failing", outside=True)


def write_progress(folder, lengths):
    """A lerobot progress file: every episode climbs from 0 to 1."""
    rows = [(e, f, f / (n - 1)) for e, n in enumerate(lengths) for f in range(n)]
    episodes, frames, progress = zip(*rows, strict=True)
    table = pa.table(
        {
            "index": list(range(len(rows))),
            "episode_index": episodes,
            "frame_index": frames,
            "progress_sparse": pa.array(progress, pa.float32()),
        }
    )
    path = folder / "sarm_progress.parquet"
    pq.write_table(table, path)
    return path


@pytest.fixture(params=[write_v21, write_v30], ids=["v2.1", "v3.0"])
def dataset(request, tmp_path):
    return request.param(tmp_path / "kitchen")


def test_a_lerobot_dataset_with_its_progress_file(dataset, tmp_path):
    curves = write_progress(dataset, LENGTHS)
    result = audit([dataset], AuditSettings(out=tmp_path / "run", curves=curves, jobs=1))
    assert result.ok
    assert sum(cell["n"] for cell in result.document["cells"]) == len(LENGTHS)
    assert {cell["mp"]["value"] for cell in result.document["cells"]} == {1.0}


def test_subtasks_of_a_dataset_give_the_oracle_its_progress(tmp_path):
    """Two of three subtasks are 2/3, the length is that of the actions: there is no video."""
    both = [Segment("reach", 0.0, 0.5), Segment("grasp", 0.5, 1.0)]
    times = np.arange(16) / 10
    signals = {"action": Series(times, np.zeros((16, 2)))}
    whole = Episode("whole", "pick", signals=signals, segments=(*both, Segment("lift", 1.0, 1.5)))
    broken = replace(whole, id="broken", segments=tuple(both))
    write_lerobot(tmp_path / "kitchen", [whole, broken], fps=10)
    result = audit([tmp_path / "kitchen"], AuditSettings(out=tmp_path / "run", judge="oracle"))
    rows = pq.read_table(result.out / "episodes.parquet").to_pylist()
    found = {row["episode"]: (row["mp"], row["duration_s"]) for row in rows}
    assert found == {
        "whole": (pytest.approx(1.0), pytest.approx(1.5)),
        "broken": (pytest.approx(2 / 3), pytest.approx(1.5)),
    }


def test_a_function_judges_the_pixels_of_a_dataset(dataset, tmp_path):
    settings = AuditSettings(out=tmp_path / "run", judge=BRIGHTNESS)
    assert audit([dataset], settings).ok


def test_a_judge_with_a_bug_costs_no_traceback_and_no_run(dataset, tmp_path):
    settings = AuditSettings(out=tmp_path / "run", judge=FAILING, jobs=1)
    result = audit([dataset], settings)
    rows = pq.read_table(result.out / "episodes.parquet").to_pylist()
    assert {row["status"] for row in rows} == {"invalid_value"}
    assert "the judge failed: ZeroDivisionError: a bug in the judge" in rows[0]["detail"]
    log = [json.loads(line) for line in (result.out / "log.jsonl").read_text().splitlines()]
    assert all("Traceback" in line["message"] for line in log)
    assert len(log) == len(LENGTHS)


@pytest.fixture
def folder(tmp_path):
    """Three good clips, with curves, and a manifest that names them."""
    root = tmp_path / "clips"
    root.mkdir()
    for name in ("a", "b", "c"):
        write_clip(root / f"{name}.mp4", frames=int(10 * SECONDS), fps=10)
    rows = [f"{name},{t / 10},{t / 9}" for name in "abc" for t in range(10)]
    (root / "progress.csv").write_text("\n".join(["episode,t,progress", *rows]) + "\n")
    return root


def test_a_folder_of_videos_with_a_csv_is_one_command(folder, tmp_path):
    result = audit([folder], AuditSettings(out=tmp_path / "run", jobs=1))
    assert result.ok
    assert "../clips/a.mp4" in (tmp_path / "run" / "assets" / "data-000.js").read_text()


def test_videos_are_copied_on_request(folder, tmp_path):
    audit([folder], AuditSettings(out=tmp_path / "run", video="copy", jobs=1))
    copies = sorted((tmp_path / "run" / "assets" / "videos").iterdir())
    assert len(copies) == 3
    assert copies[0].read_bytes() == (folder / "a.mp4").read_bytes()


def test_videos_are_left_out_on_request(folder, tmp_path):
    audit([folder], AuditSettings(out=tmp_path / "run", video="none", jobs=1))
    assert "a.mp4" not in (tmp_path / "run" / "assets" / "data-000.js").read_text()


def test_a_view_that_browsers_do_not_play_is_written_once_as_h264(folder, tmp_path):
    write_clip(folder / "d.avi", codec="mpeg4", frames=10, fps=10)
    audit([folder], AuditSettings(out=tmp_path / "run", judge="ramp", jobs=1))
    written = list((tmp_path / "run" / "assets" / "videos").iterdir())
    assert [path.suffix for path in written] == [".mp4"]
    from assay.episodes.video import probe

    assert probe(str(written[0])).codec == "h264"


def statuses(result):
    return {
        row["episode"]: (row["status"], row["detail"])
        for row in pq.read_table(result.out / "episodes.parquet").to_pylist()
    }


def test_broken_videos_stop_their_episodes_alone(folder, tmp_path):
    (folder / "empty.mp4").touch()
    (folder / "text.mp4").write_text("this is no video")
    write_clip(folder / "cut.mp4", frames=40, fps=10, faststart=True)
    cut_file(folder / "cut.mp4", 0.5)
    settings = AuditSettings(out=tmp_path / "run", judge=BRIGHTNESS)
    result = audit([folder], settings)
    assert not result.ok
    found = statuses(result)
    assert {name: found[name][0] for name in "abc"} == dict.fromkeys("abc", "ok")
    assert {found[name][0] for name in ("empty", "text", "cut")} == {"missing_frame"}
    assert "empty.mp4 is empty" in found["empty"][1]
    assert "ends early" in found["cut"][1]


def test_a_path_that_leads_out_of_the_folder_is_never_opened(folder, tmp_path):
    (folder / "manifest.csv").write_text("episode,file\na,a.mp4\nevil,../outside.mp4\n")
    (folder / "progress.csv").unlink()
    write_clip(tmp_path / "outside.mp4", frames=5)
    found = statuses(audit([folder], AuditSettings(out=tmp_path / "run", judge="ramp", jobs=1)))
    assert found["a"][0] == "ok"
    assert found["evil"][0] == "missing_frame"
    assert "../outside.mp4" in found["evil"][1]


def test_views_are_chosen_by_name(folder, tmp_path):
    (folder / "progress.csv").unlink()
    (folder / "manifest.csv").write_text(
        "episode,view,file\ne,front,a.mp4\ne,wrist,b.mp4\nf,front,c.mp4\n"
    )
    settings = AuditSettings(out=tmp_path / "run", judge="ramp", views=("wrist",), jobs=1)
    found = statuses(audit([folder], settings))
    assert found["e"][0] == "ok"
    assert found["f"] == ("missing_frame", "has no view wrist (its views: front)")


def test_two_policies_side_by_side_keep_their_ids_apart(folder, tmp_path):
    sources = [f"pi0={folder}", f"act={folder}"]
    result = audit(sources, AuditSettings(out=tmp_path / "run", jobs=1))
    assert [cell["policy"] for cell in result.document["cells"]] == ["act", "pi0"]
    assert "pi0/a" in statuses(result)
    json.dumps(result.document)


def test_a_link_out_of_the_folder_is_not_followed(folder, tmp_path):
    """A device behind a link would never end, and nothing outside is ours to read."""
    (folder / "progress.csv").unlink()
    (folder / "notes.txt").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.txt")
    assert audit([folder], AuditSettings(out=tmp_path / "run", judge="ramp", jobs=1)).ok


def test_a_text_that_no_file_can_hold_costs_its_episode_alone(folder, tmp_path):
    judge = make_judge("judge_functions:unspeakable", outside=True)
    result = audit([folder], AuditSettings(out=tmp_path / "run", judge=judge, jobs=1))
    assert "\\ud800" in statuses(result)["a"][1]


def test_a_judge_that_prints_leaves_stdout_to_the_answer(folder, tmp_path, capfd):
    arguments = ["--judge", "judge_functions:talking", "--jobs", "1", "--json"]
    with pytest.raises(SystemExit):
        run(["audit", str(folder), "--out", str(tmp_path / "run"), *arguments])
    printed = capfd.readouterr()
    assert json.loads(printed.out)["schema"] == "assay.audit/1"
    assert "looking" in printed.err
