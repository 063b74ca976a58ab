"""Ask any model: from the ledger first, then over HTTP or in this process.

    with opened(ModelSettings(max_cost=5.0)) as session:
        reply = session.ask(parse("openai:gpt@https://api.example/v1"), Request(("Well?",)))

One session serves all units of a process: limits, budget and counts are shared by them.
"""

from __future__ import annotations

import atexit
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from assay.engine.closing import Closing
from assay.errors import InputError, RunError, UsageError
from assay.models import recording
from assay.models._flights import Flights
from assay.models._http.client import Client, Limits, reach
from assay.models._http.retrying import Backoff
from assay.models._http.transport import require_aiohttp
from assay.models._recalling import Recall, told_again
from assay.models._usage import Tally, Usage
from assay.models.base import Address, HttpProvider, LocalProvider, Provider, Reply, Request
from assay.models.ledger import Ledger, default_path, key_of
from assay.models.prices import Price, estimate, load_prices, price_of
from assay.models.providers.replay import Replay
from assay.records import Status

__all__ = ["ModelSettings", "Recall", "Session", "Usage", "current", "opened"]


@dataclass(frozen=True)
class ModelSettings:
    """How models are asked.

    Attributes:
        ledger: Where answers are kept; None is the default place.
        in_flight: Requests at once over all units, per endpoint.
        per_minute: Requests a minute over all units, per endpoint; None sets no limit.
        timeout_s: How long one try of a request may take [s].
        tries: How often a request that fails on the way is sent at most.
        max_cost: What may be spent [USD]; None sets no limit.
        plan: Count calls, tokens and price, and send nothing.
        offline: Answer from the ledger alone.
        prices: A TOML or JSON file: USD per million input and output tokens, by model.
    """

    ledger: Path | None = None
    in_flight: int = 16
    per_minute: float | None = None
    timeout_s: float = 120.0
    tries: int = 5
    max_cost: float | None = None
    plan: bool = False
    offline: bool = False
    prices: Path | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        for name in ("in_flight", "tries"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be 1 or more: {getattr(self, name)}.")
        for name in ("per_minute", "timeout_s"):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < math.inf:
                raise UsageError(f"{name} must be a number above 0: {value}.")
        if self.max_cost is not None and not 0.0 <= self.max_cost < math.inf:
            raise UsageError(f"max_cost must be a number of 0 or more: {self.max_cost}.")


class Session(Closing):
    """Ask models, and count what that takes. Thread-safe; close it, or use it with `with`.

    Args:
        settings: Limits, budget, ledger.
        backoff: How long to wait before trying again.
        make: Makes a provider from an address; by default that of the provider's name.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        backoff: Backoff | None = None,
        make: Callable[[Address], Provider] | None = None,
    ) -> None:
        self.settings = settings
        self._make = make or _make_provider
        self._prices = {} if settings.prices is None else load_prices(settings.prices)
        self.ledger = Ledger(
            settings.ledger or default_path(),
            writable=not settings.offline,
            traceless=settings.plan,
        )
        self._client = Client(
            Limits(
                settings.in_flight,
                settings.per_minute,
                settings.timeout_s,
                settings.tries,
                settings.max_cost,
            ),
            backoff or Backoff(),
        )
        self._tally = Tally()
        self._local = threading.Lock()
        self._providers: dict[Address, Provider] = {}
        self._making: Flights[Provider] = Flights()
        self._asking: Flights[Reply] = Flights()
        self._moved: dict[Address, str] = {}
        self._run = Recall()  # that is told again
        self._unkept = ""  # why the ledger took an answer no more

    def provider(self, address: Address) -> Provider:
        """Return the provider of a model, made and checked once.

        Raises:
            UsageError: It would answer nothing: no such provider, no key, nothing there, or a
                budget without a price.
        """
        if address not in self._providers:
            made, _ = self._making.run(address, lambda: self._checked(address))
            self._providers[address] = made
        return self._providers[address]

    def ask(self, address: Address, request: Request) -> Reply:
        """Return the reply of a model. Equal requests in flight are sent once.

        Raises:
            UsageError: What `provider` raises.
            RunError: The ledger can't be written; from then on nothing is sent any more.
        """
        provider, request = self.provider(address), recording.drawn(request)
        # The revision may be learnt while the first of two equal requests is on its way, so what
        # tells them apart here does without it.
        flight = key_of(address, "", request)
        reply, shared = self._asking.run(flight, lambda: self._answer(provider, request))
        if shared:
            reply = replace(reply, cached=True, attempts=0)
        if not self.settings.plan or reply.cached:
            self._tally.add(str(address), request, reply)
        recording.note(str(address), request, reply)
        return reply

    def revisions(self) -> dict[str, str]:
        """Return under which revision each model of this session is looked up, by model.

        One that has answered nothing yet, and so is not pinned, is left out; so is one that is
        looked up under several.
        """
        found = {}
        for address, provider in list(self._providers.items()):
            known = self._revisions(provider)
            if len(known) == 1:
                found[str(address)] = known[0]
        return found

    def recall(self, run: Recall) -> None:
        """Answer as a run was answered, whatever is pinned now; for a session that is offline."""
        self._run = run

    def limits(self, address: Address) -> Mapping[str, int]:
        """Return what a request to a model may hold at most; offline nothing is limited."""
        provider = self.provider(address)
        return {} if self.settings.offline else provider.limits()

    def expect(self, model: str, revision: str) -> None:
        """Pin a model of this session to what it answered as before, unless it is pinned.

        Args:
            model: One of this session's, `provider:name[@url]`.
            revision: What earlier answers are of that it is to be in one table with.
        """
        if self.settings.plan or self.settings.offline or model in self.revisions():
            return
        for address in list(self._providers):
            if str(address) == model:
                self.ledger.pin(address, revision)

    def reject(self, reply: Reply, status: Status, detail: str) -> None:
        """Take back an answer that is of no use, so that it is asked for again.

        Where nothing is sent nothing is taken back: a plan writes nothing, and a run told again
        fails where it failed.

        Raises:
            RunError: The ledger can't be written.
        """
        if not (self.settings.plan or self.settings.offline):
            self.ledger.reject(reply, status, detail)

    def usage(self) -> Mapping[str, Usage]:
        """Return what was asked so far, by model."""
        return self._tally.usage()

    def close(self) -> None:
        """Give up what is on its way, end the loop, close the ledger. May be called twice."""
        self._client.close()
        self.ledger.close()

    def _checked(self, address: Address) -> Provider:
        """Make a provider, and see to all that can be known before anything is spent."""
        made = self._make(address)
        if self.settings.plan or self.settings.offline:
            return made  # nothing is sent, so neither key nor endpoint is needed
        made.check()
        if isinstance(made, HttpProvider):
            require_aiohttp()
            if self.settings.max_cost is not None and self._price(address) is None:
                raise UsageError(
                    f"--max-cost needs the price of {address.name!r}: add it to a file, and give"
                    " the file by --prices."
                )
            reach(made.url(), str(address), self.settings.timeout_s)
        return made

    def _price(self, address: Address) -> Price | None:
        return price_of(self._prices, address)

    def _answer(self, provider: Provider, request: Request) -> Reply:
        """Return what the ledger has, else what the model says; keep what it says."""
        if self.settings.offline:
            return self._told_again(provider, request)
        address, revision = provider.address, self._revision(provider)
        key = key_of(address, revision, request)
        found = self.ledger.get(key)
        if found is not None:
            return replace(found, cached=True, attempts=0, key=key)
        if (why := self._unsent(provider, request, key)) is not None:
            return Reply(status="transport", detail=why, key=key, cost=0.0)
        if self._unkept:  # what can't be stored is paid for in vain
            raise RunError(self._unkept)
        with self._sent(provider, request) as reply:
            return self._kept(provider, request, reply, revision)

    def _told_again(self, provider: Provider, request: Request) -> Reply:
        """Return what a run was answered."""
        revisions = self._revisions(provider) or ("",)
        if isinstance(provider, Replay):  # its answers are in a ledger of its own
            return provider.told(request, revisions, self._run.keys)
        return told_again(self.ledger, provider.address, request, revisions, self._run.keys)

    def _revision(self, provider: Provider) -> str:
        """Return the revision to look up, empty where it is not known yet."""
        return next(iter(self._revisions(provider)), "")

    def _revisions(self, provider: Provider) -> tuple[str, ...]:
        """Return the revision to look up; those of the run where one is told again."""
        if told := self._run.of(str(provider.address)):
            return told
        if isinstance(provider, LocalProvider):
            try:
                return (provider.revision(),)
            except InputError:
                if self.settings.offline:  # weights that are gone answer nothing, and need not
                    return ()
                raise
        known = self.ledger.revision(provider.address)
        return () if known is None else (known,)

    def _unsent(self, provider: Provider, request: Request, key: str) -> str | None:
        """Return why a request is not sent, None if it is."""
        address = provider.address
        if self.settings.plan:
            expected = estimate(request, self._price(address))
            self._tally.plan(str(address), key, request, expected)
            return "planned, not sent"
        most = provider.limits().get("pictures")
        if most is not None and len(request.pictures) > most:
            return (
                f"The request shows {len(request.pictures)} pictures and {address.name!r} takes"
                f" {most} at most: show fewer."
            )
        return self._moved.get(address)

    @contextmanager
    def _sent(self, provider: Provider, request: Request) -> Iterator[Reply]:
        """Ask the model, and yield what it says; a place is held until the block is left."""
        if isinstance(provider, HttpProvider):
            with self._client.asked(provider, request, self._price(provider.address)) as reply:
                yield reply
        elif isinstance(provider, LocalProvider):
            with self._local:
                reply = provider.answer(request)
            sent = 0 if reply.cached else 1  # what is replayed was sent by another run
            revision = reply.revision or provider.revision()
            yield replace(reply, revision=revision, attempts=sent, cost=0.0)
        else:
            raise UsageError(f"The provider {provider.address.provider!r} can't be asked.")

    def _kept(self, provider: Provider, request: Request, reply: Reply, revision: str) -> Reply:
        """Store a reply and return it with its key.

        What is not ok is stored too, but never as an answer: it is there to be read, and is asked
        again. What was not sent is not stored.
        """
        address = provider.address
        if not reply.attempts:
            return replace(reply, key=reply.key or key_of(address, revision, request))
        # The first answer may have named the revision since this one was looked up.
        named = replace(reply, revision=reply.revision or self._revision(provider))
        key = key_of(address, named.revision, request)
        try:
            self.ledger.put(key, address, request, named)
        except RunError as error:
            self._unkept = str(error)
            raise
        if named.status != "ok" or named.revision == revision:
            return replace(named, key=key)
        try:
            self.ledger.pin(address, named.revision)
        except UsageError as error:  # told, not mixed: the answer stays under its own revision
            self._moved[address] = str(error)
            return replace(named, key=key, status="transport", detail=str(error), text="")
        return replace(named, key=key)


def _make_provider(address: Address) -> Provider:
    from assay.models.address import make_provider

    return make_provider(address)


class _Current:
    """The session of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.opened: list[Session] = []
        self.default: Session | None = None


_CURRENT = _Current()


@contextmanager
def opened(settings: ModelSettings) -> Iterator[Session]:
    """Open a session and make it the process's current one until the end of the block."""
    with Session(settings) as session:
        with _CURRENT.lock:
            _CURRENT.opened.append(session)
        try:
            yield session
        finally:
            with _CURRENT.lock:
                _CURRENT.opened.remove(session)


def current() -> Session:
    """Return the session opened last, else one with default settings, made on first use."""
    with _CURRENT.lock:
        if _CURRENT.opened:
            return _CURRENT.opened[-1]
        if _CURRENT.default is None:
            _CURRENT.default = Session(ModelSettings())
            atexit.register(_CURRENT.default.close)
        return _CURRENT.default
