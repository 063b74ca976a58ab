"""Building clips with known glitches, end to end: files, readers, resuming, recorded clips."""

import csv
import json

import numpy as np
import pytest

from assay.benchmarks.glitches.injecting import making
from assay.cli._app import run
from assay.episodes import catalogue
from assay.episodes.glitches.reports import read_reports
from assay.episodes.video import VideoFrames, probe
from assay.errors import RunError, UsageError
from assay.jobs.build_glitches import BuildGlitchesSettings, build_glitches
from assay.records import Episode
from clips import write_clip
from killed import files_of

SMALL = ("--clips", "5", "--size", "96", "--jobs", "1")


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
    """Two recorded clips of 3 s, one of which moves with the robot, and one that is too short."""
    root = tmp_path_factory.mktemp("recorded")
    for name, frames in (("a", 45), ("b", 45), ("c", 5)):
        write_clip(root / f"{name}.mp4", frames=frames, fps=15, size=(128, 96), draw=_crossing)
    (root / "manifest.csv").write_text(
        "file,instruction,moves\na.mp4,Open the box.,no\nb.mp4,Close it.,yes\nc.mp4,Wait.,no\n"
    )
    return root


def _crossing(number, size):
    """A white square that crosses a wall from left to right; a dark one lies still below."""
    columns, rows = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    picture = np.repeat((100 + (7 * columns + 13 * rows) % 24)[..., None], 3, -1).astype(np.uint8)
    picture[66:76, 20:30] = 10
    picture[20:40, 2 * number : 2 * number + 16] = 255
    return picture


def test_every_clip_is_there_and_has_a_reference(built):
    references = read_reports(built / "references.jsonl", truth=True)
    assert len(references) == 5
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


def test_a_broken_off_build_is_taken_up_and_ends_the_same(built, tmp_path, monkeypatch):
    made, encode = [], making._encode

    def breaks(path, frames, fps):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(path.name)
        encode(path, frames, fps)

    settings = BuildGlitchesSettings(tmp_path / "out", clips=5, size=96, jobs=1)
    monkeypatch.setattr(making, "_encode", breaks)
    with pytest.raises(KeyboardInterrupt):
        build_glitches(settings)
    assert not (tmp_path / "out" / "build.json").exists()
    monkeypatch.setattr(making, "_encode", encode)
    assert build_glitches(settings).ok
    expected = files_of(built)
    found = files_of(tmp_path / "out")
    assert found == expected
    assert build_glitches(settings).document["clips"] == {"test": 3, "train": 2}  # does nothing


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


def test_coded_frames_tell_nothing_outside_of_a_glitch(built):
    """A clean clip and a spoilt one have the same coding: codec, pixels, and keyframes."""
    known = {probe(str(path)).pix_fmt for path in built.rglob("*.mp4")}
    assert known == {"yuv420p"}
    frames = list(VideoFrames(str(next(built.rglob("*.mp4")))).at(np.array([0.0, 1.0])))
    assert frames[0].shape == frames[1].shape
