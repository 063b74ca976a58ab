"""Ask a policy for something, and word what goes wrong as its own fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from assay.errors import HarnessFault, PolicyFault, ServerFault
from assay.worlds.watch import TimeUp, Watch

__all__ = ["ask", "make_actor"]

T = TypeVar("T")


def ask(watch: Watch, what: str, when: str, call: Callable[..., Any], given: object) -> Any:  # noqa: ANN401 - checked by the caller
    """Return what an actor answers to `call(given)`, made under a watch.

    Args:
        watch: Watches over the call.
        what: What is asked for: "act" or "reset".
        when: Who acts and at which moment.
        call: A method of the actor.
        given: What it is given.

    Raises:
        PolicyFault: It raised or took too long.
        ServerFault: The server it asks is gone.
    """
    try:
        return watch.call(call, given)
    except TimeUp:
        raise PolicyFault(
            f"The policy took more than {watch.limit_s:g} s to {what} {when}.", "slow"
        ) from None
    except PolicyFault as fault:  # the actor asks a server, and knows best what is wrong
        raise PolicyFault(_told(fault, when), fault.kind) from fault
    except ServerFault as fault:
        raise ServerFault(_told(fault, when)) from fault
    except HarnessFault:  # a picture that the actor asked for could not be drawn
        raise
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {error}"
        raise PolicyFault(
            f"The policy raised {words} when asked to {what} {when}.", "raised"
        ) from error


def make_actor(policy: str, seed: int, make: Callable[[], T]) -> T:
    """Return the actor that `make` makes; that it can't be made is the policy's fault."""
    try:
        return make()
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {error}".removesuffix(".")
        raise PolicyFault(
            f"The policy {policy!r} can't be made for seed {seed}: {words}.", "raised"
        ) from error


def _told(fault: Exception, when: str) -> str:
    """Return the sentence of a fault, and when it was."""
    return f"{str(fault).removesuffix('.')}, {when}."
