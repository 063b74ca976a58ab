"""Say in words what an episode's signals tell about one moment."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.records import Episode, Floats

__all__ = ["OBJECT_SIGNALS", "ROBOT_SIGNALS", "history_words", "object_words", "robot_words"]

ROBOT_SIGNALS = ("ee_position", "gripper_opening", "joint_position", "action")
"""What the robot's state is worded from; two arms append `.left` and `.right`."""
OBJECT_SIGNALS = ("object.*", "contact", "contact.*")
"""What the objects' state is worded from; a star stands for any ending."""

_TOUCH_N = 0.05  # a weaker push is the solver's rounding, not a touch
_SHOWN = 12  # numbers of a signal in a sentence: a humanoid has more joints than anyone reads
_POSITION = ".position"


def robot_words(episode: Episode, time: float) -> str:
    """Return where the robot is at `time` [s], a line each; empty when nothing tells it."""
    return "\n".join(_robot(episode, time))


def object_words(episode: Episode, time: float) -> str:
    """Return where the objects are and what touches what at `time` [s]; empty without either."""
    lines = [*_layout(episode, time)]
    return "\n".join([*lines, *_contacts(episode, time)])


def history_words(episode: Episode, time: float, steps: int = 8) -> str:
    """Return what the robot did from the start to `time` [s], in at most `steps` lines."""
    names = [name for name in episode.signals if _base(name) in ROBOT_SIGNALS]
    told = [name for name in names if _base(name) != "joint_position"]
    if not told:
        return ""
    start = min(float(episode.signals[name].times[0]) for name in told)
    moments = np.linspace(start, max(time, start), steps if time > start else 1)
    return "\n".join(
        f"at {moment:.1f} s: " + "; ".join(_words(episode, name, moment) for name in told)
        for moment in moments.tolist()
    )


def _robot(episode: Episode, time: float) -> Iterator[str]:
    for name in episode.signals:
        if _base(name) in ROBOT_SIGNALS and _base(name) != "action":
            yield _words(episode, name, time)


def _words(episode: Episode, name: str, time: float) -> str:
    """Return one signal of the robot at one moment, in words."""
    value = _at(episode, name, time)
    base, _, arm = name.partition(".")
    side = f"{arm} " if arm else ""
    if base == "ee_position":
        return f"the {side}gripper is at {_point(value)}"
    if base == "gripper_opening":
        return f"the {side}gripper is {100 * float(value[0]):.0f} % open"
    kind = "joint angles [rad]" if base == "joint_position" else "action sent"
    more = ", ..." if len(value) > _SHOWN else ""
    return f"{side}{kind} " + ", ".join(f"{number:.2f}" for number in value[:_SHOWN]) + more


def _layout(episode: Episode, time: float) -> Iterator[str]:
    for name in episode.signals:
        if name.startswith("object.") and name.endswith(_POSITION):
            thing = name.removeprefix("object.").removesuffix(_POSITION)
            yield f"{thing} is at {_point(_at(episode, name, time))}"


def _contacts(episode: Episode, time: float) -> Iterator[str]:
    """Yield what touches what; nothing is said of episodes that don't record contacts."""
    pairs = [
        name for name in episode.signals if name.startswith("contact.") and name.count(".") > 1
    ]
    touching = []
    for name in pairs:
        force = float(_at(episode, name, time)[0])
        if force > _TOUCH_N:
            one, _, other = name.removeprefix("contact.").partition(".")
            touching.append(f"{one} touches {other} ({force:.1f} N)")
    if pairs:
        yield from touching or ["nothing touches anything"]
    elif "contact" in episode.signals:
        holds = bool(_at(episode, "contact", time)[0])
        yield f"the gripper touches {'a' if holds else 'no'} movable object"


def _at(episode: Episode, name: str, time: float) -> Floats:
    values = np.asarray(episode.at(name, np.array([time]))[0], dtype=np.float64)
    return values.reshape(-1)


def _point(value: Floats) -> str:
    return "(" + ", ".join(f"{number:.3f}" for number in value) + ") m"


def _base(name: str) -> str:
    return name.partition(".")[0]
