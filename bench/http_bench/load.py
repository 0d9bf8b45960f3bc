"""Joins and polls, driven by wrk."""

import pathlib
import re
import statistics
import sys

from processes import CLIENT_CORE, BenchError, cpu_seconds
from servers import JOIN_PATH, Talk

SCRIPTS = pathlib.Path(__file__).resolve().parent
CONNECTIONS = 64
FILL_SLICES_MAX = 60


class Load:
    """What one run of wrk came to."""

    def __init__(self, requests, seconds, cpu, p99_us):
        self.requests = requests
        self.p99_ms = p99_us / 1e3
        self.per_second = requests / seconds
        self.us_cpu = cpu * 1e6 / requests


def progress(step):
    print(f"bench: {step}", file=sys.stderr)


def run_wrk(children, server, seconds, script, *arguments, connections=CONNECTIONS):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", SCRIPTS / script,
               f"http://127.0.0.1:{server.port}", "--", *arguments]
    cpu_of_all = lambda: sum(cpu_seconds(pid) for pid in (server.pid, *server.others))  # noqa: E731
    before = cpu_of_all()
    wrk = children.start("wrk", command, CLIENT_CORE)
    output = wrk.stdout.read()
    children.stop(wrk)
    cpu = cpu_of_all() - before
    result = re.search(r"result requests=(\d+) us=(\d+) errors=(\d+) p50_us=\d+ p99_us=(\d+)", output)
    if not result:
        raise BenchError(f"wrk said nothing about {server.name}: {output}{children.log_of('wrk')}")
    requests, us, errors, p99_us = map(int, result.groups())
    if errors or not requests:
        raise BenchError(f"{server.name}: {errors} errors in {requests} requests")
    return Load(requests, us / 1e6, cpu, p99_us)


class Crowd:
    """The visitors who have joined, by ranges of their numbers in the names visitor-N."""

    def __init__(self):
        self.ranges = []

    def add(self, first, count):
        self.ranges.append((first, count))

    def names(self, count):
        """So many of them, evenly from the whole line."""
        total = sum(length for _, length in self.ranges)
        names = []
        for i in range(count):
            at = i * total // count
            for first, length in self.ranges:
                if at < length:
                    names.append(f"visitor-{first + at}")
                    break
                at -= length
        return names


def fill(children, server, visitors, crowd, path=JOIN_PATH, way="visitor", waiting=None):
    """Lets visitors join until so many wait; returns the loads. `way`: see join.lua."""
    talk = Talk(server)
    loads = []
    next_name = 1
    seconds = 2
    for _ in range(FILL_SLICES_MAX):
        load = run_wrk(children, server, seconds, "join.lua", path, str(next_name), way)
        loads.append(load)
        crowd.add(next_name, max(load.requests - CONNECTIONS, 1))
        next_name += load.requests + 2 * CONNECTIONS  # Those in flight at the end have joined, too.
        there = waiting(talk) if waiting else talk.waiting()
        progress(f"{there:,} of {visitors:,} wait, {load.per_second:,.0f} joins/s")
        if there >= visitors:
            talk.close()
            return loads
        seconds = max(1, min(5, round((visitors - there) / load.per_second + 0.5)))
    raise BenchError("the room does not fill")


def tickets_of(server, names):
    talk = Talk(server)
    tickets = [talk.ticket_of(name) for name in names]
    talk.close()
    return tickets


def measure_polls(children, contestants, polls, rounds, seconds):
    """The contestants in turns; a dictionary from their names to their loads. `polls`: (path, header, value, …)."""
    file = children.folder / "polls"
    file.write_text("".join("\t".join(poll) + "\n" for poll in polls))
    loads = {server.name: [] for server in contestants}
    for server in contestants:
        run_wrk(children, server, 1, "poll.lua", file)  # Warm.
    for turn in range(rounds):
        for server in contestants:
            loads[server.name].append(run_wrk(children, server, seconds, "poll.lua", file))
        said = ", ".join(f"{name} {of[-1].us_cpu:.2f}" for name, of in loads.items())
        progress(f"polls, round {turn + 1} of {rounds}: µs of CPU: {said}")
    return loads


def answer_of(server, poll):
    """The bytes of one answer on the wire, and its body."""
    path, *headers = poll
    talk = Talk(server)
    response, body = talk.ask("GET", path, headers=dict(zip(headers[::2], headers[1::2])))
    talk.close()
    head = f"HTTP/1.1 {response.status} {response.reason}\r\n{response.headers.as_string(maxheaderlen=0)}"
    return len(head.replace("\r\n", "\n").replace("\n", "\r\n")) + len(body), body.decode()


def median_of(loads, figure):
    return statistics.median(getattr(load, figure) for load in loads)


def ratio_of(theirs, ours):
    """How many times more CPU they take: the median over the rounds, because neighbours in time share their noise."""
    return statistics.median(t.us_cpu / o.us_cpu for t, o in zip(theirs, ours))
