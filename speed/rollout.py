"""What a rollout costs beyond its physics and its pictures.

    python speed/rollout.py [--rounds 3] [--seeds 6] [--task handover]

In turns, in one process: a rollout of the expert, then the same control steps by bare `mj_step` and
the same frames by bare rendering. CPU time of all threads; medians of the ratios. Making the world
and the renderer, encoding, recording and writing the dataset are the rollout's own cost.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mujoco
import numpy as np

from assay.jobs.rollout import RolloutSettings, make_task, rollout
from assay.worlds.look import VIEWS, views_of
from assay.worlds.policies.expert import Expert
from assay.worlds.recording import stride_of
from assay.worlds.rendering import Renderer
from assay.worlds.session import Session
from assay.worlds.world import CONTROL_HZ, World

LIMIT = 1.25
FPS = 10


def attempts_of(world: World, seeds: range) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Return seed, controls of every step and joints of every frame, as the rollout has them."""
    found = []
    stride = stride_of(FPS)
    for seed in seeds:
        session = Session(world, Expert().actor(world.task, seed))
        session.reset(seed)
        controls, frames = [], [np.array(world.data.qpos)]
        while not session.finished:
            for _ in range(stride):
                session.step()
                controls.append(np.array(world.data.ctrl))
            frames.append(np.array(world.data.qpos))
        found.append((seed, np.array(controls), np.array(frames)))
    return found


def cpu_of_physics(world: World, attempts: list[tuple[int, np.ndarray, np.ndarray]]) -> float:
    model, data = world.model, world.data
    substeps, total = round(1 / CONTROL_HZ / model.opt.timestep), 0.0
    for seed, controls, _ in attempts:
        world.reset(seed)
        began = time.process_time()
        for control in controls:
            data.ctrl[:] = control
            mujoco.mj_step(model, data, substeps)
        total += time.process_time() - began
    return total


def cpu_of_pictures(
    world: World,
    renderer: Renderer,
    attempts: list[tuple[int, np.ndarray, np.ndarray]],
    views: tuple[str, ...],
) -> float:
    total = 0.0
    for seed, _, frames in attempts:
        world.reset(seed)
        began = time.process_time()
        for qpos in frames:
            renderer.follow(qpos)
            for view in views:
                renderer.rgb(view)
        total += time.process_time() - began
    return total


def cpu_of_rollout(task: str, seeds: range, views: tuple[str, ...], quality: str) -> float:
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "run"
        asked = RolloutSettings(
            out, task, seeds=seeds, views=views, quality=quality, fps=FPS, jobs=1
        )
        began = time.process_time()
        rollout(asked)
        return time.process_time() - began


def ratio_of(world: World, views: tuple[str, ...], quality: str, rounds: int, seeds: int) -> None:
    ratios, parts = [], []
    attempts = attempts_of(world, range(seeds))
    for _ in range(rounds):
        whole = cpu_of_rollout(world.task.name, range(seeds), views, quality)
        physics = cpu_of_physics(world, attempts)
        with Renderer(world, 256, quality) as renderer:
            pictures = cpu_of_pictures(world, renderer, attempts, views)
        ratios.append(whole / (physics + pictures))
        parts.append((whole, physics, pictures))
    whole, physics, pictures = (statistics.median(column) for column in zip(*parts, strict=True))
    count = len(views) * sum(len(frames) for _, _, frames in attempts)
    print(
        f"{world.task.name}, {len(views)} views, 256 px, {quality}: "
        f"{statistics.median(ratios):.2f}x (limit {LIMIT}x for good); {seeds} attempts, "
        f"{count} frames: rollout {whole:.1f} cpu-s, "
        f"physics {physics:.1f}, pictures {pictures:.1f}"
    )


def frames_a_second(world: World, views: tuple[str, ...]) -> None:
    attempts = attempts_of(world, range(1))
    for quality in ("fast", "good"):
        found = []
        for size in (128, 256, 480):
            with Renderer(world, size, quality) as renderer:
                renderer.rgb("front")
                seconds = cpu_of_pictures(world, renderer, [(0, None, attempts[0][2][::4])], views)
            found.append(f"{size} px {len(attempts[0][2][::4]) * len(views) / seconds:.0f}")
        print(f"frames a cpu-second, {quality}: {', '.join(found)}")


def start_of_a_worker(task: str) -> None:
    """Print what a process costs before its first attempt: imports, world and renderer."""
    code = (
        "from assay.jobs.rollout import make_task\n"
        "from assay.worlds.rendering import Renderer\n"
        "from assay.worlds.world import World\n"
        f"Renderer(World(make_task({task!r})), 256, 'good').close()\n"
    )
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True)
    after = os.times()
    seconds = after.children_user + after.children_system
    seconds -= before.children_user + before.children_system
    print(f"start of a worker: {seconds:.1f} cpu-s, once for each process")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--task", default="place-in-basket")
    options = parser.parse_args()
    world = World(make_task(options.task))
    views = views_of(world.robot, VIEWS)
    cpu_of_rollout(options.task, range(1), views[:1], "fast")  # imports what it needs
    ratio_of(world, views, "good", options.rounds, options.seeds)
    ratio_of(world, views, "fast", options.rounds, options.seeds)
    frames_a_second(world, views)
    start_of_a_worker(options.task)


if __name__ == "__main__":
    main()
