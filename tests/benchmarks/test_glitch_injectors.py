"""The contract of injectors, on every one that is found: each edits what it says, and only then."""

import contextlib
import json

import numpy as np
import pytest

import glitch_clips_made as clips
from assay import plugins
from assay.benchmarks.glitches.injecting.injectors.base import Acting
from assay.benchmarks.glitches.injecting.making import event_of
from assay.benchmarks.glitches.injecting.orders import INJECTORS, TASKS, Order, injectors
from assay.benchmarks.glitches.injecting.prepared import seen_change, stretch
from assay.episodes.glitches.reports import event_as_json, read_reports
from assay.episodes.glitches.taxonomy import taxonomy
from assay.errors import EpisodeError
from assay.worlds.tasks.base import hands_of

FOUND = injectors()
EDITS = [name for name, one in FOUND.items() if one.needs in ("frames", "scene")]
ALONE = [name for name, one in FOUND.items() if one.needs in ("frames", "recorded")]
ACTS = [name for name, one in FOUND.items() if one.needs == "acting"]


def clip_for(injector):
    """An attempt that the injector can spoil; two arms only where they are needed."""
    one = clips.stage().task("stack-blocks")
    return clips.attempt("stack-blocks" if injector.suits(one) else "hold-and-insert")


def check_event(injector, made, clip, level, tmp_path):
    """The reference can be meant: type, span, severity; its words name something and a cause."""
    order = Order("clip-1", "train", 0, 0, "any", level)
    event = event_of(injector, made, order, clip)
    line = {"clip": "clip-1", "length_s": clip.length_s, "events": [event_as_json(event)]}
    (tmp_path / "reports.jsonl").write_text(json.dumps(line))
    read = read_reports(tmp_path / "reports.jsonl", truth=True)["clip-1"].events
    assert [(e.type, e.start_s, e.end_s) for e in read] == [
        (injector.type, event.start_s, event.end_s)
    ]
    assert event.dimension == taxonomy().dimension_of(injector.type)
    assert ", as of " in event.description
    assert len(event.description.split()) >= 12
    assert 0.0 <= event.start_s < event.end_s <= clip.length_s + 1e-6


@pytest.mark.parametrize("name", FOUND)
def test_what_an_injector_says_of_itself(name):
    one = FOUND[name]
    assert one.type in taxonomy().types
    assert one.which in ("first", "second")
    assert list(one.severities) == sorted(one.severities)
    assert set(one.severities) <= {1, 2, 3, 4, 5}
    assert isinstance(one, Acting) == (one.needs == "acting")
    assert plugins.describe(INJECTORS, name).endswith(".")


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_stays_inside_its_span_and_is_seen_there(name, tmp_path):
    one = FOUND[name]
    clip = clip_for(one)
    before = clip.frames.copy()
    level = len(name) % 3  # every level is somebody's
    made = clips.injected(one, clip, level)
    np.testing.assert_array_equal(clip.frames, before)
    np.testing.assert_array_equal(made.frames[: made.start], before[: made.start])
    np.testing.assert_array_equal(made.frames[made.stop :], before[made.stop :])
    assert seen_change(before, made.frames) == (made.start, made.stop)
    check_event(one, made, clip, level, tmp_path)


@pytest.mark.parametrize("name", EDITS)
def test_the_scene_is_put_back(name):
    clip = clip_for(FOUND[name])
    again = clip.attempt.draw(3)
    np.testing.assert_array_equal(again, clip.frames[3])


@pytest.mark.parametrize(
    "name",
    [
        "blur-gaussian",
        "corruption-blocks",
        "visibility-unlit",
        "teleport-moved",
        "teleport-snatched",
    ],
)
def test_the_same_chance_gives_the_same_pixels(name):
    one = FOUND[name]
    first, second = (clips.injected(one, clip_for(one), 1) for _ in range(2))
    np.testing.assert_array_equal(first.frames, second.frames)
    assert first.description == second.description


@pytest.mark.parametrize("name", ALONE)
def test_pictures_alone_are_enough(name, tmp_path):
    one, clip = FOUND[name], clips.recorded()
    made = clips.injected(one, clip, 2)
    np.testing.assert_array_equal(made.frames[: made.start], clip.frames[: made.start])
    check_event(one, made, clip, 2, tmp_path)


@pytest.mark.parametrize("name", [n for n in EDITS if FOUND[n].needs == "scene"])
def test_a_recorded_clip_has_no_scene_to_edit(name):
    with pytest.raises(EpisodeError):
        FOUND[name].inject(clips.recorded(), 0, np.random.default_rng(0))


@pytest.mark.parametrize("name", ACTS)
def test_a_mistake_is_made_and_marked(name, tmp_path):
    one = FOUND[name]
    fit = [task for task in TASKS["train"] if one.suits(clips.other_stage().task(task))]
    task = clips.other_stage().task(fit[0])
    level = 0 if hands_of(task) == 2 else 1
    actor = one.actor(task, 6, level)
    clip = clips.other_stage().prepare(fit[0], actor, 6, "front", pace=1.0, noise=0)
    made = one.inject(clip, level, np.random.default_rng(0))
    np.testing.assert_array_equal(made.frames, clip.frames)
    check_event(one, made, clip, level, tmp_path)


def test_a_glitch_that_nobody_sees_is_refused():
    frames = clips.recorded().frames
    with pytest.raises(EpisodeError, match="can't be seen"):
        seen_change(frames, frames.copy())
    # 96 x 96 x 0.0008 = 7.4 pixels must change by 20 grey levels: 7 are too few, 8 are enough.
    nearly = frames.copy()
    nearly[9, 0, :7] = np.where(frames[9, 0, :7] > 127, 0, 255)
    with pytest.raises(EpisodeError, match="can't be seen"):
        seen_change(frames, nearly)
    nearly[9, 0, 7] = np.where(frames[9, 0, 7] > 127, 0, 255)
    assert seen_change(frames, nearly) == (9, 10)


def test_a_stretch_leaves_room_at_both_ends():
    clip = clips.recorded()
    drawn = [stretch(clip, np.random.default_rng(n), 0.8, 1.8) for n in range(200)]
    # 0.35 s at 15 frames a second are 5 frames.
    assert min(start for start, _ in drawn) == 5
    assert max(stop for _, stop in drawn) == 45 - 5
    assert {stop - start for start, stop in drawn} == set(range(12, 28))
    with pytest.raises(EpisodeError, match="no room"):
        stretch(clip, np.random.default_rng(0), 2.5, 3.0)


@pytest.mark.parametrize("name", [n for n, one in FOUND.items() if isinstance(one, Acting)])
def test_an_actor_is_made_for_every_task_that_suits_or_the_task_is_refused(name):
    injector, acted = FOUND[name], 0
    for task in map(clips.stage().task, sorted({t for ts in TASKS.values() for t in ts})):
        for level in range(3) if injector.suits(task) else ():
            with contextlib.suppress(EpisodeError):  # another task is drawn then
                acted += injector.actor(task, 0, level) is not None
    assert acted
