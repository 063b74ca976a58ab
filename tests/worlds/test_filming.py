"""Filming: the pictures are those of the renderer, and nothing is left behind."""

from __future__ import annotations

import errno
import subprocess
import sys

import numpy as np
import pytest

from assay.episodes.lerobot.writing.clip import ClipWriter, clip_path
from assay.episodes.video import VideoFrames
from assay.errors import HarnessFault, UnknownNameError, UsageError
from assay.worlds.filming import Images, Reel, Studio
from assay.worlds.perturbations.background import Background
from assay.worlds.rendering import Renderer
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World

SIZE = 32
HOME = np.array([0.0, -0.35, 0.0, -2.3, 0.0, 1.95, 0.785, 1.0])


@pytest.fixture(scope="module")
def world():
    return World(LiftBlock())


@pytest.fixture(scope="module")
def studio(world):
    with Studio(world, SIZE, "fast") as studio:
        yield studio


def test_pictures_are_those_of_a_renderer(world, studio):
    images = Images(studio)
    for perturbations in ((), (Background(3),), ()):
        world.reset(1, perturbations)
        for _ in range(3):
            world.step(HOME + 0.1)
        with Renderer(world, SIZE, "fast") as renderer:
            for view in images:
                assert np.array_equal(images[view], renderer.rgb(view))
    assert len(images) == 4


def test_a_view_that_is_not_there_is_refused(studio):
    with pytest.raises(UnknownNameError, match="Did you mean 'front'"):
        Images(studio)["frnt"]


def test_a_picture_is_the_callers_own(world, studio):
    world.reset(2)
    first = studio.picture("front")
    first[:] = 0
    assert studio.picture("front").any()


def test_a_reel_shows_every_moment_it_was_asked_for(world, studio, tmp_path):
    world.reset(3)
    writers = {view: ClipWriter(tmp_path, view, 7, 10, 12) for view in ("front", "wrist")}
    seen = []
    with Reel(studio, writers) as reel:
        for _ in range(12):
            reel.shoot()
            seen.append(studio.picture("wrist"))
            world.step(HOME)
        clips = reel.finish()
    assert {v: (c.file, c.length, c.size) for v, c in clips.items()} == dict.fromkeys(
        ("front", "wrist"), (7, 12, (SIZE, SIZE))
    )
    frames = list(VideoFrames(str(clip_path(tmp_path, "wrist", 7))).at(np.arange(12) / 10))
    # Encoding loses a little; frames of another moment would be far off in many pixels.
    assert np.abs(np.array(frames).astype(int) - np.array(seen)).mean() < 4
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == ["file-007.mp4"] * 2


def test_a_reel_that_breaks_off_leaves_nothing(world, studio, tmp_path):
    def break_off():
        with Reel(studio, {"front": ClipWriter(tmp_path, "front", 0, 10, 9)}) as reel:
            reel.shoot()
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


class Broken:
    """A writer that fails."""

    def __init__(self, error):
        self.error = error

    def add(self, picture):
        raise self.error

    def discard(self):
        pass


def _shoot_and_finish(reel):
    reel.shoot()
    reel.finish()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(errno.ENOSPC, "full"), OSError),
        (MemoryError("no"), HarnessFault),
        (HarnessFault("as it is"), HarnessFault),
    ],
)
def test_what_goes_wrong_in_the_thread_is_raised_in_the_callers(world, studio, error, kind):
    world.reset(0)
    with Reel(studio, {"front": Broken(error)}) as reel, pytest.raises(kind):
        _shoot_and_finish(reel)
    assert studio.picture("front").any()


def test_a_studio_can_be_closed_twice_and_without_a_picture(world):
    studio = Studio(world, SIZE, "fast")
    studio.close()
    studio.close()
    assert not studio._thread.is_alive()


LEFT_OPEN = """
from assay.worlds.filming import Studio
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World
assert Studio(World(LiftBlock()), 16, "fast").picture("front").any()
"""


def test_a_closed_studio_says_so(world):
    studio = Studio(world, 32, "fast")
    studio.close()
    with pytest.raises(UsageError, match="The studio is closed"):
        studio.picture("front")


def test_a_studio_that_was_left_open_ends_without_a_word():
    command = [sys.executable, "-W", "error", "-c", LEFT_OPEN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_views_no_film():
    with Reel(None, {}) as reel:
        reel.shoot()
        assert reel.finish() == {}
