"""Loads a system with requests that are written beforehand, by bench/outside_client.cpp."""

import re
import subprocess
import sys

from answers import Answer
from processes import CLIENT_CORE, BenchError, environment, pinned
from system import ROOM

CONNECTIONS = {"once": 256, "around": 64}  # Joins come as a rush, polls as a steady flow.
ENDING_SECONDS = 30  # Beyond the seconds of a load: for the answers under way and the files.
RESULT = re.compile(r"result requests=(\d+) us=(-?\d+) refused=(\d+) errors=(\d+) p50_us=\d+ p99_us=(\d+)")


def progress(step):
    print(f"outside: {step}", file=sys.stderr, flush=True)


def visitor(number):
    """36 characters, as the ids of people are in most systems."""
    return f"{number:08x}-0000-4000-8000-{number * 2654435761 % 2**48:012x}"


class Load:
    def __init__(self, requests, us, refused, errors, p99_us, cpu):
        self.requests, self.refused, self.errors = requests, refused, errors
        self.p99_ms = p99_us / 1e3
        self.per_second = requests / (us / 1e6) if requests else 0
        self.us_cpu = cpu * 1e6 / requests if requests else 0


class Client:
    """One load at a time, in a folder for its files."""

    def __init__(self, build, folder):
        self.program = build / "anteroom-bench-outside-client"
        self.folder = folder
        self.answers_path = folder / "answers"
        if not self.program.exists():
            raise BenchError(f"{self.program} is not built: `make bench` builds it")

    def start(self, system, wires, seconds, way="once", address=None, keep=False):
        requests = self.folder / "requests"
        with requests.open("wb") as file:
            for wire in wires:
                file.write(b"%d\n%b" % (len(wire), wire))
        host, port = address or system.addresses[0]
        command = [self.program, host, port, CONNECTIONS[way], seconds, way, requests, *([self.answers_path] if keep else [])]
        self.limit = seconds + ENDING_SECONDS
        return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                preexec_fn=pinned(CLIENT_CORE), env=environment())  # fmt: skip

    def finish(self, client, cpu=0.0):
        try:
            output, _ = client.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            raise BenchError("the client does not end") from None
        finally:
            client.kill()
            client.wait()
        result = RESULT.search(output)
        if not result:
            raise BenchError(f"the client said {output.strip()!r}")
        return Load(*map(int, result.groups()), cpu)

    def run(self, system, wires, seconds, way="once", address=None, keep=False):
        """All that is answered must be answered well."""
        before = system.cpu_seconds()
        load = self.finish(self.start(system, wires, seconds, way, address, keep))
        cpu = system.cpu_seconds() - before
        if load.errors or load.refused or not load.requests:
            raise BenchError(
                f"{system.name}: of {load.requests + load.errors} requests {load.refused} were refused, {load.errors} not answered"
            )
        load.us_cpu = cpu * 1e6 / load.requests
        return load

    def answers(self, every=1):
        """(index, answer) of each `every`-th that was kept."""
        with self.answers_path.open("rb") as file:
            for count, line in enumerate(iter(file.readline, b"")):
                index, _, _, length = line.split()
                wire = file.read(int(length))
                if count % every == 0 and len(wire) == int(length):
                    yield int(index), Answer.parse(wire)


def join_wires(system, first, count, address=None):
    request = system.request("join")
    host = "%s:%d" % (address or system.addresses[0])
    return [request.wire(host, room=ROOM, visitor=visitor(number)) for number in range(first, first + count)]


def poll_wire(system, number, ticket):
    host = "%s:%d" % system.addresses[0]
    return system.request("poll").wire(host, room=ROOM, visitor=visitor(number), ticket=ticket)
