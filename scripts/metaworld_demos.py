"""Record metaworld's ten tasks MT10 as LeRobot datasets: demonstrations, and attempts to judge.

    .venv-metaworld/bin/python scripts/metaworld_demos.py OUT [--tasks reach push]

For every task OUT/TASK/demos holds 40 successes of metaworld's own scripted expert and
OUT/TASK/tests 30 attempts, good and bad, at scenes with other seeds. What is there already is kept.
`scripts/metaworld_check.sh` makes the environment.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.lerobot.writer import LeRobotWriter
from assay.records import Episode, Floats, Image, Series, View
from assay.worlds import gl

# Metaworld has no instructions of its own. The markers are its own too: small spheres.
TASKS = {
    "reach": "Move the gripper to the red marker.",
    "push": "Push the block to the green marker.",
    "pick-place": "Pick up the block and hold it at the blue marker.",
    "door-open": "Open the door of the safe.",
    "drawer-open": "Pull the drawer open.",
    "drawer-close": "Push the drawer shut.",
    "button-press-topdown": "Press the button from above.",
    "peg-insert-side": "Put the peg into the hole in the side of the box.",
    "window-open": "Slide the window open.",
    "window-close": "Slide the window shut.",
}
DEMOS, FIRST_DEMO, FIRST_TEST = 40, 0, 1000  # how many, and the first seeds
ELSEWHERE = 1000  # added to a seed gives that of the scene a replay was made at
CONTROL_HZ, STRIDE = 80, 4  # metaworld's rate, and the steps between two samples
FPS = CONTROL_HZ // STRIDE
HOLD = 20  # steps that an attempt goes on after its first success
SIZE = 128
# By view: two of metaworld's own, one on each side. From above the arm would hide what it handles.
CAMERAS = {"left": "corner", "right": "corner4"}

Action = npt.NDArray[np.float64]
Actor = Callable[[Floats, int], Action]  # observation and step -> what to do


@dataclass(frozen=True)
class Kind:
    """One kind of attempt.

    Attributes:
        policy: What the episodes call it.
        count: How many there are in the test set.
        noise: Standard deviation of what is added to the expert's actions, which lie in -1..1.
        astray_m: How far the expert is wrong about where things are, in a random direction [m].
        halts: Whether the expert stops after 30 to 80 % of the time it would have taken.
        replays: Whether the expert's actions at another scene are repeated here, blindly: the arm
            moves as in a success.
        expert: Whether an expert acts at all, or random actions do, scaled by `noise`.
        limit: The most steps.
    """

    policy: str
    count: int
    noise: float = 0.0
    astray_m: float = 0.0
    halts: bool = False
    replays: bool = False
    expert: bool = True
    limit: int = 160


EXPERT = Kind("expert", 8, limit=260)
TESTS = (
    EXPERT,
    Kind("noisy", 4, noise=0.5, limit=260),
    Kind("very-noisy", 4, noise=1.0, limit=260),
    Kind("halting", 5, halts=True),
    Kind("astray", 4, astray_m=0.12),
    Kind("replaying", 3, replays=True),
    Kind("aimless", 1, noise=1.0, expert=False),
    Kind("frozen", 1, noise=0.0, expert=False),
)


@dataclass(frozen=True, eq=False)
class Film:
    """Pictures in memory, as `assay.records.Frames` wants them."""

    name: str
    pictures: list[Image] = field(default_factory=list)

    def key(self) -> str:
        """Return the film's name."""
        return self.name

    def clock(self) -> Floats:
        """Return the time of every picture [s]."""
        return np.arange(len(self.pictures)) / FPS

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the picture shown at each of `times`."""
        last = len(self.pictures) - 1
        yield from (self.pictures[min(int(t * FPS + 1e-3), last)] for t in times)


class Stage:
    """One task of metaworld with its expert and its cameras. Close it.

    Args:
        task: One of `TASKS`.
    """

    def __init__(self, task: str) -> None:
        import mujoco
        from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE
        from metaworld.policies import ENV_POLICY_MAP

        self.task = task
        self.env = ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE[f"{task}-v3-goal-observable"](seed=0)
        self.env.seeded_rand_vec = True  # or scenes would not follow the seed
        self.env._freeze_rand_vec = False  # noqa: SLF001 - metaworld has no other way
        self.expert = ENV_POLICY_MAP[f"{task}-v3"]()
        quality = self.env.model.vis.quality
        quality.shadowsize = quality.offsamples = 0  # shadows take most of the time
        self._renderer = mujoco.Renderer(self.env.model, SIZE, SIZE)
        self._mirrors = int(mujoco.mjtRndFlag.mjRND_REFLECTION)

    def close(self) -> None:
        """Give the renderer and the environment back."""
        self._renderer.close()
        self.env.close()

    def reset(self, seed: int) -> tuple[Floats, float]:
        """Lay the scene out by `seed`; return the observation and the reward."""
        self.env.seed(seed)
        self.env.reset()
        # Some positions, and the reward, are only right after a step.
        observed, reward, *_ = self.env.step(np.zeros(4))
        return observed, float(reward)

    def step(self, action: Action) -> tuple[Floats, float, bool]:
        """Take one step of 1/80 s; return the observation, the reward and the success."""
        observed, reward, _, _, info = self.env.step(action)
        return observed, float(reward), bool(info["success"])

    def picture(self, camera: str) -> Image:
        """Return what a camera sees, uint8 of shape (SIZE, SIZE, 3)."""
        self._renderer.update_scene(self.env.data, camera=camera)
        self._renderer.scene.flags[self._mirrors] = 0
        found: Image = self._renderer.render()
        return found[::-1, ::-1].copy()  # these cameras hang upside down


def attempt(stage: Stage, kind: Kind, seed: int) -> Episode:
    """Let one attempt be made and filmed, and return it."""
    name = f"{kind.policy}/{stage.task}-{seed:04d}"
    films = {view: Film(f"{name}/{view}") for view in CAMERAS}
    actor, limit, rest = _actor(stage, kind, np.random.default_rng(seed)), kind.limit, 0
    if kind.halts:  # the same scene without a camera tells how long the expert takes
        taken = _rehearse(stage, seed)
        share = np.random.default_rng((seed, 1)).uniform(0.3, 0.8)
        limit, rest = int(share * (len(taken) - HOLD)), HOLD
    if kind.replays:
        script = _rehearse(stage, seed + ELSEWHERE)
        actor, limit, rest = (lambda _, step: script[step]), len(script), HOLD
    found = _play(stage, seed, actor, (limit, rest), films)
    times = np.arange(len(found["reward"])) / FPS
    signals = {k: np.array(found[k]) for k in ("reward", "success", "action")}
    return Episode(
        id=name,
        task=stage.task,
        instruction=TASKS[stage.task],
        views={view: View(film) for view, film in films.items()},
        signals={key: Series(times, values) for key, values in signals.items()},
        outcome=bool(signals["success"][-1]),
        policy=kind.policy,
        world="metaworld",
        scene=f"metaworld/{stage.task}-{seed:04d}",
        seed=seed,
    )


def _rehearse(stage: Stage, seed: int) -> list[Action]:
    """Return every action of the expert at a scene, without filming."""
    actor = _actor(stage, EXPERT, np.random.default_rng(seed))
    taken: list[Action] = _play(stage, seed, actor, (EXPERT.limit, 0), {})["taken"]
    return taken


def _play(
    stage: Stage, seed: int, actor: Actor, steps: tuple[int, int], films: dict[str, Film]
) -> dict[str, Any]:
    """Act until a success has lasted, or for so many steps, and so many more at rest."""
    observed, reward = stage.reset(seed)
    action, success, since = np.zeros(4), False, 0
    found: dict[str, Any] = {"reward": [], "success": [], "action": [], "taken": []}
    while True:
        for view, film in films.items():
            film.pictures.append(stage.picture(CAMERAS[view]))
        found["reward"].append(reward)
        found["success"].append(success)
        if len(found["taken"]) >= sum(steps) or since >= HOLD:
            # The action beside a sample is the one that follows it; the last has none of its own.
            found["action"].append(action)
            return found
        for nth in range(STRIDE):
            step = len(found["taken"])
            still = np.array([0.0, 0.0, 0.0, action[3]])  # the gripper keeps what it has
            action = actor(observed, step) if step < steps[0] else still
            if nth == 0:
                found["action"].append(action)
            found["taken"].append(action)
            observed, reward, success = stage.step(action)
            since += bool(since or success)


def _actor(stage: Stage, kind: Kind, rng: np.random.Generator) -> Actor:
    """Return who acts in an attempt of this kind."""
    if not kind.expert:
        # One direction for an eighth of a second each, or the arm would only tremble.
        wishes = kind.noise * rng.uniform(-1.0, 1.0, (kind.limit // 10 + 1, 4))
        return lambda _, step: wishes[step // 10]
    angle = rng.uniform(0.0, 2 * np.pi)
    offset = kind.astray_m * np.array([np.cos(angle), np.sin(angle), 0.0])

    def act(observed: Floats, _: int) -> Action:
        believed = observed.copy()  # experts write into what they are given
        for first in (4, 22, 36):  # the thing now, the thing one step ago, and the goal
            believed[first : first + 3] += offset
        wish = stage.expert.get_action(believed) + kind.noise * rng.normal(size=4)
        return np.clip(wish, -1.0, 1.0)

    return act


def demonstrations(stage: Stage) -> Iterator[Episode]:
    """Yield the expert's first successes, from seed to seed."""
    made, seed = 0, FIRST_DEMO
    while made < DEMOS:
        if seed == FIRST_TEST:
            raise SystemExit(f"The expert of {stage.task} has failed too often.")
        episode = attempt(stage, EXPERT, seed)
        seed += 1
        if episode.outcome:
            made += 1
            yield episode


def tests(stage: Stage) -> Iterator[Episode]:
    """Yield the attempts of every kind, each at a scene of its own."""
    kinds = [kind for kind in TESTS for _ in range(kind.count)]
    for number, kind in enumerate(kinds):
        yield attempt(stage, kind, FIRST_TEST + number)


def write(root: Path, episodes: Iterator[Episode]) -> str:
    """Write a dataset that appears whole or not at all, and say what it holds."""
    partial = root.with_name(f"{root.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    good: dict[str, list[bool]] = {}
    with LeRobotWriter(partial, fps=FPS, robot_type="sawyer") as writer:
        for episode in episodes:
            writer.add(episode)
            good.setdefault(episode.policy, []).append(bool(episode.outcome))
    partial.rename(root)
    return ", ".join(f"{policy} {sum(won)}/{len(won)}" for policy, won in good.items())


def record(out: Path, tasks: Sequence[str]) -> None:
    """Write what is missing of every task."""
    makers = {"demos": demonstrations, "tests": tests}
    for task in tasks:
        missing = {name: make for name, make in makers.items() if not (out / task / name).exists()}
        if not missing:
            continue
        stage = Stage(task)
        try:
            for name, make in missing.items():
                won = write(out / task / name, make(stage))
                sys.stderr.write(f"{task}/{name}: successes {won}\n")
        finally:
            stage.close()


def main() -> int:
    """Record the tasks that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    options = parser.parse_args()
    gl.choose()  # before MuJoCo is imported
    # Metaworld says that its experts' gains are high, at every step.
    warnings.filterwarnings("ignore", "Constant", UserWarning)
    record(options.out, options.tasks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
