"""Event streams: what an idle client occupies, and what one frame to all of them costs."""

import re
import statistics
import time

from load import progress, tickets_of
from processes import CLIENT_CORE, BenchError, cpu_seconds, resident_bytes, wait_for
from servers import EVENTS_PATH, start_anteroom, start_bare

SETTLE_SECONDS = 2
# A call of the server every second would be news: nobody is called in this room.
STILL = {"capacity = 1000000": "capacity = 0"}


class Audience:
    """Clients that hold one stream each and read what comes."""

    def __init__(self, children, build, server, tickets):
        self.children = children
        self.count = len(tickets)
        command = [build / "anteroom-bench-sse-clients", server.port, EVENTS_PATH]
        self.process = children.start("sse-clients", command, CLIENT_CORE, stdin=-1)
        self.say("\n".join(tickets) + "\n")
        if self.process.stdout.readline().split() != ["connected", str(self.count)]:
            raise BenchError(f"not everybody got a stream: {children.log_of('sse-clients').strip()}")

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def heard(self):
        """Events of the first client, and bytes of all, so far."""
        self.say("")
        line = self.process.stdout.readline()
        frames, heard, alive = map(int, re.fullmatch(r"frames (\d+) bytes (\d+) alive (\d+)\n", line).groups())
        if alive != self.count:
            raise BenchError(f"only {alive} of {self.count} streams are left")
        return frames, heard

    def leave(self):
        self.children.stop(self.process)


class Frames:
    """What the frames of some seconds came to."""

    def __init__(self, frames, size, cpu):
        self.size = size
        self.ms_cpu = cpu * 1e3 / frames


def idle_cpu_per_second(server, seconds):
    before = cpu_seconds(server.pid)
    time.sleep(seconds)
    return (cpu_seconds(server.pid) - before) / seconds


def between_frames(audience):
    """Waits until a frame has just reached everybody, so that no measurement begins or ends within one."""
    known = audience.heard()[0]
    wait_for(lambda: audience.heard()[0] > known, "no frame came")
    time.sleep(0.6)


def measure_frames(children, build, server, tickets, frames):
    idle = idle_cpu_per_second(server, SETTLE_SECONDS)
    audience = Audience(children, build, server, tickets)
    time.sleep(SETTLE_SECONDS)
    between_frames(audience)
    begin, cpu_before, (frames_before, bytes_before) = time.monotonic(), cpu_seconds(server.pid), audience.heard()
    time.sleep(frames - 0.5)
    between_frames(audience)
    seconds = time.monotonic() - begin
    cpu = cpu_seconds(server.pid) - cpu_before - idle * seconds
    frames_after, bytes_after = audience.heard()
    audience.leave()
    count = frames_after - frames_before
    return Frames(count, round((bytes_after - bytes_before) / count / len(tickets)), cpu)


def compare_frames(children, build, server, tickets, rounds, frames):
    """Ours and a bare send() loop with frames of the same size, in turns; the medians in ms of CPU per frame."""
    ours, bare = [], []
    bare_server = None
    for turn in range(rounds):
        mine = measure_frames(children, build, server, tickets, frames)
        bare_server = bare_server or start_bare(children, build, "--sse", mine.size)
        theirs = measure_frames(children, build, bare_server, tickets, frames)
        ours.append(mine.ms_cpu)
        bare.append(theirs.ms_cpu)
        progress(f"streams, round {turn + 1} of {rounds}: {mine.size} bytes to {len(tickets):,} clients: "
                 f"ms of CPU: anteroom {mine.ms_cpu:.0f}, bare {theirs.ms_cpu:.0f}")
    children.stop(bare_server.process)
    return statistics.median(ours), statistics.median(bare)


def measure_idle(children, build, count, seconds):
    """Microseconds of CPU per stream and second in a room that stands still, beyond what the server takes without them."""
    server = start_anteroom(children, build, "anteroom-still", changes=STILL)
    tickets = tickets_of(server, [f"visitor-{i}" for i in range(count)])
    time.sleep(SETTLE_SECONDS)
    without = idle_cpu_per_second(server, seconds)
    audience = Audience(children, build, server, tickets)
    time.sleep(SETTLE_SECONDS)
    frames, heard = audience.heard()
    cpu = idle_cpu_per_second(server, seconds)
    frames_after, heard_after = audience.heard()
    audience.leave()
    children.stop(server.process)
    progress(f"streams, idle: {count:,} for {seconds} s: {cpu * 1e3:.1f} ms of CPU per second, {without * 1e3:.1f} without "
             f"them; {(heard_after - heard) / count:.0f} bytes to each, {frames_after - frames} frames to the first")
    return (cpu - without) * 1e6 / count


def measure_memory(children, build, count):
    """Resident bytes per idle client, in a fresh server: an old one may have freed memory to use up first."""
    server = start_anteroom(children, build, "anteroom-streams")
    tickets = tickets_of(server, [f"visitor-{i}" for i in range(count)])
    time.sleep(SETTLE_SECONDS)
    before = resident_bytes(server.pid)
    audience = Audience(children, build, server, tickets)
    time.sleep(SETTLE_SECONDS)
    audience.heard()
    after = resident_bytes(server.pid)
    audience.leave()
    children.stop(server.process)
    return (after - before) / count
