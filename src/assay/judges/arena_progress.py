"""Progress against the start, from pictures and from what the signals tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from assay.errors import EpisodeError
from assay.judges._asking import ModelJudge, Shots, each, shown
from assay.judges._showing import answered, instruction_of, mean
from assay.judges._states import (
    OBJECT_SIGNALS,
    ROBOT_SIGNALS,
    history_words,
    object_words,
    robot_words,
)
from assay.models.answers import Number
from assay.models.base import Part
from assay.records import Curve, Episode, Floats, Judged

__all__ = ["ArenaProgress"]

_SCORE = Number(0, 100)


@dataclass(frozen=True)
class ArenaProgress(ModelJudge):
    """Have a model compare each moment with the start, by rules, and give a number.

    The start counts as 0 and the finished task as 100. The number rises with a finished step, falls
    with one that is undone and with severe damage, and ignores small disturbances. The model first
    reflects, then gives the number, then a sentence. It takes one call a moment.

    An episode's score is the mean over the last 30 % of its moments: `metrics.tails.last_part`.

    Attributes:
        inputs: What is told beside the pictures. "images": nothing. "robot": where the robot is and
            what it did. "object": where the objects are and what touches what. "both": all of it.
        pictures: Whether pictures are shown at all. Without them the states are judged alone;
            "images" always shows them.

    Cites:
        Jangir et al., RobotArena Infinity: Scalable Robot Benchmarking via Real-to-Sim
        Translation, 2025.
    """

    inputs: Literal["images", "robot", "object", "both"] = "images"
    pictures: bool = True

    needs: ClassVar[frozenset[str]] = frozenset(
        {"frames", *ROBOT_SIGNALS, *(f"{name}.*" for name in ROBOT_SIGNALS), *OBJECT_SIGNALS}
    )
    fields: ClassVar[tuple[str, ...]] = ("instruction", "start", "history", "now")
    required: ClassVar[tuple[str, ...]] = ("now",)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the numbers at `times`, as shares of 100."""
        instruction_of(episode)
        self._check_told(episode)
        shots = self.frames(episode, times)
        start = self._state(episode, float(times[0]), shots[0])
        return answered(
            times,
            each(
                partial(self._scored, episode, start, time, now)
                for time, now in zip(times.tolist(), shots[1:], strict=True)
            ),
        )

    def _scored(
        self, episode: Episode, start: list[Part], time: float, now: Shots
    ) -> Judged[float]:
        told = self.inputs in ("robot", "both")
        history = history_words(episode, time) if told else ""
        values = {
            "instruction": instruction_of(episode),
            "start": start,
            "history": f"\n{history}" if history else "",
            "now": self._state(episode, time, now),
        }
        return self.sampled(values, _Reflected(), lambda scores: mean(scores) / 100.0)

    def _state(self, episode: Episode, time: float, shots: Shots) -> list[Part]:
        """Return the pictures and the words of one moment, as far as they are wanted."""
        words = []
        if self.inputs in ("robot", "both"):
            words.append(robot_words(episode, time))
        if self.inputs in ("object", "both"):
            words.append(object_words(episode, time))
        seen = shown(shots) if self.pictures or self.inputs == "images" else []
        told = "\n".join(word for word in words if word)
        return [*seen, "\n" if seen and told else "", told]

    def _check_told(self, episode: Episode) -> None:
        """Refuse an episode whose signals don't tell what the model is to be told."""
        end = float(episode.duration())
        robot = self.inputs not in ("robot", "both") or robot_words(episode, end)
        things = self.inputs not in ("object", "both") or object_words(episode, end)
        if not (robot and things):
            lacking = "the robot's state" if not robot else "where objects are or what touches"
            known = ", ".join(sorted(episode.signals)) or "none"
            raise EpisodeError(
                f"{episode.id} does not record {lacking}, which inputs={self.inputs} needs"
                f" (its signals: {known}); inputs=images needs pictures alone.",
                "no_reference",
            )


@dataclass(frozen=True)
class _Reflected:
    """Read the number between a reflection and a sentence."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return an object with the three fields, in the order in which they are to be written."""
        text = {"type": "string"}
        inner = _SCORE.schema
        fields = {"reflection": text, **inner["properties"], "sentence": text}
        return {**inner, "properties": fields, "required": list(fields)}

    def __call__(self, text: str) -> float:
        """Return the number, or raise `Unusable`."""
        return _SCORE(text)
