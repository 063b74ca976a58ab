"""Carry out the training of a policy: read, learn, write graph and card, measure, report."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engine import Journal
from assay.engine.progress import ProgressBar
from assay.engine.tally import Meter
from assay.jobs._inputs import Gathered
from assay.jobs._policy_lessons import SIZE, Demos, Taught, teach
from assay.jobs._policy_scores import scores
from assay.jobs._policy_tried import try_policy
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.records import Episode
from assay.reports.policy_page import write_policy_page
from assay.worlds.policies._cloned.card import CARD, GRAPH, Card
from assay.worlds.policies._cloned.lessons import CHUNK, Lesson

if TYPE_CHECKING:
    from assay.worlds.policies._cloned.fitting import Fitted, Recipe

__all__ = ["PolicyTraining", "clear_work"]

_WORK = "work"
_STEPS = {"state": 3000, "pixels": 2500}
_BATCH = {"state": 256, "pixels": 32}
_LOOKS = 20


@dataclass(frozen=True)
class PolicyTraining:
    """One training under way.

    Attributes:
        run: The run directory; it becomes the policy.
        gathered: What was read.
        demos: The demonstrations in it.
        jobs: Workers that read frames; None takes one a core.
    """

    run: RunDirectory
    gathered: Gathered
    demos: Demos
    jobs: int | None

    @property
    def asked(self) -> Mapping[str, Any]:
        """Return the settings as run.json holds them."""
        settings: Mapping[str, Any] = self.run.document["settings"]
        return settings

    def do(self) -> dict[str, Any]:
        """Learn, write, and clear up; return the document."""
        started = time.perf_counter()
        # The journal's lock is held to the end, so that two commands never mix.
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            taught = teach(self.demos, self.asked, self.run.path / _WORK, journal, self.jobs)
            fitted = self._fit(taught)
            card = self._write(taught, fitted)
            document = self._document(taught, fitted, card)
            document["tried"] = self._try(card)
            write_policy_page(document, self.run.path)
            write_file(self.run.result, dump_json(document))
        timing = {"seconds": time.perf_counter() - started}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        self.run.finish()
        clear_work(self.run)
        return document

    def _fit(self, taught: Taught) -> Fitted:
        from assay.models.checkpoint import Checkpoint
        from assay.worlds.policies._cloned.fitting import fit

        recipe = _recipe(self.asked)
        meter = Meter(recipe.steps)
        # The recipe's own numbers stand in no settings, and another recipe is another training.
        known = f"{self.run.fingerprint} {recipe}"
        kept = Checkpoint(self.run.path / _WORK / "training.pt", known)
        with ProgressBar("learning") as bar:

            def tell(step: int) -> None:
                meter.add(1, ())
                bar(meter.tally(step - meter.finished))

            return fit(_lessons(taught.trained), _lessons(taught.held), recipe, kept, tell)

    def _write(self, taught: Taught, fitted: Fitted) -> Card:
        """Write the graph, then the card, without which a folder is no policy."""
        import torch

        from assay.models.graphs import write_graph

        shown = torch.zeros(2, SIZE, SIZE, 3, dtype=torch.uint8)
        example = (torch.zeros(2, len(fitted.norms.mean)), *[shown] * len(fitted.network.eyes))
        write_file(self.run.path / GRAPH, lambda path: write_graph(fitted.network, example, path))
        card = replace(
            _card(self.demos, taught, self.asked, fitted), name=self.run.path.resolve().name
        )
        card = replace(card, about={**card.about, "data": dict(self.gathered.fingerprints)})
        write_file(self.run.path / CARD, card.text)
        return card

    def _try(self, card: Card) -> Mapping[str, Any] | None:
        if not self.asked["try"]:
            return None
        demos = Path(self.gathered.inputs[0]["path"])
        return try_policy(self.run.path, card, demos, self.asked["try"], self.jobs)

    def _document(self, taught: Taught, fitted: Fitted, card: Card) -> dict[str, Any]:
        history = [
            {name: value if np.isfinite(value) else None for name, value in look.items()}
            for look in fitted.history
        ]
        return {
            "schema": "assay.train-policy/1",
            "policy": json.loads(card.text),
            "episodes": {
                "trained": len(taught.trained),
                "held_out": len(taught.held),
                "failed": self.demos.failed,
            },
            "held_out_by": taught.by,
            "moments": sum(len(lesson.numbers) for lesson in _lessons(taught.trained)),
            "measured_on": "held_out" if taught.held else "trained",
            "figures": card.figures,
            "history": history,
            "stopped": _ending(fitted, _recipe(self.asked)),
            "unreadable": [{"episode": b.id, "detail": b.detail} for b in self.demos.unreadable],
            "graph_bytes": (self.run.path / GRAPH).stat().st_size,
            "settings": dict(self.asked),
            "inputs": list(self.gathered.inputs),
        }


def clear_work(run: RunDirectory) -> None:
    """Remove what a finished run no longer needs; what can't be removed does no harm."""
    shutil.rmtree(run.path / _WORK, ignore_errors=True)


def _recipe(asked: Mapping[str, Any]) -> Recipe:
    from assay.worlds.policies._cloned.fitting import Recipe

    inputs = asked["inputs"]
    steps = asked["steps"] or _STEPS[inputs]
    return Recipe(
        steps=steps,
        batch=_BATCH[inputs],
        every=max(1, steps // _LOOKS),
        seed=asked["seed"],
    )


def _lessons(pairs: Sequence[tuple[Episode, Lesson]]) -> list[Lesson]:
    return [lesson for _, lesson in pairs]


def _card(demos: Demos, taught: Taught, asked: Mapping[str, Any], fitted: Fitted) -> Card:
    pixels = asked["inputs"] == "pixels"
    actions = np.concatenate([e.signals["action"].values for e in demos.episodes])
    openings = actions[:, -1]
    record = demos.record
    return Card(
        name="",
        inputs=asked["inputs"],
        task=demos.episodes[0].task,
        instruction=demos.episodes[0].instruction,
        robot=record.get("robot"),
        joints=actions.shape[1] - 1,
        rate_hz=demos.rate,
        chunk=CHUNK,
        done=CHUNK,
        things=() if pixels else demos.things,
        views=demos.views if pixels else (),
        size=SIZE if pixels else None,
        low=tuple(float(v) for v in actions[:, :-1].min(0)),
        high=tuple(float(v) for v in actions[:, :-1].max(0)),
        snaps=bool(np.isin(openings, (0.0, 1.0)).all()),
        look=record.get("look") if pixels else None,
        normalisation={
            "mean": fitted.norms.mean.tolist(),
            "spread": fitted.norms.spread.tolist(),
            "ways": fitted.norms.ways.tolist(),
        },
        episodes=len(taught.trained),
        held_out=len(taught.held),
        figures=scores(fitted.network, _lessons(taught.held or taught.trained), asked["seed"]),
        about={
            "looks_at": _looks_at(asked["inputs"], demos),
            "seeds": {
                "trained": sorted({e.seed for e, _ in taught.trained if e.seed is not None}),
                "held_out": sorted({e.seed for e, _ in taught.held if e.seed is not None}),
            },
            "steps": fitted.history[-1]["step"],
            "seed": asked["seed"],
        },
    )


def _looks_at(inputs: str, demos: Demos) -> str:
    if inputs == "state":
        return (
            "its own joints, and the simulator's state: the poses of"
            f" {', '.join(demos.things)}, which no real robot is told"
        )
    learnt = " In training it was also told where the things are." if demos.things else ""
    return f"its own joints, and pictures: {', '.join(demos.views)}.{learnt}"


def _ending(fitted: Fitted, recipe: Recipe) -> str:
    if fitted.history[-1]["step"] == recipe.steps:
        return "all steps were taken"
    return f"held-out demonstrations got no better for {recipe.patience * recipe.every} steps"
