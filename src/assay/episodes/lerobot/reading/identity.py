"""What an episode of a LeRobot dataset is called, told by its tables alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.episodes.lerobot.layout import FLAGS
from assay.episodes.lerobot.reading.info import Info
from assay.episodes.names import slug
from assay.records import Episode

__all__ = ["bare_episode"]


def bare_episode(info: Info, row: Mapping[str, Any], own: Mapping[str, Any]) -> Episode:
    """Return the episode without its data; all of this is known even if the data can't be read.

    The task is a short form of the instruction; without one it is the folder's name.

    Args:
        info: The dataset.
        row: The episode's row of the episode table.
        own: Our own fields of it, or nothing.
    """
    index = int(row["episode_index"])
    tasks = row.get("tasks")
    text = own.get("instruction")
    if text is None:
        text = str(tasks[0]) if isinstance(tasks, list) and tasks else str(tasks or "")
    return Episode(
        id=own.get("id") or f"episode_{index:06d}",
        task=own.get("task") or (slug(text) if text else info.root.absolute().name),
        instruction=text,
        policy=own.get("policy") or "policy",
        world=own.get("world"),
        scene=own.get("scene"),
        perturbation=own.get("perturbation"),
        seed=own.get("seed"),
        outcome=own["outcome"] if "outcome" in own else _flag(row),
        source=str(info.root),
    )


def _flag(row: Mapping[str, Any]) -> bool | None:
    """Return whether the episode table calls the episode a success."""
    told = [
        row[name] for name in ("success", *FLAGS) if isinstance(row.get(name), (bool, int, float))
    ]
    return bool(told[0]) if told else None
