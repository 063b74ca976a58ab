"""What judges that ask a model share: which model, which prompt, which frames, how many answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np

from assay.episodes import sampling
from assay.errors import UsageError
from assay.judges._looks import moments, still_views
from assay.judges._prompts import Filling, Prompt
from assay.judges.base import Bound
from assay.models import pictures, recording, session
from assay.models.address import parse
from assay.models.answers import Answer, Reader, ask_for, ask_reply
from assay.models.base import Part, Picture, Reply, Request, Sampling
from assay.records import Episode, Floats, Image, Judged, View

__all__ = ["ModelJudge", "Shots", "each", "prepared", "shown"]

S = TypeVar("S")
T = TypeVar("T")
Shots = Mapping[str, Picture]  # one moment: a picture per view

_AT_ONCE = 16  # questions of one episode under way; the session bounds those of all episodes
_WARM = 0.7  # temperature of several answers to one question: at 0 they would be alike


@dataclass(frozen=True)
class ModelJudge:
    """A judge that asks a model.

    Attributes:
        model: The model, as `provider:name[@url]`.
        view: The view to show; empty takes all that don't move.
        side: Longest side of the shown pictures [px]; smaller ones stay as they are.
        samples: How many answers are drawn for each question.
        temperature: How they are drawn; by default 0 for one answer and 0.7 for several.
        max_tokens: The longest answer.
        prompt: A file to take the prompt from, such as a checkpoint's own.
    """

    model: str = ""
    view: str = ""
    side: int = 448
    samples: int = 1
    temperature: float | None = None
    max_tokens: int = 1024
    prompt: Path | None = None

    bound: ClassVar[Bound] = "network"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None
    # The places that a prompt of this judge may have, and those that it must have.
    fields: ClassVar[tuple[str, ...]] = ("instruction",)
    required: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if not 16 <= self.side <= 4096:
            raise UsageError(self._refused("side", "from 16 to 4096 pixels", self.side))
        if not 1 <= self.samples <= 64:
            raise UsageError(self._refused("samples", "from 1 to 64", self.samples))
        if not 1 <= self.max_tokens <= 131_072:
            raise UsageError(self._refused("max_tokens", "from 1 to 131072", self.max_tokens))
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise UsageError(self._refused("temperature", "from 0 to 2", self.temperature))

    @classmethod
    def called(cls) -> str:
        """Return the judge's name, which is that of its file."""
        return cls.__module__.rsplit(".", 1)[-1].replace("_", "-")

    def check(self) -> None:
        """Raise what would stop every episode, before anything is spent.

        Raises:
            UsageError: No model, one that can't be reached as asked, or a prompt that doesn't fit.
        """
        if not self.model:
            raise UsageError(
                f"The judge {self.called()} asks a model and was given none: pass"
                " --model provider:name[@url] (or --set model=...), such as"
                " --model openai:Qwen3-VL-8B@http://localhost:8000/v1."
            )
        limits = session.current().limits(parse(self.model))
        self._check_room(limits.get("tokens"))
        self.template().check(self.fields, self.required)

    def clock(self, episode: Episode, fps: float | None) -> Floats:
        """Return the grid over the views."""
        return moments(self.views(episode), fps)

    def template(self) -> Prompt:
        """Return the prompt: the user's, or the one of this package."""
        return Prompt.load(self.called().replace("-", "_"), self.prompt)

    def ask(
        self,
        values: Mapping[str, Filling],
        read: Reader[T],
        *,
        sample: int = 0,
        free: bool = False,
        template: Prompt | None = None,
    ) -> Answer[T]:
        """Fill the prompt with `values`, ask once and read the answer.

        Args:
            values: What goes into the places of the prompt.
            read: Reads the answer, and says by its schema what to ask for.
            sample: Which of several answers to the same question this is.
            free: Whether the model answers in its own form, without the schema.
            template: Another prompt than the judge's own, where it has several.
        """
        request = self._request(values, sample, template)
        request = replace(request, schema=None if free else read.schema)
        return ask_for(self._model(), request, read)

    def weigh(
        self,
        values: Mapping[str, Filling],
        options: tuple[str, ...],
        read: Callable[[Reply], T],
        *,
        sample: int = 0,
    ) -> Answer[T]:
        """Fill the prompt with `values` and ask how likely the model finds each of `options`.

        What can't be used is not asked again at once: a question with the fault in it is another
        one, to which the options have other probabilities.

        Args:
            values: What goes into the places of the prompt.
            options: Answers whose log-probabilities are wanted.
            read: Makes a value of the reply, or raises `Unusable`.
            sample: Which of several answers to the same question this is.
        """
        request = replace(self._request(values, sample), options=options)
        return ask_reply(self._model(), request, read, tries=0)

    def sampled(
        self,
        values: Mapping[str, Filling],
        read: Reader[T],
        join: Callable[[Sequence[T]], S | None],
        *,
        free: bool = False,
    ) -> Judged[S]:
        """Ask for `samples` answers and join them; one that failed fails the whole.

        Leaving failed answers out would favour questions that are easily answered.

        Args:
            values: What goes into the places of the prompt.
            read: Reads each answer.
            join: Makes one value of all, or None where they are split: then it is "unparsed".
            free: Whether the model answers in its own form.
        """
        indices = range(self.samples)
        found = [self.ask(values, read, sample=index, free=free).judged for index in indices]
        calls = sum(judged.calls for judged in found)
        for judged in found:
            if judged.status != "ok":
                return Judged(None, judged.status, judged.detail, calls)
        joined = join([judged.value for judged in found if judged.value is not None])
        if joined is None:
            return Judged(None, "unparsed", f"Its {self.samples} answers are split.", calls)
        return Judged(joined, calls=calls)

    def views(self, episode: Episode) -> dict[str, View]:
        """Return the views to show."""
        return still_views(episode, self.view)

    def images(self, episode: Episode, times: Floats) -> Iterator[dict[str, Image]]:
        """Yield the start of the episode and the moments at `times`, 1 + T of them, by view."""
        return sampling.synced(self.views(episode), self.seen(episode, times))

    def seen(self, episode: Episode, times: Floats) -> Floats:
        """Return when the pictures of `images` are from [s], of shape (1 + T,)."""
        late = max(float(view.frames.clock()[0]) for view in self.views(episode).values())
        return np.concatenate([np.minimum(times[:1], late), times])

    def frames(self, episode: Episode, times: Floats) -> list[Shots]:
        """Return the start of the episode and the moments at `times`, made ready to be shown."""
        looks = zip(self.images(episode, times), self.seen(episode, times), strict=True)
        return [prepared(images, self.side, at_s) for images, at_s in looks]

    def _request(
        self, values: Mapping[str, Filling], sample: int, template: Prompt | None = None
    ) -> Request:
        """Return a question in plain words, drawn as the judge's options say."""
        warm = 0.0 if self.samples == 1 else _WARM
        chosen = warm if self.temperature is None else self.temperature
        sampling = Sampling(temperature=chosen, max_tokens=self.max_tokens)
        parts = (template or self.template()).filled(values)
        return Request(parts, sampling=sampling, sample=sample)

    def _model(self) -> str:
        if not self.model:
            self.check()
        return self.model

    def _check_room(self, tokens: int | None) -> None:
        """Refuse a longest answer that leaves no room for a question in a context of `tokens`."""
        if tokens is not None and self.max_tokens >= tokens:
            raise UsageError(
                f"{self.model} takes {tokens} tokens, question and answer together, and"
                f" {self.called()} lets an answer have {self.max_tokens}: lower --set max_tokens."
            )

    def _refused(self, option: str, allowed: str, given: object) -> str:
        return f"Option {option} of {self.called()} must be {allowed}, not {given}."


def prepared(
    images: Mapping[str, Image], side: int, at_s: float | None = None
) -> dict[str, Picture]:
    """Return the pictures of one moment, made ready to be shown.

    Args:
        images: By view.
        side: The longest side [px].
        at_s: When they are from [s]; None for what is no moment of an episode, such as a goal.
    """
    made = {name: pictures.prepare(image, side) for name, image in images.items()}
    if at_s is not None:
        for view, picture in made.items():
            recording.showing(picture, view, float(at_s))
    return made


def shown(shots: Shots | None) -> list[Part]:
    """Return the pictures of one moment as parts of a prompt, named where there are several."""
    if not shots:
        return []
    if len(shots) == 1:
        return list(shots.values())
    return [part for name, picture in shots.items() for part in (f" {name}: ", picture)]


def each(calls: Iterable[Callable[[], T]]) -> list[T]:
    """Make all `calls`, many at once, and return what they give in order."""
    waiting = recording.branched(calls)
    if len(waiting) < 2:
        return [call() for call in waiting]
    with ThreadPoolExecutor(min(_AT_ONCE, len(waiting))) as threads:
        return list(threads.map(lambda call: call(), waiting))
