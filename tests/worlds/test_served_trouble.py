"""Servers that are slow, wrong or gone: whose fault it is, and what is said."""

from __future__ import annotations

import asyncio
import pickle
import socket
import threading

import numpy as np
import pytest
from aiohttp import WSMsgType, web

from assay import plugins
from assay.errors import PolicyFault, ServerFault, UsageError
from assay.worlds.policies._served.server import MOST_BYTES, Server
from policy_stub import HOME, SERVED, Call, Stub, holding, packed, replying, saying
from served_made import TASK, of, rolled, session


def unused() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


async def cut(call: Call) -> None:
    call.request.transport.abort()


async def closes(call: Call) -> None:
    await call.socket.close()


async def hangs(call: Call) -> None:
    await asyncio.Event().wait()


async def twice(call: Call) -> None:
    await holding()(call)
    await holding()(call)


async def raises(call: Call) -> None:
    await call.socket.send_str('Traceback:\n  File "serve.py"\nValueError: no weights\n')
    await call.socket.close(code=1011)


async def garbage(call: Call) -> None:
    await call.socket.send_bytes(b"\xc1")  # the one byte that msgpack never uses


async def half(call: Call) -> None:
    await call.socket.send_bytes(packed({"actions": HOME})[:-9])


async def enormous(call: Call) -> None:
    await call.socket.send_bytes(bytes(MOST_BYTES + 1))


WRONG = {
    "garbage": (garbage, "unreadable", "sent what is no msgpack of openpi's kind"),
    "half": (half, "unreadable", "sent what is no msgpack of openpi's kind"),
    "a list": (saying([1]), "unreadable", "sent list, where a map is needed"),
    "no actions": (saying({"action": 1}), "unreadable", "without 'actions'; nearest: 'action', w"),
    "nothing": (saying({}), "unreadable", "answered without 'actions', with 'pi0' on seed 3 at 0 "),
    "narrow": (saying({"actions": HOME[:7]}), "shape", "shape (7,)"),
    "empty": (saying({"actions": np.zeros((0, 8))}), "shape", "shape (0, 8)"),
    "deep": (saying({"actions": np.zeros((1, 1, 8))}), "shape", "shape (1, 1, 8)"),
    "words": (saying({"actions": "left"}), "shape", "returned str, which is no array of numbers"),
    "digits": (saying({"actions": ["1"] * 8}), "shape", "returned list, which is no array of num"),
    "nan": (saying({"actions": np.full(8, np.nan)}), "not_finite", "is not finite"),
    "inf": (saying({"actions": np.full(8, np.inf)}), "not_finite", "is not finite"),
    "raised": (raises, "raised", "raised ValueError: no weights, with 'pi0' on seed 3 at 0 s."),
    "enormous": (enormous, "too_large", f"sent more than {MOST_BYTES} bytes"),
    "twice": (twice, "unreadable", "sent an answer that nobody had asked for"),
}


@pytest.mark.parametrize(("talk", "kind", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_answer_is_the_policys_fault(talk, kind, words):
    with Stub(talk=talk) as server, pytest.raises(PolicyFault) as caught:
        rolled(of("websocket", server.ws), 20)  # a second answer can come after the next question
    assert caught.value.kind == kind
    assert words in str(caught.value)


def test_a_fault_names_the_server_the_seed_and_the_time():
    async def third(call: Call) -> None:
        await (garbage if call.nth == 2 else holding())(call)

    with Stub(talk=third) as server, pytest.raises(PolicyFault) as caught:
        rolled(of("websocket", server.ws), 5)
    assert str(caught.value).startswith(f"The server at {server.ws} sent ")
    assert str(caught.value).endswith(", with 'pi0' on seed 3 at 0.1 s.")


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        (cut, "closed the connection without an answer (code 1006), with 'pi0' on seed 3 at 0 s."),
        (closes, "closed the connection without an answer (code 1000)"),
    ],
)
def test_a_server_that_dies_is_no_fault_of_the_policy(talk, words):
    with Stub(talk=talk) as server, pytest.raises(ServerFault) as caught:
        rolled(of("websocket", server.ws), 2)
    assert words in str(caught.value)


def test_a_server_that_closes_between_two_acts_is_gone():
    async def and_closes(call: Call) -> None:
        await holding()(call)
        await call.socket.close()

    with Stub(talk=and_closes) as server, pytest.raises(ServerFault, match=r"at 0\.05 s"):
        rolled(of("websocket", server.ws), 2)


def test_a_slow_server_is_left_and_its_late_answer_is_never_read():
    late = threading.Event()

    async def talk(call: Call) -> None:
        if not late.is_set():
            await asyncio.to_thread(late.wait, 30.0)
            await call.send({"actions": HOME + 1.0})
        else:
            await holding()(call)

    with Stub(talk=talk) as server:
        made = session(of("websocket", server.ws))
        made.reset(3)
        made._watch.limit_s = 0.3  # for the question alone: to connect may take its time
        with pytest.raises(PolicyFault, match=r"took more than 0\.3 s to act") as caught:
            made.step()
        assert caught.value.kind == "slow"
        made.close()
        late.set()
        assert np.array_equal(rolled(of("websocket", server.ws), 2), [HOME, HOME])


def test_a_server_that_pings_is_answered_between_two_acts():
    heard = threading.Event()

    async def pinging(request: web.Request) -> web.WebSocketResponse:
        socket_ = web.WebSocketResponse(autoping=False)
        await socket_.prepare(request)
        await socket_.send_bytes(packed({}))
        async for message in socket_:
            if message.type is WSMsgType.PONG:
                heard.set()
            else:
                await socket_.send_bytes(packed({"actions": HOME}))
                await socket_.ping()
        return socket_

    server = Stub()
    server._socket = pinging
    with server:
        made = session(of("websocket", server.ws))
        made.reset(3)
        made.step()
        assert heard.wait(30.0)  # while nobody asks
        made.close()


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        (b"\xc1", "sent what is no msgpack"),
        ("Welcome!", "raised Welcome!"),
        (packed([]), "sent list, where a map is needed"),
        (None, r"gave no answer within 0.3 s\. Is it running, and is the address right\?"),
    ],
)
def test_a_server_of_another_kind_is_refused_at_the_start(hello, words):
    with Stub(hello=hello) as server, pytest.raises(UsageError, match=words):
        of("websocket", server.ws).check(TASK, (), 0.3 if hello is None else 30.0)


@pytest.mark.parametrize("name", SERVED)
def test_no_server_is_a_sentence_with_the_address(name):
    port = unused()
    scheme = "ws" if name == "websocket" else "http"
    policy = of(name, f"{scheme}://127.0.0.1:{port}")
    with pytest.raises(UsageError) as caught:
        policy.check(TASK, (), 30.0)
    words = f"The server at {scheme}://127.0.0.1:{port} can't be reached: "
    assert str(caught.value).startswith(words)
    assert str(caught.value).endswith(". Is it running, and is the address right?")
    with pytest.raises(ServerFault, match="can't be reached"):
        rolled(policy, 1)


@pytest.mark.parametrize("name", SERVED)
def test_pictures_can_not_be_sent_where_nothing_is_drawn(name):
    policy = plugins.find("assay.worlds.policies", name)()
    with pytest.raises(UsageError, match="is sent the views front, wrist, and nothing is drawn"):
        policy.check(TASK, (), 30.0)


class Elsewhere(Stub):
    """A server that sends everybody somewhere else, or away."""

    def __init__(self, status: int, location: str = "") -> None:
        super().__init__()
        self.answer = status, location

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        status, location = self.answer
        return web.Response(status=status, headers={"Location": location} if location else {})

    _post = _socket


@pytest.mark.parametrize("name", SERVED)
def test_a_redirect_is_not_followed(name, monkeypatch):
    monkeypatch.setenv("ASSAY_POLICY_KEY", "open-sesame")
    with Stub() as target, Elsewhere(302, target.http) as server:
        with pytest.raises(UsageError, match=f"sends elsewhere: 302, to {target.http}"):
            of(name, server.url(name)).check(TASK, (), 30.0)
        assert target.headers == []


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("websocket", 401, "takes no websocket connection: it answered 401"),
        ("websocket", 200, "takes no websocket connection: it answered 200"),
        ("http", 404, "answered /reset with status 404: nothing"),
    ],
)
def test_a_server_that_refuses_is_told_at_the_start(name, status, words):
    with Elsewhere(status) as server, pytest.raises(UsageError, match=words):
        of(name, server.url(name)).check(TASK, (), 30.0)


@pytest.mark.parametrize("name", SERVED)
def test_a_server_of_something_else_is_told_at_the_start(name):
    def talk(listening: socket.socket) -> None:
        there, _address = listening.accept()
        with there:
            there.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
            there.recv(1 << 16)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=talk, args=(listening,))
        thread.start()
        scheme = "ws" if name == "websocket" else "http"
        url = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(UsageError, match="does not speak HTTP"):
            of(name, url).check(TASK, (), 30.0)
        thread.join()


def test_a_certificate_that_nobody_vouches_for_is_told():
    # aiohttp's error has no number of the system's, unlike the others that it raises.
    import ssl

    from aiohttp import ClientConnectorCertificateError
    from aiohttp.client_reqrep import ConnectionKey

    key = ConnectionKey("robot.example", 443, True, True, None, None, None)
    error = ClientConnectorCertificateError(key, ssl.CertificateError("self-signed"))
    server = Server.at("https://robot.example", "Bearer", "")
    with pytest.raises(ServerFault, match=r"is not trusted \(.*self-signed"), server.worded():
        raise error


@pytest.mark.parametrize(("name", "scheme"), [("websocket", "Api-Key"), ("http", "Bearer")])
def test_a_key_is_sent_and_never_shown(name, scheme, monkeypatch):
    monkeypatch.setenv("MY_KEY", "open-sesame")

    async def tells(call: Call) -> None:
        await call.socket.send_str("KeyError: open-sesame is not valid")

    def answers(path, body):
        return replying(path, body) if path == "/reset" else web.Response(status=500, text=told)

    told = "KeyError: open-sesame is not valid"
    with Stub(talk=tells, reply=answers) as server:
        policy = of(name, server.url(name), key_variable="MY_KEY")
        with pytest.raises(PolicyFault, match=r"KeyError: \[key\] is not valid"):
            rolled(policy, 1)
    assert {h["Authorization"] for h in server.headers} == {f"{scheme} open-sesame"}
    assert "open-sesame" not in repr(policy) + str(pickle.dumps(policy))


def test_without_a_key_no_header_is_sent(monkeypatch):
    monkeypatch.setenv("ASSAY_POLICY_KEY", "")
    with Stub() as server:
        rolled(of("websocket", server.ws), 1)
    assert "Authorization" not in server.headers[0]


def posted(status: int = 200, text: str = "", **more):
    """Return a way to reply to `/act`, after a good `/reset`."""

    def reply(path, body):
        if path == "/reset":
            return replying(path, body)
        return web.Response(status=status, text=text, **more)

    return reply


OVER_HTTP = {
    "no json": (posted(text="<html>"), "unreadable", "sent what is no JSON"),
    "brackets": (posted(text="[" * 100_000), "unreadable", "sent what is no JSON"),
    "a list": (posted(text="[1]"), "unreadable", "sent list, where an object is needed"),
    "no actions": (posted(text='{"Action": 1}'), "unreadable", "'actions'; nearest: 'Action'"),
    "narrow": (posted(text='{"actions": [1, 2]}'), "shape", "shape (2,)"),
    "ragged": (posted(text='{"actions": [[1], [1, 2]]}'), "shape", "no array of numbers"),
    "nan": (posted(text='{"actions": [NaN,0,0,0,0,0,0,0]}'), "not_finite", "not finite"),
    "raised": (posted(500, "ValueError: no weights"), "raised", "status 500: ValueError: no wei"),
    "enormous": (posted(text=" " * (MOST_BYTES + 1)), "too_large", "sent more than"),
}


@pytest.mark.parametrize(("reply", "kind", "words"), OVER_HTTP.values(), ids=OVER_HTTP)
def test_a_wrong_answer_over_http_is_the_policys_fault(reply, kind, words):
    with Stub(reply=reply) as server, pytest.raises(PolicyFault) as caught:
        rolled(of("http", server.http), 1)
    assert caught.value.kind == kind
    assert words in str(caught.value)


@pytest.mark.parametrize("status", [401, 404, 429, 502, 503, 504])
def test_a_broken_way_over_http_is_no_fault_of_the_policy(status):
    words = f"answered /act with status {status}: busy, with"
    with Stub(reply=posted(status, "busy")) as server, pytest.raises(ServerFault, match=words):
        rolled(of("http", server.http), 1)


def test_a_connection_that_is_cut_over_http_is_no_fault_of_the_policy():
    class Cutting(Stub):
        async def _post(self, request: web.Request) -> web.StreamResponse:
            if request.path == "/act":
                request.transport.abort()
            return web.json_response({})

    with Cutting() as server, pytest.raises(ServerFault, match="cut the connection"):
        rolled(of("http", server.http), 1)
