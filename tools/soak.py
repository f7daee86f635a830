#!/usr/bin/env python3
"""People play at a fast floor for minutes, and the memory of the server is watched:
`tools/soak.py PROGRAM [SECONDS]`. It must not grow once it has what it needs.

Guests come, sit, bet, look, leave, and new ones take their places.
"""

import http.client
import json
import os
import pathlib
import random
import sys
import tempfile
import subprocess
import threading
import time

from try_api import free_port, resident, wait_for

PEOPLE = 12
TABLES = ["act-2012", "act-2018 with dragon", "nz-1998", "vic-2005", "tas-2013"]
SIGN = '["operator posts main 5..500", "operator posts tie 5..100"]'


def set_up():
    text = "requests_per_second = 1000000\nguests_per_hour = 1000000\nrobots = 1\n"
    for number, book in enumerate(TABLES):
        text += f'[[table]]\ntitle = "T{number}"\nopens = "operator opens {book}"\n'
        text += f'sign = {SIGN}\npace = "at-once"\n'
    return text


class Person(threading.Thread):
    """Somebody who plays until it is over."""

    def __init__(self, port, seat, end):
        super().__init__(daemon=True)
        self.port, self.seat, self.end = port, seat, end
        self.token, self.requests, self.failures = None, 0, []

    def ask(self, method, path, body=None):
        headers = {"content-type": "application/json"}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body)
        self.wire.request(method, f"/api/v1{path}", data, headers)
        answer = self.wire.getresponse()
        text = answer.read()
        self.requests += 1
        if answer.status >= 500:
            self.failures.append((answer.status, text[:200]))
        return answer.status, json.loads(text)

    def run(self):
        while time.time() < self.end:
            self.wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.token = None
            self.token = self.ask("POST", "/guests", {})[1]["token"]
            table = f"t{self.seat % len(TABLES) + 1}"
            self.visit(table, self.seat // len(TABLES) + 1)
            self.wire.close()

    def visit(self, table, seat):
        def say(line):
            body = {"key": f"k{self.requests}", "line": line}
            return self.ask("POST", f"/tables/{table}/orders", body)

        say(f"sits at {seat} with 500")
        stays = time.time() + random.uniform(5, 25)
        # Who comes in looks at the table and goes on from there, as the page does.
        version = self.ask("GET", f"/tables/{table}?as=player")[1].get("version", 0)
        while time.time() < min(self.end, stays):
            say(f"bets {random.choice([5, 10, 20])} on {random.choice(['banker', 'player', 'tie'])}")
            news = self.ask("GET", f"/tables/{table}/events?after={version}")[1]
            version = news.get("version", version)
            self.ask("GET", f"/tables/{table}?as=player")
            time.sleep(0.02)
        for _ in range(200):
            status, told = say("leaves")
            if status == 200 or told.get("code") == "unknown-player":
                return
            time.sleep(0.05)


def main(program, seconds):
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "set-up.toml"
        config.write_text(set_up())
        port, data = free_port(), pathlib.Path(folder) / "data"
        call = [program, "serve", "--config", config, "--data", data]
        call += ["--listen", f"127.0.0.1:{port}"]
        server = subprocess.Popen(call, stdout=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}", server)
            end = time.time() + seconds
            people = [Person(port, seat, end) for seat in range(PEOPLE)]
            for person in people:
                person.start()
            seen = []
            while time.time() < end:
                time.sleep(min(10, seconds / 20))
                seen.append(resident(server))
                print(f"{len(seen):>4}: {seen[-1]} MiB", flush=True)
            for person in people:
                person.join(timeout=60)
        finally:
            server.terminate()
            stopped = server.wait(timeout=60)
        requests = sum(person.requests for person in people)
        failures = [failure for person in people for failure in person.failures]
        subprocess.run([program, "store", "verify", "--data", data], check=True, stdout=subprocess.DEVNULL)
        size = sum(path.stat().st_size for path in data.rglob("*") if path.is_file()) >> 20
    third = len(seen) // 3
    middle, last = (sorted(part)[len(part) // 2] for part in (seen[third : 2 * third], seen[2 * third :]))
    print(f"{requests} requests, {len(failures)} failures, a log of {size} MiB")
    print(f"memory: {middle} MiB in the middle third, {last} MiB in the last")
    if failures or stopped != 0 or last > middle * 1.1 + 4:
        sys.exit(f"it does not hold: {failures[:3]}, stopped with {stopped}")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 600)
