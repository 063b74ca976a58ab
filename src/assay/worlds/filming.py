"""Film a world while it goes on: pictures are drawn and encoded in a thread of their own.

MuJoCo and FFmpeg let other threads run while they work, so physics and pictures overlap. Nothing
but that thread touches the renderer; it is made when the first picture is wanted and then kept.
"""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np

from assay.engine.closing import Closing
from assay.episodes.lerobot.writing.clip import Clip, ClipWriter
from assay.errors import AssayError, HarnessFault, UnknownNameError, UsageError
from assay.records import Camera, Floats, Image
from assay.worlds.gl import choose
from assay.worlds.look import views_of
from assay.worlds.rendering import Renderer
from assay.worlds.world import World

__all__ = ["Images", "Reel", "Studio"]

T = TypeVar("T")
_AHEAD = 8  # moments that physics may be ahead of the pictures


class _Stage:
    """What the thread has: the renderer, and the pictures of the moment it shows."""

    def __init__(
        self, world: World, size: int, quality: str, on_made: Callable[[], object]
    ) -> None:
        self._world, self._size, self._quality = world, size, quality
        self._on_made = on_made
        self._renderer: Renderer | None = None
        self._shown: tuple[int, bytes] | None = None
        self._pictures: dict[str, Image] = {}

    def picture(self, qpos: Floats, view: str) -> Image:
        """Return what a camera sees; a picture wanted twice is drawn once."""
        renderer = self._at(qpos)
        if view not in self._pictures:
            self._pictures[view] = renderer.rgb(view)
        return self._pictures[view]

    def cameras(self, qpos: Floats, views: Sequence[str]) -> dict[str, Camera]:
        """Return the pinhole of each view."""
        renderer = self._at(qpos)
        return {view: renderer.camera(view) for view in views}

    def close(self) -> None:
        if self._renderer is not None:
            self._renderer.close()

    def _at(self, qpos: Floats) -> Renderer:
        if self._renderer is None:
            self._renderer = Renderer(self._world, self._size, self._quality)
            self._on_made()
        moment = (self._world.dressed, qpos.tobytes())
        if moment != self._shown:
            self._renderer.follow(qpos)
            self._shown = moment
            self._pictures.clear()
        return self._renderer


class Studio(Closing):
    """Draw the scene of a world in a thread of its own. Close it, best by `with`; exit does so too.

    Attributes:
        views: What can be drawn.

    Args:
        world: Whose scene. It must not be reset while pictures of it are under way.
        size: Width and height of the pictures [pixels].
        quality: "fast", "good" or "fine".
    """

    def __init__(self, world: World, size: int, quality: str) -> None:
        choose()  # in the caller's thread: it may import a part of MuJoCo anew
        self._world = world
        self.views = views_of(world.robot)
        self._jobs: queue.Queue[tuple[Future[Any], Callable[[_Stage], Any]] | None]
        self._jobs = queue.Queue(_AHEAD)
        # With its first renderer MuJoCo sees to it that the GL library is left at exit. What is
        # registered after that comes before it.
        stage = _Stage(world, size, quality, partial(atexit.register, self.close))
        self._thread = threading.Thread(target=_serve, args=(self._jobs, stage), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Finish what is under way and give the renderer back; a second call does nothing."""
        atexit.unregister(self.close)
        if self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()

    def picture(self, view: str) -> Image:
        """Return what a camera sees now, uint8 of shape (H, W, 3)."""
        qpos = self._moment()
        return self._post(lambda stage: stage.picture(qpos, view)).result().copy()

    def cameras(self, views: Sequence[str]) -> dict[str, Camera]:
        """Return the pinhole of each view at the present moment, OpenCV axes."""
        qpos = self._moment()
        return self._post(lambda stage: stage.cameras(qpos, views)).result()

    def film(self, writers: Mapping[str, ClipWriter]) -> Future[None]:
        """Have a frame of each view drawn and encoded; waits only when too many are under way."""
        qpos = self._moment()

        def shoot(stage: _Stage) -> None:
            for view, writer in writers.items():
                writer.add(stage.picture(qpos, view))

        return self._post(shoot)

    def cut(self, writers: Mapping[str, ClipWriter]) -> Future[dict[str, Clip]]:
        """Have the files finished."""
        return self._post(lambda stage: {v: w.close() for v, w in writers.items()})  # noqa: ARG005 - a job takes the stage

    def _moment(self) -> Floats:
        return np.array(self._world.data.qpos)

    def _post(self, work: Callable[[_Stage], T]) -> Future[T]:
        if not self._thread.is_alive():
            raise UsageError("The studio is closed: no picture can be drawn any more.")
        future: Future[T] = Future()
        self._jobs.put((future, work))
        return future


def _serve(
    jobs: queue.Queue[tuple[Future[Any], Callable[[_Stage], Any]] | None], stage: _Stage
) -> None:
    while (job := jobs.get()) is not None:
        future, work = job
        try:
            future.set_result(work(stage))
        except (AssayError, OSError) as error:
            future.set_exception(error)
        except Exception as error:  # noqa: BLE001 - raised again where the result is asked for
            fault = HarnessFault(f"A picture could not be drawn or encoded: {error!r}.")
            fault.__cause__ = error
            future.set_exception(fault)
    stage.close()


class Images(Mapping[str, Image]):
    """The views of a world at the present moment, drawn when they are asked for."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def __getitem__(self, name: str) -> Image:
        if name not in self._studio.views:
            raise UnknownNameError("view", name, self._studio.views)
        return self._studio.picture(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._studio.views)

    def __len__(self) -> int:
        return len(self._studio.views)


class Reel:
    """The clips of one attempt. Leaves nothing behind when an exception passes through.

    Args:
        studio: Draws the pictures; None films nothing.
        writers: Take the frames, by view.
    """

    def __init__(self, studio: Studio | None, writers: Mapping[str, ClipWriter]) -> None:
        self._studio = studio if writers else None
        self._writers = writers
        self._under_way: list[Future[None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for future in self._under_way:
            future.exception()  # waits: the world may be reset after this
        for writer in self._writers.values():
            writer.discard()

    def shoot(self) -> None:
        """Film the present moment; raise what went wrong with an earlier one."""
        if self._studio is None:
            return
        self._under_way.append(self._studio.film(self._writers))
        while self._under_way and self._under_way[0].done():
            self._under_way.pop(0).result()

    def finish(self) -> dict[str, Clip]:
        """Wait for all frames, put the files in their places and say what they hold."""
        if self._studio is None:
            return {}
        for future in self._under_way:
            future.result()
        return self._studio.cut(self._writers).result()
