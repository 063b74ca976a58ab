"""What `assay convert` writes, opened by libraries that are not ours."""

import json
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

import rerun_stub
from assay import plugins
from assay.cli._app import run
from assay.episodes import catalogue
from assay.episodes.encoded_frames import decode
from assay.episodes.formats.mcap import Mcap
from assay.episodes.lerobot.writer import write_lerobot
from assay.episodes.writers.base import Writer
from assay.errors import MissingExtraError, UsageError
from assay.jobs.convert import ConvertSettings, convert
from assay.records import Segment
from clips import number_of
from lerobot_sets import made_episode

MARKS = (Segment("reach", 0.0, 0.4), Segment("lift", 0.4, 0.9))


@pytest.fixture
def lerobot(tmp_path):
    episodes = [made_episode(n, segments=MARKS) for n in range(2)]
    write_lerobot(tmp_path / "in", episodes, fps=10)
    return tmp_path / "in"


def done(source, out, to, **settings):
    return convert([str(source)], ConvertSettings(out=out, to=to, jobs=1, **settings))


def command(*words):
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return ended.value.code


@pytest.mark.parametrize("name", plugins.names("assay.episodes.writers"))
def test_every_writer_keeps_the_contract(name):
    made = plugins.configure(plugins.find("assay.episodes.writers", name), {})
    assert isinstance(made, Writer)
    assert "\n" not in made.writes


def test_mcap_files_open_with_the_library_of_mcap(lerobot, tmp_path):
    result = done(lerobot, tmp_path / "out", "mcap")
    assert result.ok
    source = list(catalogue.read(lerobot))
    pictures = sum(len(view.frames.clock()) for e in source for view in e.views.values())
    assert (result.document["episodes"], result.document["frames"]) == (2, pictures)
    assert pictures > 0
    files = sorted((tmp_path / "out").glob("*.mcap"))
    assert len(files) == len(source) == 2
    for episode, file in zip(source, files, strict=True):
        with file.open("rb") as stream:
            reader = make_reader(stream, decoder_factories=[DecoderFactory()])
            seen = {}
            for schema, channel, message, decoded in reader.iter_decoded_messages(
                topics=[f"/views/{name}" for name in episode.views]
            ):
                assert schema.name == "foxglove.CompressedImage"
                stamp = decoded.timestamp.seconds + decoded.timestamp.nanos / 1e9
                assert stamp == pytest.approx(message.log_time / 1e9)
                seen.setdefault(channel.topic, []).append(decode(decoded.data, "here"))
            values = [
                json.loads(m.data)["value"] for _, _, m in reader.iter_messages("/signals/action")
            ]
            assert reader.get_summary().statistics.message_count > len(values)
        np.testing.assert_allclose(values, episode.signals["action"].values, atol=1e-6)
        for name, view in episode.views.items():
            shown = list(view.frames.at(view.frames.clock()))
            pictures = seen[f"/views/{name}"]
            assert len(pictures) == len(shown)
            difference = np.abs(np.stack(pictures).astype(int) - np.stack(shown))
            assert difference.mean() < 2  # grey levels of 255, the loss of JPEG


def test_mcap_comes_back_as_it_went(lerobot, tmp_path):
    done(lerobot, tmp_path / "out", "mcap")
    for old, new in zip(catalogue.read(lerobot), Mcap().read(tmp_path / "out"), strict=True):
        for name in ("id", "task", "policy", "instruction", "outcome", "scene", "seed", "world"):
            assert getattr(new, name) == getattr(old, name), name
        assert new.segments == old.segments
        assert set(new.signals) == set(old.signals)
        for name, series in old.signals.items():
            np.testing.assert_allclose(new.signals[name].times, series.times, atol=1e-3)
            if series.values.dtype.kind == "U":
                assert new.signals[name].values.tolist() == series.values.tolist()
            else:
                np.testing.assert_allclose(new.signals[name].values, series.values, atol=1e-6)
        for name, view in old.views.items():
            clock = view.frames.clock()
            numbers = [
                [number_of(p) for p in frames.at(clock)]
                for frames in (view.frames, new.views[name].frames)
            ]
            assert numbers[0] == numbers[1]


def test_rerun_is_told_of_views_signals_and_subtasks(lerobot, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rerun", rerun_stub)
    assert done(lerobot, tmp_path / "out", "rerun").ok
    first, _ = sorted((tmp_path / "out").glob("*.rrd"))
    told = [json.loads(line) for line in first.read_text().splitlines()]
    episode = next(catalogue.read(lerobot))
    paths = [line[0] for line in told]
    views = [line for line in told if line[0].startswith("views/")]
    assert len(views) == sum(len(v.frames.clock()) for v in episode.views.values())
    assert all(line[2][:2] == ["image", "image/jpeg"] and line[2][2] > 100 for line in views)
    assert [line[1:] for line in told if line[0] == "subtasks"] == [
        [["time", 0.0], ["text", "reach"]],
        [["time", 0.4], ["text", "lift"]],
    ]
    action = episode.signals["action"]
    for place in range(action.values.shape[1]):
        line = told[paths.index(f"signals/action/{place}")]
        np.testing.assert_allclose(line[1][1], action.times)
        np.testing.assert_allclose(line[2], action.values[:, place])


@pytest.mark.parametrize(("to", "package"), [("rerun", "rerun-sdk"), ("mcap", "mcap")])
def test_a_missing_package_is_named(lerobot, tmp_path, monkeypatch, to, package):
    for name in ("rerun", "mcap.writer"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"'{package}': pip install 'assay\[{to}\]'"):
        done(lerobot, tmp_path / "out", to)
    assert not (tmp_path / "out").exists()


def test_a_quality_that_jpeg_has_not_is_refused(lerobot, tmp_path):
    with pytest.raises(UsageError, match=r"quality of JPEG must be 1 .* not 32"):
        done(lerobot, tmp_path / "out", "mcap", options={"quality": "32"})


def test_an_audit_becomes_a_progress_file_of_lerobot(lerobot, tmp_path, capfd):
    report = tmp_path / "report"
    judged = ("--judge", "ramp", "--fps", "10", "--out", report, "--jobs", 1)
    command("audit", f"act={lerobot}", *judged)
    capfd.readouterr()
    assert command("convert", report, "--to", "lerobot-progress", "--out", lerobot) == 0
    file = lerobot / "ramp_progress.parquet"
    # Episodes of 10 frames at 10 a second, each of which was judged.
    assert capfd.readouterr().out == f"{file}: 20 of 20 moments of 2 episodes have a score.\n"
    table = pq.read_table(file)
    assert [(f.name, str(f.type)) for f in table.schema] == [
        ("index", "int64"),
        ("episode_index", "int64"),
        ("frame_index", "int64"),
        ("progress_sparse", "float"),
    ]
    rows = table.to_pydict()
    assert rows["frame_index"] == [*range(10)] * 2
    assert rows["index"] == [*range(20)]
    assert table.schema.metadata[b"reward_model_path"] == b"assay:ramp"
    first, _ = catalogue.read(file)
    np.testing.assert_allclose(first.signals["progress"].values, np.arange(10) / 9, rtol=1e-6)
    # A second time nothing is overwritten.
    assert command("convert", report, "--to", "lerobot-progress", "--out", lerobot) == 2
    assert "exists; move it away" in capfd.readouterr().err


def test_moments_without_a_score_are_nan(lerobot, tmp_path, capfd):
    curves = tmp_path / "curves.csv"
    ids = [e.id for e in catalogue.read(lerobot)]
    rows = [f"{name},{t},{'' if t == 0.2 else t}" for name in ids for t in (0.0, 0.2, 0.9)]
    curves.write_text("episode,t,progress\n" + "\n".join(rows) + "\n")
    judged = ("--curves", curves, "--judge", "recorded", "--out", tmp_path / "r", "--jobs", 1)
    command("audit", lerobot, *judged)
    words = ("convert", tmp_path / "r", "--to", "lerobot-progress", "--out", tmp_path / "o")
    capfd.readouterr()
    assert command(*words, "--json") == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["rows"], told["scored"], told["episodes"]) == (6, 4, 2)
    table = pq.read_table(told["file"]).to_pydict()
    np.testing.assert_array_equal(np.isnan(table["progress_sparse"]), [0, 1, 0] * 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "dataset=/no/such"], "is no LeRobot dataset"),
        (["--set", "data=x"], "no option of lerobot-progress named 'data'"),
    ],
)
def test_a_progress_file_needs_its_dataset(lerobot, tmp_path, capfd, words, said):
    command("audit", lerobot, "--judge", "ramp", "--out", tmp_path / "r", "--jobs", 1)
    code = command(
        "convert", tmp_path / "r", "--to", "lerobot-progress", "--out", tmp_path / "o", *words
    )
    assert (code, said in capfd.readouterr().err) == (2, True)


def test_only_an_audit_has_curves(tmp_path, capfd):
    assert command("convert", tmp_path, "--to", "lerobot-progress", "--out", tmp_path / "o") == 2
    assert "is no finished audit" in capfd.readouterr().err
