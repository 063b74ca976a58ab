"""Make docs/images/worlds.png and docs/images/perturbations.png.

.venv/bin/python scripts/contact_sheet.py

The first shows the expert in every task that is found, the second one task under every
perturbation beside its control.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from assay import plugins
from assay.records import Floats
from assay.worlds.look import views_of
from assay.worlds.perturbations.background import Background
from assay.worlds.perturbations.base import Perturbation
from assay.worlds.perturbations.camera import CameraJitter
from assay.worlds.perturbations.colour import Colour
from assay.worlds.perturbations.distractors import Distractors
from assay.worlds.perturbations.lighting import Lighting
from assay.worlds.perturbations.objects import Objects
from assay.worlds.policies.expert import Expert
from assay.worlds.rendering import Renderer
from assay.worlds.tasks.base import Task
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World

FOLDER = Path(__file__).parent.parent / "docs" / "images"
PIXELS = 160
GAP, HEAD = 4, 20
PAPER, INK = (252, 252, 252), (40, 44, 52)
SEED = 2
HELD = 10  # control steps that a success lasts before the episode ends

SHOWN: tuple[tuple[Perturbation, ...], ...] = (
    (),
    *((Background(variant),) for variant in range(1, 6)),
    (Colour(0.33),),
    (Colour(0.66),),
    (Colour(1.0),),
    (Objects(3),),
    (Lighting(2),),
    (CameraJitter(5.0),),
    (Distractors(3),),
    (Background(4), Objects(2)),
)


def main() -> None:
    """Render both sheets."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    tasks = plugins.names("assay.worlds.tasks")
    rows = [_moments(plugins.find("assay.worlds.tasks", name)()) for name in tasks]
    _save(rows, FOLDER / "worlds.png")
    cells = _perturbed(LiftBlock())
    _save([cells[:7], cells[7:]], FOLDER / "perturbations.png")


def _moments(task: Task) -> list[tuple[str, Image.Image]]:
    """Return front views of one episode of the expert, then the other views of its middle."""
    world = World(task)
    poses = _episode(world)
    picked = [poses[round(share * (len(poses) - 1))] for share in (0.0, 0.3, 0.6, 1.0)]
    views = [(pose, "front") for pose in picked]
    views += [(picked[1], view) for view in views_of(world.robot)[1:4]]
    names = [task.name, "", "", "", "side", "overhead", "wrist"]
    with Renderer(world, PIXELS, "fine") as renderer:
        pictures = []
        for pose, view in views:
            renderer.follow(pose)
            pictures.append(Image.fromarray(renderer.rgb(view)))
    return list(zip(names, pictures, strict=True))


def _episode(world: World) -> list[Floats]:
    """Return the joint positions of every control step until success has held."""
    world.reset(SEED)
    actor = Expert().actor(world.task, SEED)
    actor.reset(world.task.instruction)
    poses, held = [np.array(world.data.qpos)], 0
    while world.state.time < world.task.limit_s and held < HELD:
        for action in actor.act(world.observe()):
            world.step(action)
            poses.append(np.array(world.data.qpos))
            held = held + 1 if world.success() else 0
    return poses


def _perturbed(task: Task) -> list[tuple[str, Image.Image]]:
    """Return the first moment of one scene under each perturbation."""
    world = World(task)
    cells = []
    with Renderer(world, PIXELS, "fine") as renderer:
        for perturbations in SHOWN:
            world.reset(SEED, perturbations)
            renderer.follow(world.data.qpos)
            name = world.perturbation or "plain"
            cells.append((name, Image.fromarray(renderer.rgb("front"))))
    return cells


def _save(rows: Sequence[Sequence[tuple[str, Image.Image]]], path: Path) -> None:
    """Write rows of pictures, each under its name."""
    width = max(len(row) for row in rows) * (PIXELS + GAP) - GAP
    sheet = Image.new("RGB", (width, len(rows) * (PIXELS + HEAD + GAP) - GAP), PAPER)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=13)
    for line, row in enumerate(rows):
        top = line * (PIXELS + HEAD + GAP)
        for column, (name, picture) in enumerate(row):
            left = column * (PIXELS + GAP)
            pen.text((left + 2, top + 2), name, fill=INK, font=font)
            sheet.paste(picture, (left, top + HEAD))
    # Steps of 4 grey levels halve the file, and small things keep their colour.
    coarse = np.asarray(sheet) // 4 * 4 + 2
    Image.fromarray(coarse.astype(np.uint8)).save(path, optimize=True)


if __name__ == "__main__":
    main()
