"""Building clips with known glitches, end to end: files, readers, resuming, recorded clips."""

import csv
import json
from dataclasses import replace

import av
import numpy as np
import pytest

from assay.benchmarks.glitches.injecting import making
from assay.benchmarks.glitches.injecting.orders import orders
from assay.cli._app import run
from assay.episodes import catalogue
from assay.episodes.glitches.reports import read_reports
from assay.episodes.video import VideoFrames, probe
from assay.errors import RunError, UsageError
from assay.jobs.build_glitches import BuildGlitchesSettings, build_glitches
from assay.records import Episode
from glitch_clips_made import write_recorded
from killed import files_of

SMALL = ("--clips", "4", "--size", "96", "--jobs", "1")


def code_of(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("glitches") / "built"
    assert code_of("build", "glitches", "--out", out, *SMALL) == 0
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_recorded(tmp_path_factory.mktemp("recorded") / "clips")


def test_every_clip_is_there_and_has_a_reference(built):
    references = read_reports(built / "references.jsonl", truth=True)
    assert len(references) == 4
    rows = list(csv.DictReader((built / "clips.csv").read_text().splitlines()))
    assert [row["clip"] for row in rows] == list(references)
    for row in rows:
        info = probe(str(built / row["file"]))
        assert (info.codec, info.width, info.height) == ("h264", 96, 96)
        length = len(VideoFrames(str(built / row["file"])).clock()) / info.fps
        assert references[row["clip"]].length_s == pytest.approx(length, abs=1e-3)
        assert references[row["clip"]].dataset == row["split"]
        event = next(iter(references[row["clip"]].events), None)
        assert row["type"] == ("" if event is None else event.type)
    assert {row["split"] for row in rows} == {"train", "test"}


def test_a_split_is_a_folder_of_clips_for_any_verb(built):
    every = list(catalogue.read(built))
    parts = [e for split in ("train", "test") for e in catalogue.read(built / split)]
    assert [e.id for e in every] == [e.id for e in parts]
    for episode in every:
        assert isinstance(episode, Episode)
        assert episode.instruction
        assert episode.seed >= 10_000
    for split in ("train", "test"):
        own = read_reports(built / split / "references.jsonl", truth=True)
        assert list(own) == [e.id for e in catalogue.read(built / split)]


def test_the_sheet_shows_every_kind_of_clip(built):
    page = (built / "index.html").read_text()
    recipes = json.loads((built / "build.json").read_text())["recipes"]
    for recipe in recipes:
        assert f'src="sheet/{recipe}.jpg"' in page
        assert (built / "sheet" / f"{recipe}.jpg").stat().st_size > 1000


def test_show_prints_what_was_built(built, capsys):
    assert code_of("show", built) == 0
    told = capsys.readouterr()
    types = json.loads((built / "build.json").read_text())["types"]
    for kind, counts in types.items():
        assert (kind in told.out) == bool(counts)
    assert told.err == f"Report: {built / 'index.html'}\n"


def test_the_same_order_gives_the_same_pixels(built):
    order = next(order for order in orders(4, 0) if not order.clean)
    (_, one, about), (_, other, again) = (
        making.Maker(making.Recipe(built, 96)).made(order) for _ in range(2)
    )
    np.testing.assert_array_equal(one.frames, other.frames)
    assert (one.description, one.start, one.stop) == (other.description, other.start, other.stop)
    assert about == again


def test_a_broken_off_build_is_taken_up_and_ends_the_same(folder, tmp_path, monkeypatch):
    made, encode = [], making._encode

    def breaks(path, frames, fps):
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(path.name)
        encode(path, frames, fps)

    whole = BuildGlitchesSettings(tmp_path / "whole", 6, (str(folder),), size=96, jobs=1)
    assert build_glitches(whole).ok
    settings = replace(whole, out=tmp_path / "out")
    monkeypatch.setattr(making, "_encode", breaks)
    with pytest.raises(KeyboardInterrupt):
        build_glitches(settings)
    assert not (tmp_path / "out" / "build.json").exists()
    monkeypatch.setattr(making, "_encode", lambda *told: made.append(told[0].name) or encode(*told))
    assert build_glitches(settings).ok
    assert len(made) == len(set(made)) == 6  # what was there is not made again
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")
    assert build_glitches(settings).document["clips"] == {"recorded": 6}
    assert len(made) == 6  # a finished one is left as it is


def test_a_clip_that_is_gone_is_told(tmp_path, monkeypatch, folder):
    settings = BuildGlitchesSettings(tmp_path / "out", 2, (str(folder),), size=96, jobs=1)
    monkeypatch.setattr("assay.jobs.build_glitches.write_files", _interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_glitches(settings)
    next((tmp_path / "out" / "recorded" / "clips").glob("*.mp4")).unlink()
    monkeypatch.undo()
    with pytest.raises(RunError, match="is gone: delete the folder"):
        build_glitches(settings)


def _interrupted(*_):
    raise KeyboardInterrupt


def test_recorded_clips_are_spoilt_without_a_simulator(folder, tmp_path, capsys):
    out = tmp_path / "out"
    ask = ["build", "glitches", "--from", folder, "--out", out, "--clips", 12, "--size", 96]
    assert code_of(*ask, "--jobs", 1, "--json") == 0
    assert json.loads(capsys.readouterr().out)["clips"] == {"recorded": 12}
    rows = list(csv.DictReader((out / "clips.csv").read_text().splitlines()))
    assert {row["source"] for row in rows} == {"a", "b"}  # the third is too short
    assert {row["moves"] for row in rows if row["source"] == "b"} == {"yes"}
    moving = {e.id for e in catalogue.read(out) if e.views["main"].moves}
    assert moving == {row["clip"] for row in rows if row["source"] == "b"}
    shaken = [row for row in rows if row["type"] == "camera_instability"]
    assert all(row["source"] == "a" for row in shaken)
    plain = [row for row in rows if not row["type"]]
    assert plain  # clean clips are decoded and encoded like the others
    info = probe(str(out / plain[0]["file"]))
    assert (info.width, info.height) == (128, 96)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pulse", "x", "--clips", "3"], "takes no --clips; it belongs to glitches"),
        (["glitches", "x"], "takes no PATH (recorded episodes are named by --from)"),
        (["glitches", "--split", "fresh"], "takes no --split; it belongs to pulse"),
        (["glitches", "--clips", "0"], "--clips must be 1 to 100,000, not 0"),
        (["glitches", "--size", "97"], "--size must be an even 96 to 512 pixels, not 97"),
        (["glitches", "--seed", "-1"], "--seed must be 0 or more, not -1"),
        (["glitches", "--jobs", "0"], "--jobs must be at least 1, not 0"),
        (["glitches", "--from", "no/such"], "no/such"),
        (["gitches"], "There is no benchmark named 'gitches'. Did you mean 'glitches'?"),
        (["pulse"], "needs PATH: the episodes to build from"),
    ],
)
def test_what_is_refused(words, said, tmp_path, capsys):
    assert code_of("build", *words, "--out", tmp_path / "out") == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()


def test_a_folder_inside_the_source_is_refused(folder):
    with pytest.raises(UsageError, match="lies inside"):
        build_glitches(BuildGlitchesSettings(folder / "out", 2, (str(folder),)))


def coding_of(path):
    """Return what the coding of a clip has in common with others, and its keyframes."""
    with av.open(str(path)) as container:
        video = container.streams.video[0]
        coder = video.codec_context
        told = (video.codec.name, video.profile, video.pix_fmt, video.average_rate, video.time_base)
        packets = [packet for packet in container.demux(video) if packet.size]
        return (*told, coder.has_b_frames, container.format.name), [
            number for number, packet in enumerate(packets) if packet.is_keyframe
        ]


def test_coded_frames_tell_nothing_of_a_glitch(built):
    """A clean clip and a spoilt one have the same coding: codec, pixels, and keyframes."""
    references = read_reports(built / "references.jsonl", truth=True)
    assert {bool(report.events) for report in references.values()} == {True, False}
    paths = {path.stem: path for path in built.rglob("*.mp4")}
    assert paths.keys() == references.keys()
    found = [coding_of(path) for path in paths.values()]
    assert len({told for told, _ in found}) == 1
    assert found[0][0][2] == "yuv420p"
    for path, (_, keyframes) in zip(paths.values(), found, strict=True):
        assert keyframes == list(range(0, len(VideoFrames(str(path)).clock()), 15))


def test_frames_that_change_at_once_are_no_keyframes(tmp_path):
    clean = np.full((60, 96, 96, 3), 120, np.uint8)
    clean[:, ::8] = 60
    noisy = clean.copy()
    noisy[22:30] = np.random.default_rng(0).integers(0, 255, noisy[22:30].shape)
    found = []
    for name, frames in (("clean", clean), ("noisy", noisy)):
        making._encode(tmp_path / f"{name}.mp4", frames, 15.0)
        found.append(coding_of(tmp_path / f"{name}.mp4"))
    assert found[0] == found[1]
    assert found[0][1] == [0, 15, 30, 45]
