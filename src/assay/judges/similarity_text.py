"""How much more the picture fits the instruction than the start does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import ClassVar

import numpy as np

from assay.episodes import sampling
from assay.errors import UsageError
from assay.judges._curves import curve
from assay.judges._looks import moments, still_views
from assay.judges._showing import instruction_of
from assay.judges.base import Bound
from assay.models.encoders.base import Encoder, make_encoder
from assay.records import Curve, Episode, Floats, Image, Judged, View

__all__ = ["SimilarityText"]

_TOGETHER = 32  # pictures encoded at once
_NONE = (
    "The judge similarity-text compares with an encoder and was given none:"
    " pass --set encoder=kind:/path, such as --set encoder=clip:/models/clip-vit-base-patch32."
)


@dataclass(frozen=True)
class SimilarityText:
    """Say how much better the picture fits the instruction than the first picture does.

    With cos the cosine of a picture's and the instruction's features, x the picture and s the first
    one,

        progress = clip((cos(x) - cos(s)) / reach, 0, 1),

    the mean over the views that don't move. Published baselines give cos(x) itself; measured
    against the start the curve begins at 0. No picture tells which cosine means "done", so where 1
    is rests on `reach`: orders within an episode can be read, levels can't.

    It mostly sees which objects are there and not what was done: show it beside the null judges.

    Attributes:
        encoder: An encoder with a text side, as `kind:/path`: clip, siglip or liv.
        view: The view to look at; empty takes all that don't move.
        reach: The gain in cosine that counts as done.
    """

    encoder: str = ""
    view: str = ""
    reach: float = 0.1

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None

    def __post_init__(self) -> None:
        if not 0.0 < self.reach <= 2.0:
            raise UsageError(
                f"Option reach of similarity-text must be above 0 and at most 2, not {self.reach}."
            )

    def check(self) -> None:
        """Raise what would stop every episode: no encoder, or one that knows no words."""
        encoder = self._encoder()
        encoder.check()
        encoder.words(["done"])

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the grid over the views."""
        return moments(still_views(episode, self.view), fps)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return how much better the pictures at `times` fit than the first one."""
        instruction = instruction_of(episode)
        views = still_views(episode, self.view)
        encoder = self._encoder()
        words = encoder.words([instruction])[0]
        late = max(float(view.frames.clock()[0]) for view in views.values())
        looked = np.concatenate([np.minimum(times[:1], late), times])
        fits = np.concatenate(list(_fits(encoder, words, views, looked)))
        return curve(times, np.clip((fits[1:] - fits[0]) / self.reach, 0.0, 1.0))

    def hop(
        self,
        task: str,
        before: Mapping[str, Image],
        after: Mapping[str, Image],
        start: Mapping[str, Image] | None,  # noqa: ARG002 - a gain in cosine needs no anchor
        goal: Mapping[str, Image] | None,  # noqa: ARG002 - the words are the goal
    ) -> Judged[float]:
        """Return how much better `after` fits the task's words than `before`, in units of reach."""
        names = [name for name in before if name in after and self.view in ("", name)]
        if not names or not task.strip():
            lacking = "no view is in both pictures" if task.strip() else "the task has no words"
            return Judged(None, "no_reference", lacking)
        encoder = self._encoder()
        words = encoder.words([task])[0]
        shown = [pictures[name] for pictures in (before, after) for name in names]
        fits = (encoder.pictures(shown) @ words).reshape(2, len(names)).mean(axis=1)
        return Judged(float(np.clip((fits[1] - fits[0]) / self.reach, -1.0, 1.0)))

    def _encoder(self) -> Encoder:
        if not self.encoder:
            raise UsageError(_NONE)
        return _loaded(self.encoder)


@lru_cache(maxsize=2)
def _loaded(text: str) -> Encoder:
    """Return an encoder that is made once a process: its weights are large."""
    return make_encoder(text)


def _fits(
    encoder: Encoder, words: Floats, views: Mapping[str, View], times: Floats
) -> Iterator[Floats]:
    """Yield the mean cosine over the views at `times`, some moments at once."""
    walk = sampling.synced(views, times)
    while batch := list(islice(walk, max(_TOGETHER // len(views), 1))):
        shown: Sequence[Image] = [each[name] for each in batch for name in views]
        cosines = encoder.pictures(shown) @ words
        yield cosines.reshape(len(batch), len(views)).mean(axis=1)
