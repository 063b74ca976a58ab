"""What policies on a server share: their options, what is sent, and what the answer means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.errors import PolicyFault, ServerFault, UnknownNameError, UsageError, nearest
from assay.records import Floats
from assay.worlds.look import VIEWS
from assay.worlds.policies._served.line import Line, require_aiohttp
from assay.worlds.policies._served.pictures import sized
from assay.worlds.policies.base import Observation
from assay.worlds.robots.base import Robot, grippers, width
from assay.worlds.tasks.base import Task

__all__ = ["Served", "ServedActor"]

_MOST_PIXELS = 1024


@dataclass(frozen=True)
class Served(ABC):
    """A policy that answers from a server. A key that is empty is not sent.

    Attributes:
        url: Where the server is.
        images: Keys of the pictures and the views they show, as `key=view,key=view`.
        size: Width and height of the pictures [pixels]; 0 sends them as they are drawn.
        state_key: Key of the arm joints [rad] and the gripper, of shape (J + 1,).
        joints_key: Key of the arm joints alone [rad], of shape (J,).
        gripper_key: Key of the gripper alone, of shape (1,).
        prompt_key: Key of the instruction.
        gripper: What the gripper's number means, sent and answered: its `opening`, 1 when open, or
            its `closing`, 1 when closed.
        actions_key: Key of the actions in the answer, of shape (n, J + 1) or (J + 1,).
        actions: What they are: `absolute` joint targets [rad], `delta` from the joints that were
            sent, or `increment` of one action over the one before it.
        use_first: How many actions of an answer are done before the next is asked for; 0 does all.
        key_variable: The environment variable that holds the server's key, if it wants one.
    """

    url: str
    images: str = "observation/image=front,observation/wrist_image=wrist"
    size: int = 224
    state_key: str = "observation/state"
    joints_key: str = ""
    gripper_key: str = ""
    prompt_key: str = "prompt"
    gripper: Literal["opening", "closing"] = "opening"
    actions_key: str = "actions"
    actions: Literal["absolute", "delta", "increment"] = "absolute"
    use_first: int = 0
    key_variable: str = "ASSAY_POLICY_KEY"

    def __post_init__(self) -> None:
        for view in self.views.values():
            if view not in VIEWS:
                raise UnknownNameError("view", view, VIEWS)
        if self.size and not 16 <= self.size <= _MOST_PIXELS:
            raise UsageError(
                f"The size of pictures for a server must be 16 to {_MOST_PIXELS} pixels, or 0 for"
                f" as they are drawn, not {self.size}."
            )
        if self.use_first < 0:
            raise UsageError(
                f"use_first must be 0, for all actions, or more, not {self.use_first}."
            )
        keys = [self.state_key, self.joints_key, self.gripper_key, self.prompt_key, *self.views]
        named = [key for key in keys if key]
        if len(set(named)) < len(named):
            raise UsageError(f"A key is sent once; these are not all different: {named}.")

    @property
    def views(self) -> dict[str, str]:
        """Return the view of every key of a picture."""
        pairs = [pair.partition("=") for pair in self.images.split(",") if pair.strip()]
        for key, _, view in pairs:
            if not key.strip() or not view.strip():
                raise UsageError(f"images takes key=view,key=view, not {self.images!r}.")
        return {key.strip(): view.strip() for key, _, view in pairs}

    @abstractmethod
    def line(self) -> Line:
        """Return a new line to the server, not opened yet."""

    def load(self) -> None:
        """Import what asking needs, or raise what to install.

        Done before a server is asked: importing takes longer than many an answer.
        """
        require_aiohttp()

    def check(self, task: Task, views: Sequence[str], limit_s: float) -> None:  # noqa: ARG002 - any task
        """Raise a `UsageError` unless the server is there and can get what it wants.

        Args:
            task: What is to be done; the server knows whether it can.
            views: What is filmed.
            limit_s: How long the server may take [s].
        """
        if self.views and not views:
            shown = ", ".join(self.views.values())
            raise UsageError(
                f"The server at {self.url} is sent the views {shown}, and nothing is drawn:"
                " name some --views, or send none with --set images=."
            )
        self.load()
        line = self.line()
        try:
            line.open("", limit_s)
        except ServerFault as fault:
            raise UsageError(f"{fault} Is it running, and is the address right?") from fault
        except PolicyFault as fault:
            raise UsageError(str(fault)) from fault
        finally:
            line.close()

    def actor(self, task: Task, seed: int) -> ServedActor:  # noqa: ARG002 - the server sees what it sees
        """Return an actor that asks the server; it connects when it is reset."""
        self.load()
        return ServedActor(self)

    def message(self, observation: Observation, instruction: str) -> dict[str, Any]:
        """Return what the server is sent."""
        joints = observation.joint_position.astype(np.float32)
        grip = np.atleast_1d(self._turned(observation.gripper_opening)).astype(np.float32)
        hands, arms = _places(observation.truth.robot)
        state = np.empty(len(hands) + len(arms), np.float32)
        state[arms], state[hands] = joints, grip
        values = {
            self.state_key: state,
            self.joints_key: joints,
            self.gripper_key: grip,
            self.prompt_key: instruction,
        }
        shown = {
            key: sized(observation.images[view], self.size) for key, view in self.views.items()
        }
        return {key: value for key, value in {**shown, **values}.items() if key}

    def chunk(self, reply: Mapping[str, Any], observation: Observation) -> Any:  # noqa: ANN401 - checked by the session
        """Return the actions of an answer, as targets of shape (n, A).

        What has another shape is returned as it is: the session says what is wrong with it.

        Raises:
            KeyError: There are no actions.
        """
        given = reply[self.actions_key]
        try:
            raw = np.array(given, ndmin=2)
        except (TypeError, ValueError):
            return given
        hands, arms = _places(observation.truth.robot)
        wide = len(hands) + len(arms)
        if raw.dtype.kind not in "iuf" or raw.ndim != 2 or raw.shape[1] != wide:
            return given
        chunk = raw[: self.use_first or None].astype(np.float64)
        chunk[:, arms] = self._absolute(chunk[:, arms], observation.joint_position)
        chunk[:, hands] = self._turned(chunk[:, hands])
        return chunk

    def _absolute(self, moves: Floats, joints: Floats) -> Floats:
        """Return joint targets of shape (n, J) [rad]."""
        if self.actions == "delta":
            return joints + moves
        if self.actions == "increment":
            return joints + np.cumsum(moves, axis=0)
        return moves

    def _turned(self, gripper: Any) -> Any:  # noqa: ANN401 - a number or an array
        """Return an opening as the server means it, or the other way round."""
        return gripper if self.gripper == "opening" else 1.0 - gripper


def _places(robot: Robot) -> tuple[list[int], list[int]]:
    """Return which numbers of an action, or of the state, are grippers', and which are joints'."""
    hands = grippers(robot)
    return hands, [place for place in range(width(robot)) if place not in hands]


class ServedActor:
    """Ask a server; every attempt has a line of its own.

    Attributes:
        finished: Whether the last answer said so.

    Args:
        policy: What is sent, and what answers mean.
    """

    def __init__(self, policy: Served) -> None:
        self._policy = policy
        self._line: Line | None = None
        self._instruction = ""
        self.finished = False

    def reset(self, instruction: str) -> None:
        """Connect, and begin an attempt."""
        self.end_attempt()
        self._instruction, self.finished = instruction, False
        self._line = self._policy.line()
        self._line.open(instruction)

    def act(self, observation: Observation) -> Any:  # noqa: ANN401 - a chunk of actions, if the server keeps to it
        """Return what the server answers."""
        if self._line is None:
            raise UsageError("An actor that asks a server is reset before it acts.")
        reply = self._line.ask(self._policy.message(observation, self._instruction))
        self.finished = reply.get("finished") is True
        try:
            return self._policy.chunk(reply, observation)
        except KeyError:
            wanted = self._policy.actions_key
            names = [str(name) for name in reply]
            near = "".join(f"; nearest: {name!r}" for name in nearest(wanted, names, 1))
            what = f"answered without {wanted!r}{near}"
            raise self._line.server.wrong(what, "unreadable") from None

    def end_attempt(self) -> None:
        """Hang up. May be called twice."""
        line, self._line = self._line, None
        if line is not None:
            line.close()
