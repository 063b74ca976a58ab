"""ALOHA episodes of two arms: one HDF5 file each, also those of AIST-Bimanual."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from assay.episodes.guarding import guarded
from assay.episodes.hdf5.clocks import evenly, fitted
from assay.episodes.hdf5.files import hdf5_files, looks
from assay.episodes.hdf5.nodes import Node, opened
from assay.episodes.hdf5.sets import id_of, picture_view, rate_of
from assay.episodes.names import slug
from assay.records import Episode, Floats, Series, Unreadable, View

__all__ = ["Aloha"]

_RATE = 50.0  # steps a second of ALOHA; files don't tell
_ARM = 7  # six joints and the gripper of one arm; the left one comes first
_SLACK = 0.2  # by which a normalised gripper may leave 0..1
_TEXTS = ("language_instruction", "instruction", "task", "language_raw")


class Aloha:
    """Read ALOHA and AIST-Bimanual episodes, `observations` and `action` in HDF5 files."""

    reads: ClassVar[str] = (
        "HDF5 files with observations/qpos, observations/images and action, one per episode "
        "(ALOHA, AIST-Bimanual)"
    )

    def sniff(self, path: Path) -> bool:
        """Tell whether `path` is such a file, or a folder whose first HDF5 file is one."""
        return looks(path, lambda root: root.has("observations") and root.has("action"))

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes in the order of their files; a broken file is one broken episode."""
        for file in hdf5_files(path):
            bare = Episode(id_of(path, file), task=file.resolve().parent.name, source=str(file))
            yield guarded(bare, file, partial(_filled, bare, file, path))


def _filled(bare: Episode, file: Path, dataset: Path) -> Episode:
    with opened(file) as root:
        text = _instruction(root)
        rate = rate_of(root.attribute("fps"), _RATE, dataset, "the attribute 'fps'")
        actions = root.numbers("action", (None, None))
        times = evenly(len(actions), rate)
        found = {"action": Series(times, actions)} | _state(root.at("observations"), times)
        if root.has("base_action"):
            base = root.numbers("base_action", (None, None))
            found["base_action"] = fitted(root, "base_action", times, base)
        success = root.attribute("success")
        return replace(
            bare,
            instruction=text,
            task=slug(text) if text else bare.task,
            views=_views(root.at("observations"), times),
            signals=found,
            outcome=success if isinstance(success, bool) else None,
        )


def _instruction(root: Node) -> str:
    """Return the words for the task, wherever the many recorders of this layout put them."""
    told = (root.words(name) for name in _TEXTS)
    stored = (root.text(name) for name in _TEXTS if root.has(name) and not root.is_group(name))
    return next((text for text in (*told, *stored) if text), "")


def _state(observed: Node, times: Floats) -> dict[str, Series]:
    """Return the state of both arms; of another number of joints, as it is stored."""
    qpos = fitted(observed, "qpos", times, observed.numbers("qpos", (None, None))).values
    found: dict[str, Series] = {}
    rest = {
        key: fitted(observed, key, times, observed.numbers(key, (None, None)))
        for key in ("qvel", "effort")
        if observed.has(key)
    }
    if qpos.shape[1] != 2 * _ARM:
        return {"qpos": Series(times, qpos), **rest}
    for side, start in (("left", 0), ("right", _ARM)):
        gripper = qpos[:, start + _ARM - 1]
        found[f"joint_position.{side}"] = Series(times, qpos[:, start : start + _ARM - 1])
        if np.all((gripper > -_SLACK) & (gripper < 1 + _SLACK)):
            found[f"gripper_opening.{side}"] = Series(times, np.clip(gripper, 0, 1))
        else:  # not normalised, so how far it opens is not known
            found[f"gripper.{side}"] = Series(times, gripper)
        if "qvel" in rest and rest["qvel"].values.shape[1] == 2 * _ARM:
            speeds = rest["qvel"].values[:, start : start + _ARM - 1]
            found[f"joint_velocity.{side}"] = Series(times, speeds)
    return found | {key: series for key, series in rest.items() if key == "effort"}


def _views(observed: Node, times: Floats) -> dict[str, View]:
    if not observed.has("images"):
        return {}
    images = observed.at("images")
    return {
        name: picture_view(images, name, times, moves="wrist" in name) for name in images.names()
    }
