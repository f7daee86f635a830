#!/usr/bin/env python3
"""Tries every request of the API with thousands of bodies, good and bad, as nobody, as a guest, as
the operator and as staff of every other role: `tools/try_api.py PROGRAM`. Nothing may fail, every
answer has the form that the document gives it, and what the house recorded meanwhile holds.

The requests come from schemathesis, which this installs into target/python where it is missing.
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
WANTED = "schemathesis==4.32.5"
EXAMPLES = int(os.environ.get("SABOT_API_EXAMPLES", "15"))
# What differs for staff is who may, not what is read: a third of the bodies is enough for each role.
EXAMPLES_OF_STAFF = max(EXAMPLES // 3, 3)
STAFF = ("dealer", "supervisor", "inspector", "director", "regulator")
# What ends a session, or the right to play, is left out: the rest would be refused. An operator may
# dismiss herself, and names that were answered are tried. Nobody tries it, and a guest who does
# nothing else.
ENDS = "/(session|sessions|password|register|pause|dismiss)$"
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,unsupported_method"
)
SETTINGS = """
requests_per_second = 1000000
guests_per_hour = 1000000
robots = 1
"""


def tool():
    """The program that makes the requests."""
    folder = ROOT / "target" / "python"
    program = folder / "bin" / "schemathesis"
    mark = folder / WANTED
    if not (program.exists() and mark.exists()):
        print(f"installing {WANTED} into target/python, which tries the API", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", WANTED]
        subprocess.run(pip, check=True)
        mark.touch()
    return program


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(url, body=None, token=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, data, headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read().decode()


def wait_for(url, server):
    for _ in range(400):
        if server.poll() is not None:
            sys.exit("the server stopped")
        try:
            return ask(f"{url}/ready")
        except OSError:
            time.sleep(0.05)
    sys.exit("the server does not answer")


def resident(server):
    """The memory of the process, in MiB."""
    status = pathlib.Path(f"/proc/{server.pid}/status")
    if not status.exists():
        return 0
    return int(re.search(r"VmRSS:\s+(\d+)", status.read_text()).group(1)) // 1024


def follow(url, link, name):
    """Comes in by a one-time link, and gives the token."""
    follows = {"name": name, "password": "a good long one"}
    return json.loads(ask(f"{url}/api/v1/links/{link}", follows))["token"]


def invited(url, operator, role):
    """The token of somebody whom the operator invited in a role, and who has it."""
    link = json.loads(ask(f"{url}/api/v1/invitations", {"role": role}, operator))["link"]
    token = follow(url, link.rsplit("/", 1)[1], f"Staff-{role}")
    roles = json.loads(ask(f"{url}/api/v1/me", None, token))["roles"]
    if role not in roles:
        sys.exit(f"who was invited as {role} has the roles {roles}")
    return token


def try_as(who, url, token, examples=EXAMPLES, only=None):
    """Runs the requests in somebody's name, whose session must outlast them, or those alone that
    may end it."""
    call = [tool(), "run", f"{url}/api/openapi.json", "--max-examples", str(examples), "--no-color"]
    call += ["--phases", "examples,coverage,fuzzing", "--checks", CHECKS, "--warnings", "off"]
    if token:
        call += ["-H", f"authorization: Bearer {token}"]
        call += ["--include-path-regex", only] if only else ["--exclude-path-regex", ENDS]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=900)
    cases = re.search(r"(\d+) generated", done.stdout)
    if done.returncode != 0 or not cases:
        print(done.stdout[-20000:], done.stderr[-4000:])
        sys.exit(f"the API does not do as its document says, asked as {who}")
    print(f"as {who}: {cases.group(1)} requests", flush=True)
    if token and not only:
        ask(f"{url}/api/v1/me", None, token)


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "set-up.toml"
        config.write_text(SETTINGS)
        url = f"http://127.0.0.1:{free_port()}"
        data = pathlib.Path(folder) / "data"
        call = [program, "serve", "--config", config, "--data", data, "--listen", url[7:]]
        with open(pathlib.Path(folder) / "said", "w+", encoding="utf8") as said:
            server = subprocess.Popen(call, stdout=said, stderr=said)
            try:
                wait_for(url, server)
                said.seek(0)
                link = re.search(r"/link/(\S+)", said.read()).group(1)
                guest = json.loads(ask(f"{url}/api/v1/guests", {}))["token"]
                operator = follow(url, link, "Olga")
                staff = [(role, invited(url, operator, role)) for role in STAFF]
                before = resident(server)
                for who, token in [("nobody", None), ("a guest", guest), ("operator", operator)]:
                    try_as(who, url, token)
                leaves = json.loads(ask(f"{url}/api/v1/guests", {}))["token"]
                try_as("a guest who leaves", url, leaves, only=ENDS)
                for role, token in staff:
                    try_as(role, url, token, EXAMPLES_OF_STAFF)
                failures = re.search(r"^sabot_failures_total (\d+)", ask(f"{url}/metrics"), re.M)
                if failures.group(1) != "0":
                    sys.exit(f"{failures.group(1)} requests failed")
                grown = resident(server) - before
                print(f"memory: {before} MiB before, {grown} MiB more after")
                if grown > 300:
                    sys.exit("that is more than what was asked for explains")
            finally:
                server.terminate()
                stopped = server.wait(timeout=60)
        if stopped != 0:
            sys.exit(f"the server stopped with {stopped}")
        verify = [program, "store", "verify", "--data", data]
        subprocess.run(verify, check=True, stdout=subprocess.DEVNULL)
        print("nothing failed, and the log holds")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
