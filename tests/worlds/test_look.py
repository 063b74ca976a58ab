"""The look is bound to its version: every task against its reference frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from assay import plugins
from assay.worlds._textures import MATERIALS
from assay.worlds.look import COLOURS, LOOK, reference_frame
from assay.worlds.rendering import Renderer
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World

FOLDER = Path(__file__).parent / "look"
TASKS = plugins.names("assay.worlds.tasks")
TO_DO = (
    "If the look was to change, raise LOOK in src/assay/worlds/look.py, run "
    "`python scripts/look.py`, and train the judges bound to it again; if not, find what moved it."
)


@pytest.mark.parametrize("task", TASKS)
def test_no_pixel_moves_by_more_than_two_grey_levels(task):
    # Mesa's EGL and OSMesa draw the same bits, so no pixel is let off.
    path = FOLDER / f"{task}-{LOOK}.png"
    assert path.is_file(), f"{path.name} is missing: run `python scripts/look.py`."
    with Image.open(path) as picture:
        reference = np.asarray(picture).astype(int)
    moved = np.abs(reference_frame(task) - reference)
    assert moved.max() <= 2, (
        f"{task}: {(moved.max(axis=-1) > 2).sum()} pixels moved, by up to {moved.max()} grey "
        f"levels. {TO_DO}"
    )


def test_there_are_no_frames_of_other_versions_or_tasks():
    assert {p.name for p in FOLDER.iterdir()} == {f"{task}-{LOOK}.png" for task in TASKS}


def test_colours_of_things_are_well_apart_from_each_other_and_from_every_table():
    # In grey levels of RGB, before light: 60 is a quarter of the scale.
    colours = {name: np.array(rgb) * 255 for name, rgb in COLOURS.items()}
    tables = {f"table-{n}": draw().reshape(-1, 3) for n, draw in enumerate(MATERIALS["table"])}
    for name, rgb in colours.items():
        for other, others in {**{k: v[None] for k, v in colours.items()}, **tables}.items():
            if other != name:
                assert np.linalg.norm(others - rgb, axis=1).min() > 60, f"{name} on {other}"


def test_a_surface_without_anything_over_it_carries_no_shadow():
    # Beyond x = 0.70 m nothing stands at the start, and the sun shines towards the robot: with
    # shadows that part of the table is as bright as without, but for rounding twice. It fills
    # the lower part of the overhead view: 0.26 m past its middle, which shows 0.422 m each way.
    world = World(LiftBlock())
    shown = []
    for quality in ("fast", "good", "fine"):
        with Renderer(world, 128, quality) as renderer:
            shown.append(renderer.rgb("overhead").astype(int))
    far = slice(64 + round(64 * 0.26 / 0.422), None)
    for picture in shown[1:]:
        assert np.abs(picture - shown[0])[far].max() <= 2
        assert np.abs(picture - shown[0]).max() > 20
