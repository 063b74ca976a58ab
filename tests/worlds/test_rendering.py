"""Pictures against geometry: where a point of the world is drawn, how far it is, what it is."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from assay.errors import UsageError
from assay.records import Camera
from assay.worlds.look import QUALITY, VIEWS
from assay.worlds.rendering import Renderer
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World

SIZE = 256
SEED = 3  # the red block lies where neither the hand nor another thing hides it


@pytest.fixture(scope="module")
def world():
    world = World(LiftBlock())
    world.reset(SEED)
    return world


@pytest.fixture(scope="module")
def renderer(world):
    with Renderer(world, SIZE, "fast") as renderer:
        yield renderer


def project(camera: Camera, point: np.ndarray) -> tuple[float, float, float]:
    """Return column, row and depth of a world point: K R^T (p - t), divided by its depth."""
    rotation, origin = camera.world_from_camera[:3, :3], camera.world_from_camera[:3, 3]
    x, y, z = camera.intrinsics @ (rotation.T @ (point - origin))
    return x / z, y / z, z


def test_the_table_under_the_overhead_camera_is_as_far_as_the_camera_is_high(renderer):
    # The camera looks straight down from 1.30 m. A plane across the axis has one depth, 1.30 m,
    # in every pixel, and the view ends at 0.44 + 1.30 tan 18 deg = 0.86 m, inside the table.
    room = renderer.segmentation("overhead") == -1
    assert room.mean() > 0.5
    np.testing.assert_allclose(renderer.depth("overhead")[room], 1.30, atol=5e-4)


def test_the_top_of_a_block_is_drawn_where_it_is_as_large_as_it_is(renderer, world):
    # The top is at z = 0.05 m, 1.25 m below the camera, a square across the axis: its middle is
    # the mean of its pixels. f = 128 / tan 18 deg = 393.9 pixels, so 0.05 m are 15.8 pixels, and
    # the area is 248. A camera half a pixel off would fail the first line.
    block = renderer.segmentation("overhead") == renderer.names.index("block")
    top = block & (np.abs(renderer.depth("overhead") - 1.25) < 0.002)
    rows, columns = np.nonzero(top)
    centre = world.state.position("block") + np.array([0.0, 0.0, 0.025])
    u, v, z = project(renderer.camera("overhead"), centre)
    assert (columns.mean(), rows.mean()) == pytest.approx((u, v), abs=0.2)
    assert z == pytest.approx(1.25, abs=1e-3)
    assert top.sum() == pytest.approx(248, rel=0.06)


@pytest.mark.parametrize("view", ["front", "side"])
@pytest.mark.parametrize("name", ["block", "other", "can"])
def test_the_pixel_of_a_thing_carries_its_name_and_depth(renderer, world, view, name):
    # Along the ray to its centre the surface is nearer than the centre by at most half its
    # diagonal: 0.025 sqrt 3 = 0.043 m for a block.
    u, v, z = project(renderer.camera(view), world.state.position(name))
    shown = renderer.names[renderer.segmentation(view)[round(v), round(u)]]
    assert shown == name
    assert z - 0.045 < renderer.depth(view)[round(v), round(u)] < z


def test_the_wrist_camera_looks_along_the_hand(renderer, world):
    # OpenCV: z forward. The tool points down at the start, and so does the camera, which is
    # tilted to it by asin 0.297 = 17 deg; the point between the finger tips is in the picture.
    camera = renderer.camera("wrist")
    forward = camera.world_from_camera[:3, 2]
    assert forward @ world.state.matrix("tool")[:, 2] == pytest.approx(np.cos(0.3015), abs=0.01)
    u, v, z = project(camera, world.state.position("tool"))
    assert z > 0
    assert 0 <= u < SIZE
    assert 0 <= v < SIZE


@pytest.mark.parametrize("quality", QUALITY)
def test_names_of_pixels_do_not_depend_on_quality(world, renderer, quality):
    # Samples of a pixel must not be averaged into the number of a third thing.
    with Renderer(world, SIZE, quality) as other:
        np.testing.assert_array_equal(other.segmentation("front"), renderer.segmentation("front"))


def test_segmentation_leaves_no_trace_in_the_next_picture(renderer):
    before = renderer.rgb("front")
    renderer.segmentation("front")
    renderer.depth("front")
    np.testing.assert_array_equal(renderer.rgb("front"), before)


def test_two_renderers_take_turns(world, renderer):
    before = renderer.rgb("side")
    with Renderer(world, 64, "fast") as small:
        assert small.rgb("side").shape == (64, 64, 3)
        np.testing.assert_array_equal(renderer.rgb("side"), before)
    np.testing.assert_array_equal(renderer.rgb("side"), before)


def test_no_view_is_overexposed(renderer):
    # White paper on the table must keep its surface: saturated pixels hide what is there.
    for view in VIEWS:
        assert renderer.rgb(view).max() < 255


def test_what_cannot_be_drawn_is_said(world):
    with pytest.raises(UsageError, match="no quality named 'god'"):
        Renderer(world, 64, "god")
    with pytest.raises(UsageError, match="16 to 1024 pixels"):
        Renderer(world, 4000)
    renderer = Renderer(world, 64, "fast")
    with renderer, pytest.raises(UsageError, match="no view named 'top'"):
        renderer.rgb("top")
    with pytest.raises(UsageError, match="renderer is closed"):
        renderer.rgb("front")
    renderer.close()  # a second time does nothing


CLOSED = """
from assay.worlds.rendering import Renderer
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World
first = Renderer(World(LiftBlock()), 32, "fast")
second = Renderer(World(LiftBlock()), 32, "good")
shapes = first.rgb("front").shape, second.rgb("front").shape
first.close()
second.close()
print(shapes)
"""


def test_a_closed_renderer_says_nothing_when_the_process_ends():
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", CLOSED], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "((32, 32, 3), (32, 32, 3))\n"
