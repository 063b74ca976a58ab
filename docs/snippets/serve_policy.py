"""A policy server in a dozen lines of plain Python, and a rollout that asks it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from assay.jobs.rollout import RolloutSettings, rollout
from assay.worlds.policies.http import Http


def model(observation: dict[str, Any]) -> list[list[float]]:
    """Stay where you are, for 20 actions: your network goes here."""
    return [observation["observation/state"]] * 20


class Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"actions": model(asked["observation"])} if self.path == "/act" else {}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


if __name__ == "__main__":
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        mine = Http(f"http://127.0.0.1:{server.server_port}", images="")  # it needs no pictures
        settings = RolloutSettings(
            Path("held"), task="lift-block", policies={"mine": mine}, seeds=[0, 1], views=(), jobs=1
        )
        print(rollout(settings).document["policies"][0]["status"])
        server.shutdown()
