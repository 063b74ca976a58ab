"""What asking a model costs: 64 requests in flight, bodies of 1 MB, answers after 200 ms.

    python speed/fanout.py [--requests 2048] [--openai PYTHON]

The server runs in a process of its own. Measured is CPU of the client's process, threads included,
and the throughput against what the latency alone would allow: 64 requests every 200 ms, as if
sending 1 MB and reading it took no time. The clock runs from the first request to the last answer.
So all 64 begin in step and the last are waited for; with few requests that is most of what is
missing. What one request takes with nothing else under way is told too: no client can do better
than the server does, and on two cores the two share them. The same is asked through the
`openai` package, in turns with ours and in processes of the same kind: `--openai` names a Python
that has it where this one has not. Every request shows two of 64 pictures, as frames of an episode
are shown again and again; each is another question, so nothing comes from the ledger.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median

CPU_MS, SHARE = 3.0, 0.9
IN_FLIGHT, LATENCY_S, PICTURES = 64, 0.2, 64
ALONE = 5  # requests one after the other
PICTURE_BYTES = 375_000  # two of them are 1.0 MB of base64
MODEL = "stub"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2048)
    parser.add_argument("--openai", default=sys.executable)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--as", dest="role", choices=("server", "assay", "openai"))
    parser.add_argument("--url", default="")
    asked = parser.parse_args()
    if asked.role is None:
        compare(asked)
    elif asked.role == "server":
        serve()
    else:
        measure(asked.role, asked.url, asked.requests)


def compare(asked: argparse.Namespace) -> None:
    """Run both clients in turns against one server, and print medians beside their limits."""
    clients = {"assay": sys.executable}
    probe = [asked.openai, "-c", "import openai"]
    if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        clients["openai"] = asked.openai
    else:
        print("openai is not installed here: pip install openai, or name a Python by --openai")
    server = subprocess.Popen(
        [sys.executable, __file__, "--as", "server"], stdout=subprocess.PIPE, text=True
    )
    try:
        url = server.stdout.readline().strip()
        told: dict[str, list[dict[str, float]]] = {name: [] for name in clients}
        for _ in range(asked.turns):
            for name, python in clients.items():
                told[name].append(run(python, name, url, asked.requests))
    finally:
        server.terminate()
        server.wait()
    busy = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, {busy:.1f} processes want them: throughput needs two to itself")
    for name, runs in told.items():
        cpu = median(one["cpu_ms"] for one in runs)
        share = median(one["rate"] for one in runs) / (IN_FLIGHT / LATENCY_S)
        alone = median(one["alone_ms"] for one in runs)
        limits = f" (limits {CPU_MS} ms, {SHARE:.0%})" if name == "assay" else ""
        print(
            f"{name}: {cpu:.2f} cpu-ms a request, {share:.1%} of the latency bound{limits},"
            f" {alone:.0f} ms for a request alone"
        )


def run(python: str, role: str, url: str, requests: int) -> dict[str, float]:
    command = [python, __file__, "--as", role, "--url", url, "--requests", str(requests)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def measure(role: str, url: str, requests: int) -> None:
    """Ask and print CPU and throughput of this process as JSON; the first 64 warm up."""
    first = IN_FLIGHT + ALONE
    asking = ask_assay(url) if role == "assay" else ask_openai(url)
    with asking as ask, ThreadPoolExecutor(IN_FLIGHT) as pool:
        list(pool.map(ask, range(IN_FLIGHT)))
        alone = median(timed(ask, number) for number in range(IN_FLIGHT, first))
        cpu, wall = time.process_time(), time.perf_counter()
        said = set(pool.map(ask, range(first, first + requests)))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    if said != {"85"}:
        raise SystemExit(f"Some answers were not right: {said}")
    told = {"cpu_ms": 1e3 * cpu / requests, "rate": requests / wall, "alone_ms": 1e3 * alone}
    print(json.dumps(told))


def timed(ask: Callable[[int], str], number: int) -> float:
    """Return how long one request takes [s]."""
    begun = time.perf_counter()
    ask(number)
    return time.perf_counter() - begun


def shown() -> list[bytes]:
    return [os.urandom(PICTURE_BYTES) for _ in range(PICTURES)]


@contextmanager
def ask_assay(url: str):
    from assay.models.address import parse
    from assay.models.base import Picture, Request
    from assay.models.session import ModelSettings, Session

    pictures = [Picture(one, f"{n}", 448, 448) for n, one in enumerate(shown())]
    address = parse(f"openai:{MODEL}@{url}")

    def ask(number: int) -> str:
        two = pictures[number % PICTURES], pictures[(number + 1) % PICTURES]
        reply = session.ask(address, Request(("How far?", *two), sample=number))
        return reply.text or reply.detail

    with tempfile.TemporaryDirectory() as folder:
        settings = ModelSettings(ledger=Path(folder) / "ledger", in_flight=IN_FLIGHT)
        with Session(settings) as session:
            yield ask


@contextmanager
def ask_openai(url: str):
    """Ask as its users do: one client, threads, pictures coded once beforehand."""
    from openai import OpenAI

    client = OpenAI(base_url=url, api_key="none", max_retries=0)
    coded = [f"data:image/jpeg;base64,{base64.b64encode(one).decode()}" for one in shown()]

    def ask(number: int) -> str:
        two = coded[number % PICTURES], coded[(number + 1) % PICTURES]
        content = [{"type": "text", "text": "How far?"}]
        content += [{"type": "image_url", "image_url": {"url": one}} for one in two]
        messages = [{"role": "user", "content": content}]
        done = client.chat.completions.create(model=MODEL, messages=messages, temperature=0)
        return done.choices[0].message.content

    with client:
        yield ask


def serve() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from model_server import ModelServer, say

    with ModelServer(lambda _: say("85"), latency_s=LATENCY_S, keep=False) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
