"""A session: the policy contract, when an attempt is over, and restoring bit by bit."""

from __future__ import annotations

import functools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import policies_made as made
from assay import plugins
from assay.errors import PolicyFault, UsageError
from assay.worlds.perturbations.background import Background
from assay.worlds.perturbations.distractors import Distractors
from assay.worlds.perturbations.lighting import Lighting
from assay.worlds.perturbations.objects import Objects
from assay.worlds.policies.base import Restorable
from assay.worlds.session import Session
from assay.worlds.watch import TimeUp, Watch
from assay.worlds.world import World
from policies_supplied import fits, policy_of
from policy_stub import SERVED

TASKS = plugins.names("assay.worlds.tasks")
POLICIES = sorted(set(plugins.names("assay.worlds.policies")) - set(SERVED))


@functools.cache
def world_of(task: str, number: int = 0) -> World:
    """Return a world of the task; another number is another object."""
    return World(plugins.find("assay.worlds.tasks", task)())


def session_of(task: str, policy: str, seed: int, number: int = 0) -> Session:
    world = world_of(task, number)
    actor = policy_of(policy, task).actor(world.task, seed)
    return Session(world, actor, policy)


def made_session(policy: type, limit_s: float = 30.0) -> Session:
    session = Session(world_of("lift-block"), policy(), policy.__name__, Watch(limit_s))
    session.reset(3)
    return session


def trace(session: Session, steps: int) -> list[np.ndarray]:
    """Return joints, speeds, progress, action and subgoals of each of so many steps."""
    rows = []
    for _ in range(steps):
        action = session.step()
        data, world = session.world.data, session.world
        rows.append(np.array([*data.qpos, *data.qvel, world.progress(), *action, session.done]))
    return rows


@given(
    st.sampled_from([(task, name) for task in TASKS for name in POLICIES if fits(name, task)]),
    st.integers(0, 499),
    st.integers(0, 60),
    st.integers(1, 20),
    st.booleans(),
    st.sampled_from([(), (Background(2), Distractors(3)), (Objects(1), Lighting(2))]),
)
@settings(max_examples=12)
def test_restore_then_replay_is_bit_exact(who, seed, before, after, elsewhere, perturbations):
    task, policy = who
    if task == "lift-tray":  # its only loose things lie in one another: none can change places
        perturbations = tuple(p for p in perturbations if not isinstance(p, Objects))
    session = session_of(task, policy, seed)
    session.reset(seed, perturbations)
    trace(session, before)
    moment = session.save()
    first = trace(session, after)
    end = session.finished, session.time
    trace(session, 5)
    if elsewhere:  # another world, another actor, and the moment as another process would get it
        session = session_of(task, policy, seed, number=1)
        session.reset(seed + 1)
        trace(session, 3)
        moment = pickle.loads(pickle.dumps(moment))
    session.restore(moment)
    assert np.array_equal(trace(session, after), first)
    assert (session.finished, session.time) == end


def test_actions_that_wait_are_part_of_the_moment():
    session = session_of("lift-block", "expert", 0)
    session.reset(0)
    moment = session.save()
    assert len(moment.pending) == 0

    class Chunked(made.Chunks):
        def save(self):
            return len(self.asked)

        def restore(self, saved):
            self.asked = [0.0] * saved

    session = made_session(Chunked)
    session.step()
    session.step()
    moment = session.save()
    assert moment.pending.shape == (3, 8)
    trace(session, 9)
    assert len(session.actor.asked) == 3
    session.restore(moment)
    trace(session, 3)
    assert len(session.actor.asked) == 1


def test_a_policy_without_memory_methods_can_not_be_saved():
    session = made_session(made.Still)
    assert not isinstance(session.actor, Restorable)
    with pytest.raises(UsageError, match="'Still' can't be saved or restored"):
        session.save()


@pytest.mark.parametrize(
    ("policy", "kind", "words"),
    [
        (made.Raises, "raised", r"raised ValueError: no idea .* 'Raises' on seed 3 at 0\.2 s"),
        (made.Exits, "raised", r"raised SystemExit: 0 .* at 0 s"),
        (made.NotFinite, "not_finite", r"not finite with 'NotFinite' on seed 3 at 0 s"),
        (made.TooNarrow, "shape", r"shape \(7,\) .*; \(8,\) or \(n, 8\) with n >= 1 is needed"),
        (made.NoActions, "shape", r"shape \(0, 8\)"),
        (made.Words, "shape", r"returned str, which is no array of numbers"),
        (made.Nothing, "shape", r"returned NoneType, which is no array of numbers"),
    ],
)
def test_a_broken_contract_is_the_policys_fault(policy, kind, words):
    session = made_session(policy)
    with pytest.raises(PolicyFault, match=words) as caught:
        trace(session, 10)
    assert caught.value.kind == kind
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.kind) == (str(caught.value), kind)


def test_a_policy_that_fails_in_reset_is_told_apart_from_the_world():
    session = Session(world_of("lift-block"), made.RaisesInReset(), "mine")
    with pytest.raises(PolicyFault, match=r"raised KeyError: .* when asked to reset with 'mine'"):
        session.reset(3)


@pytest.mark.parametrize("policy", [made.Loops, made.Sleeps])
def test_a_policy_that_hangs_is_left_behind(policy):
    session = made_session(policy)
    session._watch.limit_s = 0.2  # for the call that hangs alone
    with pytest.raises(PolicyFault, match=r"took more than 0\.2 s to act with .* at 0 s") as caught:
        session.step()
    assert caught.value.kind == "slow"


def test_a_watch_goes_on_after_a_call_that_hangs():
    watch = Watch(0.1)
    with pytest.raises(TimeUp):
        watch.call(made.Loops().act, None)
    watch.limit_s = 30.0
    assert watch.call(len, "abc") == 3
    with pytest.raises(ZeroDivisionError):
        watch.call(divmod, 1, 0)
    watch.close()
    watch.close()


def test_a_thread_that_is_asked_to_end_between_two_calls_ends_in_silence():
    # As where a call comes back just when its time is up: pytest warns of what a thread raises.
    watch = Watch(30.0)
    watch.call(len, "abc")
    thread = watch._thread
    watch._abandon()
    thread.join(10.0)
    assert not thread.is_alive()
    assert watch.call(len, "abc") == 3
    watch.close()


def test_a_chunk_is_done_before_the_next_observation():
    session = made_session(made.Chunks)
    trace(session, 11)
    # 5 actions of 0.05 s each: asked at 0, 0.25 and 0.5 s.
    assert session.actor.asked == pytest.approx([0.0, 0.25, 0.5])


def test_success_must_hold_for_half_a_second():
    session = session_of("lift-block", "expert", 0)
    session.reset(0)
    first = None
    while not session.finished:
        session.step()
        if first is None and session.success:
            first = session.time
    assert session.success
    assert session.time == pytest.approx(first + 0.5)


def test_an_attempt_without_success_ends_at_its_limit():
    session = made_session(made.Chunks)
    session.actor.count = 1000
    while not session.finished:
        session.step()
    assert session.time == session.world.task.limit_s
    assert not session.success


def test_an_actor_that_says_it_is_finished_gets_one_more_second():
    session = made_session(made.SaysFinished)
    while not session.finished:
        session.step()
    # 21 steps of 0.05 s are the first that make more than 1 s.
    assert session.time == pytest.approx(1.05)


def test_a_reset_forgets_the_attempt_before():
    session = made_session(made.SaysFinished)
    first = trace(session, 25)
    assert session.finished
    session.reset(3)
    assert (session.finished, session.time) == (False, 0.0)
    assert np.array_equal(trace(session, 25), first)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (["0.1"] * 8, "shape"),  # words that look like numbers
        (np.full(8, 1 + 1j), "shape"),
        (np.full(8, True), "shape"),
        (np.ma.masked_all(8), "shape"),
        (np.full(8, 1e300), "not_finite"),  # not as a dataset keeps it
    ],
)
def test_what_is_no_action_is_the_policys_fault(answer, kind):
    class Odd(made.Still):
        def act(self, observation):
            return answer

    session = Session(world_of("lift-block"), Odd())
    session.reset(0)
    with pytest.raises(PolicyFault) as caught:
        session.step()
    assert caught.value.kind == kind


def test_a_finished_that_raises_is_the_policys_fault():
    class Odd(made.Still):
        @property
        def finished(self):
            raise ValueError("who knows")

    session = Session(world_of("lift-block"), Odd())
    session.reset(0)
    with pytest.raises(PolicyFault, match="who knows"):
        session.step()


def test_a_policy_that_interrupts_is_not_the_user():
    class Odd(made.Still):
        def act(self, observation):
            raise KeyboardInterrupt

    session = Session(world_of("lift-block"), Odd())
    session.reset(0)
    with pytest.raises(PolicyFault, match="KeyboardInterrupt"):
        session.step()
