"""Policies on a server: what is sent, what answers mean, and how they are named."""

from __future__ import annotations

import base64
import io
import pickle
import sys

import numpy as np
import pytest
from PIL import Image

from assay import plugins
from assay.errors import MissingExtraError, UnknownNameError, UsageError
from assay.worlds.policies._making import make_policy
from assay.worlds.policies.base import Actor, Checked, Leaving, Restorable
from assay.worlds.policies.http import Http
from assay.worlds.policies.websocket import Websocket
from policy_stub import HOME, SERVED, Stub, holding, saying
from served_made import BARE, TASK, observed, of, rolled, session, world

# What holds for every policy on a server that is found in the folder.


@pytest.mark.parametrize("name", SERVED)
def test_every_served_policy_keeps_the_contract(name):
    with Stub() as server:
        policy = of(name, server.url(name))
        assert isinstance(policy, Checked)
        assert pickle.loads(pickle.dumps(policy)) == policy
        actor = policy.actor(world().task, 0)
        assert isinstance(actor, Actor)
        assert isinstance(actor, Leaving)
        assert not isinstance(actor, Restorable)  # nobody can save what a server remembers
        policy.check(TASK, (), 30.0)
        # A list of numbers has all their digits, and so has float64.
        assert np.array_equal(rolled(policy, 3), np.tile(HOME, (3, 1)))


@pytest.mark.parametrize("name", SERVED)
def test_nothing_is_asked_before_the_attempt(name):
    policy = of(name, "ws://127.0.0.1:9" if name == "websocket" else "http://127.0.0.1:9")
    actor = policy.actor(world().task, 0)
    with pytest.raises(UsageError, match="is reset before it acts"):
        actor.act(observed(images={}))


@pytest.mark.parametrize("name", SERVED)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"url": "localhost:8000"}, "must begin with"),
        ({"url": "ftp://localhost"}, "and name a host, such as"),
        ({"url": "//"}, "must begin with"),
        ({"url": "ws://localhost:port"}, "can't be read"),
        ({"url": "ws://me:secret@localhost"}, "a key comes from an environment variable"),
        ({"url": "http://localhost?key=secret"}, "a key comes from an environment variable"),
        ({"images": "front"}, "images takes key=view,key=view, not 'front'"),
        ({"images": "a=wirst"}, "Did you mean 'wrist'"),
        ({"images": "prompt=front"}, "not all different"),
        ({"size": "8"}, "must be 16 to 1024 pixels, or 0"),
        ({"use_first": "-1"}, "use_first must be 0"),
        ({"actions": "velocity"}, "can't be 'velocity'"),
    ],
)
def test_bad_options_are_refused_kindly(name, options, words):
    with pytest.raises(UsageError) as caught:
        make_policy(name, options)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "package"), [("websocket", "aiohttp"), ("websocket", "msgpack"), ("http", "aiohttp")]
)
def test_a_missing_package_is_told_before_anything_is_asked(name, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    policy = plugins.find("assay.worlds.policies", name)(**BARE)
    with pytest.raises(MissingExtraError, match=rf"{package}.*assay\[serving\]"):
        policy.check(TASK, (), 30.0)


# What is sent.


def test_an_observation_is_what_openpi_expects():
    message = Websocket().message(observed(), "Lift it.")
    assert list(message) == [
        "observation/image",
        "observation/wrist_image",
        "observation/state",
        "prompt",
    ]
    assert message["observation/image"].shape == (224, 224, 3)
    assert message["observation/image"].dtype == np.uint8
    assert np.unique(message["observation/image"]).tolist() == [100]
    assert np.unique(message["observation/wrist_image"]).tolist() == [200]
    assert message["observation/state"].tolist() == [0, 1, 2, 3, 4, 5, 6, 0.25]
    assert message["observation/state"].dtype == np.float32
    assert message["prompt"] == "Lift it."


def test_other_keys_are_those_of_a_droid_server():
    policy = Websocket(
        images="observation/exterior_image_1_left=front, observation/wrist_image_left=wrist",
        size=0,
        state_key="",
        joints_key="observation/joint_position",
        gripper_key="observation/gripper_position",
        gripper="closing",
    )
    message = policy.message(observed(), "Lift it.")
    assert message["observation/exterior_image_1_left"].shape == (64, 64, 3)
    assert message["observation/joint_position"].shape == (7,)
    assert message["observation/gripper_position"].tolist() == [0.75]  # 1 - 0.25
    assert set(message) == {
        "observation/exterior_image_1_left",
        "observation/wrist_image_left",
        "observation/joint_position",
        "observation/gripper_position",
        "prompt",
    }


def test_a_picture_is_made_smaller_by_means():
    # Columns of 0 and 200 in turn: a picture of half the size is 100 all over.
    striped = np.zeros((64, 64, 3), np.uint8)
    striped[:, 1::2] = 200
    images = {"front": striped}
    message = Websocket(images="image=front", size=32).message(observed(images=images), "")
    assert message["image"].shape == (32, 32, 3)
    assert np.abs(message["image"].astype(int) - 100).max() <= 1


def test_over_a_websocket_the_arrays_arrive():
    with Stub() as server:
        actor = Websocket(url=server.ws, size=0).actor(world().task, 0)
        actor.reset("Lift it.")
        actor.act(observed())
        actor.end_attempt()
    [seen] = server.seen
    assert np.array_equal(seen["observation/wrist_image"], np.full((64, 64, 3), 200))
    assert seen["observation/state"].tolist() == [0, 1, 2, 3, 4, 5, 6, 0.25]
    assert seen["prompt"] == "Lift it."


@pytest.mark.parametrize(("pictures", "slack"), [("png", 0), ("jpeg", 3)])
def test_over_http_pictures_are_files_and_arrays_are_lists(pictures, slack):
    rng = np.random.default_rng(0)
    ramp = np.add.outer(np.arange(32), np.arange(32))[..., None] + rng.integers(0, 2, 3)
    images = {"front": (2 * ramp).astype(np.uint8)}
    with Stub() as server:
        policy = Http(url=server.http, images="cam=front", size=0, pictures=pictures)
        actor = policy.actor(world().task, 0)
        actor.reset("Lift it.")
        actor.act(observed(images=images))
        actor.end_attempt()
    (reset, told), (act, body) = server.posted
    assert (reset, act) == ("/reset", "/act")
    assert told == {"session": body["session"], "instruction": "Lift it."}
    sent = body["observation"]
    assert sent["observation/state"] == [0, 1, 2, 3, 4, 5, 6, 0.25]
    assert sent["prompt"] == "Lift it."
    file = io.BytesIO(base64.b64decode(sent["cam"][pictures], validate=True))
    shown = np.asarray(Image.open(file).convert("RGB")).astype(int)
    assert np.abs(shown - images["front"]).max() <= slack


@pytest.mark.parametrize("name", SERVED)
def test_large_pictures_are_sent_whole(name):
    noise = np.random.default_rng(0).integers(0, 256, (1024, 1024, 3), np.uint8)
    with Stub() as server:
        actor = of(name, server.url(name), images="cam=front", size=0).actor(world().task, 0)
        actor.reset("")
        assert actor.act(observed(images={"front": noise})).shape == (1, 8)
        actor.end_attempt()
    if name == "websocket":
        assert np.array_equal(server.seen[0]["cam"], noise)
    else:
        file = base64.b64decode(server.posted[1][1]["observation"]["cam"]["png"])
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(file))), noise)


def test_attempts_at_the_same_time_are_told_apart():
    with Stub() as server:
        for _ in range(2):
            rolled(of("http", server.http), 1)
    sessions = [body["session"] for _path, body in server.posted]
    assert len(set(sessions)) == 2
    assert sessions[0] == sessions[1]  # reset and act of one attempt


# What an answer means.


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        # Joints are 0, 1, 2, ... and all moves are 0.5, then 0.25.
        ("absolute", [0.5, 0.25]),
        ("delta", [6.5, 6.25]),
        ("increment", [6.5, 6.75]),
    ],
)
def test_actions_become_targets(actions, expected):
    reply = {"actions": np.array([[0.5] * 8, [0.25] * 8], np.float32)}
    chunk = Websocket(actions=actions).chunk(reply, observed())
    assert chunk[:, 6].tolist() == expected
    assert chunk[:, 7].tolist() == [0.5, 0.25]  # the gripper is never relative


def test_a_gripper_that_closes_is_turned_round():
    reply = {"moves": [0.0] * 7 + [0.9]}
    chunk = Http(gripper="closing", actions_key="moves").chunk(reply, observed())
    assert chunk.shape == (1, 8)
    assert chunk[0, 7] == pytest.approx(0.1)


def test_only_the_first_actions_of_a_chunk_are_done():
    with Stub(talk=holding(5)) as server:
        rolled(of("websocket", server.ws), 10)
        assert len(server.seen) == 2  # 10 actions, 5 at a time
        rolled(of("websocket", server.ws, use_first=2), 10)
        assert len(server.seen) == 2 + 5


def test_a_server_may_say_that_it_is_finished():
    with Stub(talk=saying({"actions": HOME, "finished": True})) as server:
        made = session(of("websocket", server.ws))
        made.reset(3)
        while not made.finished:
            made.step()
        made.close()
    assert made.time < 2.0  # 1 s after it said so


# By name, as on the command line.


def test_an_address_follows_the_name():
    made = make_policy("websocket@ws://127.0.0.1:8000", {"size": "64"}, outside=True)
    assert made == Websocket(url="ws://127.0.0.1:8000", size=64)
    assert make_policy("http@https://robot.example/pi0").url == "https://robot.example/pi0"


@pytest.mark.parametrize("name", ["expert@ws://localhost:8000", "policies_made:Still@here"])
def test_a_policy_on_no_server_takes_no_address(name):
    with pytest.raises(UsageError, match="is on no server: it takes no address"):
        make_policy(name, outside=True)


def test_a_name_that_is_close_is_offered():
    with pytest.raises(UnknownNameError, match="Did you mean 'websocket'"):
        make_policy("websockets@ws://localhost:8000", outside=True)
