"""examples/redis-cluster/run: a visitor comes through nginx, a server dies, Ctrl-C ends everything."""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading

from cases import Failed, expect
from process import DEADLINE_SECONDS, Gone, Talk, wait_until
from redis_servers import TIED, is_free

RUN = pathlib.Path(__file__).resolve().parents[2] / "examples" / "redis-cluster" / "run"
ROOM = "hall"


def run(options):
    path = f"{os.environ['PATH']}:/usr/sbin"
    expect(shutil.which("nginx", path=path), "nginx is missing: `make packages` installs it")
    port = free_port()
    command = [*TIED, sys.executable, str(RUN), "--anteroom", str(options.anteroom), "--port", str(port),
               "--first-port", str(random.randrange(20_000, 22_000)), "--folder", str(options.folder / "town")]  # fmt: skip
    with open(options.folder / "log", "wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    started = {}
    try:
        started = read_processes(process, options)
        expect(len(started) == 10, f"it started {started}")
        queued = visit(port, started)
        process.send_signal(signal.SIGINT)
        expect(process.wait(DEADLINE_SECONDS) == 0, f"Ctrl-C ended it with {process.returncode}")
        for name, number in started.items():
            wait_until(lambda: not is_there(number), f"the end of {name}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        for number in started.values():  # Only what this one started, and only if it failed.
            if is_there(number):
                os.kill(number, signal.SIGKILL)
    return f"{len(started)} processes, {queued} joins through nginx, two servers died, Ctrl-C ended the rest"


def free_port():
    """nginx does not take port 0, and comes last: below the ports that the kernel hands out to clients nobody gets it
    meanwhile."""
    return next(port for port in iter(lambda: random.randrange(23_000, 32_000), None) if is_free(port, "127.0.0.1"))


def is_there(number):
    """Also a process that has ended and that nobody has waited for is gone."""
    try:
        return " Z " not in pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2][:3]
    except FileNotFoundError:
        return False


def read_processes(process, options):
    """By name, once the example is ready; it says so in its last line."""
    watchdog = threading.Timer(2 * DEADLINE_SECONDS, process.kill)
    watchdog.start()
    found = {}
    for line in process.stdout:
        if match := re.match(r" +(\S+) +process (\d+)", line):
            found[match[1]] = int(match[2])
        if line.startswith("open http"):
            watchdog.cancel()
            return found
    watchdog.cancel()
    raise Failed(f"the example does not start: {(options.folder / 'log').read_text()}")


def visit(port, started):
    talk = Talk(port, DEADLINE_SECONDS)
    joins = 0

    def join():
        """Anonymous, as browsers do; nginx goes on to another server when one is gone or refuses."""
        try:
            answer = talk.ask("POST", f"/v1/rooms/{ROOM}/tickets", {})
        except Gone:
            return None
        expect(answer.status in (201, 502, 503, 504), f"a join through nginx answers {answer}")
        return answer.json() if answer.status == 201 else None

    def look(ticket):
        answer = talk.look(ROOM, ticket)
        return answer.json() if answer.status == 200 else None

    expect(b"<html" in talk.ask("GET", f"/wait/{ROOM}").body.lower(), "no waiting page")
    standings = [wait_until(join, "a place")]
    servers = [name for name in started if name.startswith("anteroom-")]
    for victim in servers[:2]:
        os.kill(started[victim], signal.SIGKILL)
        standings.append(wait_until(join, "a place after a server died"))
        for standing in standings:
            found = wait_until(lambda: look(standing["ticket"]), "an answer after a server died")
            expect(found["number"] == standing["number"], f"{standing} became {found}")
    joins = len(standings)
    expect(len({standing["number"] for standing in standings}) == joins, f"the same number twice: {standings}")
    talk.close()
    return joins
