"""From robomimic and LIBERO files to `Episode` records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.episodes.guarding import guarded
from assay.episodes.hdf5.clocks import evenly, fitted
from assay.episodes.hdf5.files import hdf5_files
from assay.episodes.hdf5.nodes import Node, opened, whole_file
from assay.episodes.hdf5.sets import picture_view, rate_of
from assay.episodes.names import slug
from assay.episodes.robomimic.signals import KNOWN, signals_of
from assay.errors import InputError
from assay.records import Episode, Series, Unreadable, View

__all__ = ["read_robomimic"]

_RATE = 20.0  # steps a second of robosuite when nothing else is said
_FINGERS = "Panda"  # the robot whose gripper is known to open by 0.08 m


@dataclass(frozen=True, slots=True)
class _Dataset:
    """What all demonstrations of a file share.

    Attributes:
        prefix: What stands before the name of a demonstration in its id.
        instruction: The text that LIBERO gives; empty for robomimic.
        env_name: The environment; empty when it is not told.
        rate: Steps a second.
        panda: Whether every robot is a Panda.
        upside_down: Whether pictures are stored with the lowest row first.
        masks: The names of the filters by demonstration.
    """

    prefix: str
    instruction: str
    env_name: str
    rate: float
    panda: bool
    upside_down: bool
    masks: Mapping[str, list[str]]


def read_robomimic(path: Path) -> Iterator[Episode | Unreadable]:
    """Yield the demonstrations of the file or folder `path`."""
    files = hdf5_files(path)
    for file in files:
        prefix = f"{file.relative_to(path).with_suffix('').as_posix()}/" if path.is_dir() else ""
        with whole_file(), opened(file) as root:
            data = root.at("data")
            demos = data.groups("demo_")
            if not demos:
                raise InputError("'data' holds no group demo_0, demo_1 and so on.", file)
            shared = _dataset(root, data, prefix)
            for name in demos:
                yield _episode(data, shared, name)


def _dataset(root: Node, data: Node, prefix: str) -> _Dataset:
    env = data.parsed("env_args")
    kwargs = env.get("env_kwargs")
    kwargs = kwargs if isinstance(kwargs, dict) else {}
    problem = data.parsed("problem_info")
    libero = bool(problem) or data.attribute("bddl_file_name") is not None
    robots = kwargs.get("robots")
    robots = [robots] if isinstance(robots, str) else robots
    return _Dataset(
        prefix=prefix,
        instruction=_sentence(problem.get("language_instruction")),
        env_name=str(env.get("env_name") or data.words("env_name")),
        rate=rate_of(
            kwargs.get("control_freq"), _RATE, root.path, "control_freq in 'data@env_args'"
        ),
        # The mounted Panda of LIBERO carries the same gripper.
        panda=libero if not robots else all(str(r).endswith(_FINGERS) for r in robots),
        # LIBERO keeps pictures as the renderer gives them, robomimic turns them upright.
        upside_down=libero and data.words("macros_image_convention") != "opencv",
        masks=_masks(root),
    )


def _sentence(stored: object) -> str:
    """Return an instruction; some files keep it as a list of words."""
    words = stored if isinstance(stored, list) else [stored or ""]
    return " ".join(str(word) for word in words).strip()


def _masks(root: Node) -> dict[str, list[str]]:
    """Return the names of the filters that each demonstration is in, as "train" or "valid"."""
    found: dict[str, list[str]] = {}
    if not root.has("mask") or not root.is_group("mask"):
        return found
    mask = root.at("mask")
    for name in mask.names():
        for demo in mask.texts(name):
            found.setdefault(demo, []).append(name)
    return found


def _episode(data: Node, shared: _Dataset, name: str) -> Episode | Unreadable:
    task = slug(shared.instruction) if shared.instruction else shared.env_name or data.path.stem
    bare = Episode(
        f"{shared.prefix}{name}",
        task=task,
        instruction=shared.instruction,
        world=shared.env_name or None,
        source=str(data.path),
    )
    return guarded(bare, data.path, lambda: _filled(bare, data.at(name), shared, name))


def _filled(bare: Episode, demo: Node, shared: _Dataset, name: str) -> Episode:
    actions = demo.numbers("actions", (None, None))
    times = evenly(len(actions), shared.rate)
    found: dict[str, Series] = {"action": Series(times, actions)}
    for key, signal in (("rewards", "reward"), ("dones", "done")):
        if demo.has(key):
            found[signal] = fitted(demo, key, times, demo.numbers(key))
    views: dict[str, View] = {}
    extra: dict[str, Any] = {"masks": shared.masks.get(name, [])}
    if demo.has("obs"):
        obs = demo.at("obs")
        arrays = [key for key in obs.names() if not obs.is_group(key)]
        pictures = [key for key in arrays if key.endswith(("_rgb", "_image"))]
        views = {
            _view(key): picture_view(
                obs,
                key,
                times,
                upside_down=shared.upside_down,
                moves="eye_in_hand" in key,
            )
            for key in pictures
        }
        odd = [key for key in arrays if len(obs.shape(key)) != 2 and key not in KNOWN]
        unread = [key for key in odd if key not in pictures]
        low = [key for key in arrays if key not in pictures and key not in unread]
        found |= signals_of(obs, low, times, base=demo.words("model_file"), panda=shared.panda)
        extra |= {"unread": unread, "images_flipped": shared.upside_down}
    lang = _sentence(demo.parsed("ep_meta").get("lang"))
    if lang and not bare.instruction:  # RoboCasa says it for each demonstration
        bare = replace(bare, instruction=lang, task=slug(lang))
    return replace(bare, views=views, signals=found, extra={k: v for k, v in extra.items() if v})


def _view(key: str) -> str:
    return key.removesuffix("_rgb").removesuffix("_image")
