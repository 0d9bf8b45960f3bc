"""Memory of the whole process, as somebody outside measures it: a room fills, empties, fills again, and where it goes."""

import json
import pathlib
import re
import time

from load import CONNECTIONS, run_wrk
from processes import BenchError, cpu_seconds, resident_bytes, wait_for
from servers import JOIN_PATH, ROOM, Talk, start_anteroom

TOKEN = "memory-bench"
SLICES_MAX = 60
JOINS_PER_SECOND = 20_000  # Estimated: wrk is told how long it may take, and takes as long.
SETTLE_SECONDS = 7  # The server gives back free memory every five.
ARENA_BYTES = 64 << 20  # glibc: arenas of threads begin at multiples of it.
STACK_KB = 8192

# The usual server, with everything that is on by default; nobody is called, so that the line only grows.
CONFIG = """\
[server]
listen = "127.0.0.1:0"
[store]
{store}
[auth]
admin_token = "memory-bench"
[log]
level = "warning"
[rooms]
joins_per_second = 0
[defaults]
capacity = 1
idle = "1h"
"""


class Moment:
    """What the process holds now. Sizes in bytes."""

    def __init__(self, server, name):
        self.name = name
        self.resident = resident_bytes(server.pid)
        self.peak = status_of(server.pid, "VmHWM")
        self.waiting = waiting_of(server)
        self.parts = mappings_of(server.pid)
        self.figures = metrics_of(server)

    def line(self):
        heap = [self.figures.get(f'anteroom_heap_bytes{{kind="{kind}"}}', 0) for kind in ("used", "free", "mapped")]
        sizes = [self.resident, self.peak, self.parts["files"], self.parts["heap"], self.parts["arenas"], self.parts["stacks"],
                 self.parts["others"], *heap, self.figures.get("anteroom_sqlite_bytes", 0)]
        return f"{self.name:<34} {self.waiting:>9,} " + " ".join(f"{size / 1e6:7.1f}" for size in sizes)


HEADER = (f"{'MB':<34} {'waiting':>9} " + " ".join(f"{word:>7}" for word in (
    "RSS", "peak", "files", "heap", "arenas", "stacks", "mmap", "|used", "free", "mapped", "SQLite")))


def status_of(pid, field):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.M).group(1)) * 1024


def mappings_of(pid):
    """Resident bytes by kind of mapping."""
    parts = dict.fromkeys(("files", "heap", "arenas", "stacks", "others"), 0)
    kind = "others"
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        head = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)", line)
        if head:
            begin, end, name = int(head[1], 16), int(head[2], 16), head[4]
            kind = kind_of(begin, end, name)
        elif line.startswith("Rss:"):
            parts[kind] += int(line.split()[1]) * 1024
    return parts


def kind_of(begin, end, name):
    if name == "[heap]":
        return "heap"
    if name == "[stack]" or (not name and end - begin == STACK_KB * 1024):
        return "stacks"
    if name:
        return "files"
    return "arenas" if begin % ARENA_BYTES == 0 else "others"


def metrics_of(server):
    talk = Talk(server)
    _, text = talk.ask("GET", "/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    talk.close()
    return {name: float(value) for name, value in re.findall(r"(?m)^([a-z_]\S*) (\S+)$", text.decode())}


def waiting_of(server):
    return int(metrics_of(server).get(f'anteroom_waiting{{room="{ROOM}"}}', 0))


class Filler:
    """Lets visitors with names of 36 characters join until so many wait."""

    def __init__(self, children, server):
        self.children = children
        self.server = server
        self.next_name = 1

    def fill(self, visitors):
        for _ in range(SLICES_MAX):
            missing = visitors - waiting_of(self.server)
            if missing <= 0:
                return
            seconds = min(10, missing // JOINS_PER_SECOND + 1)
            load = run_wrk(self.children, self.server, seconds, "join.lua", JOIN_PATH, str(self.next_name),
                           "visitor uuid", str(missing))
            self.next_name += load.requests + 2 * CONNECTIONS  # Those in flight at the end have joined, too.
        raise BenchError("the room does not fill")


def operate(server, method, path, body=None):
    talk = Talk(server)
    talk.ask(method, f"/v1/admin/rooms/{ROOM}{path}", body and json.dumps(body), {"Authorization": f"Bearer {TOKEN}"})
    talk.close()


def wait_for_history(server):
    """Until everything that happened is in history.db, too."""
    wait_for(lambda: metrics_of(server)['anteroom_history_behind_facts{sink="file"}'] == 0, "the history lags", 180)


class Profile:
    """The moments of one server, printed as they come."""

    def __init__(self, children, build):
        self.children = children
        self.build = build
        self.moments = []
        self.start()
        self.filler = Filler(children, self.server)
        print(HEADER)

    def start(self):
        """Also again: in the same folder."""
        self.server = start_anteroom(self.children, self.build, "memory", config=CONFIG, core=None)

    def look(self, name):
        self.moments.append(Moment(self.server, name))
        print(self.moments[-1].line(), flush=True)
        return self.moments[-1]

    def rested(self, name):
        wait_for_history(self.server)
        time.sleep(SETTLE_SECONDS)
        return self.look(name)

    def filled(self, visitors, name):
        self.filler.fill(visitors)
        self.look(f"{name}, just now")
        return self.rested(name)

    def emptied(self, name):
        wait_for(lambda: waiting_of(self.server) == 0, "the room does not empty", 180)
        return self.rested(name)


def bench_memory(figures, children, options):
    """100 000 visitors, then a tenfold of them; cleared; the same again, after a restart swept because it is silent."""
    profile = Profile(children, options.build)
    crowd = options.visitors
    time.sleep(SETTLE_SECONDS)
    idle = profile.look("before the first visitor")
    cpu = -cpu_seconds(profile.server.pid)
    few = profile.filled(crowd // 10, "a tenth waits")
    profile.filled(crowd * 6 // 10, "six tenths wait")
    many = profile.filled(crowd, "everybody waits")
    cpu += cpu_seconds(profile.server.pid)
    operate(profile.server, "POST", "/clear")
    cleared = profile.emptied("the room was cleared")
    again = profile.filled(crowd, "everybody waits again")
    children.stop(profile.server.process)
    profile.start()
    restarted = profile.rested("the server was started again")
    operate(profile.server, "PUT", "", {"idle": "1s", "sweep_interval": "1s"})
    swept = profile.emptied("everybody was silent and is out")
    children.stop(profile.server.process)

    slope = (many.resident - few.resident) / (many.waiting - few.waiting)
    figures.add("process_mb_idle", idle.resident / 1e6, "MB", at_most=30)
    figures.add("process_bytes_per_visitor", slope, "bytes", at_most=100)
    figures.add("process_bytes_per_visitor_100k", (few.resident - idle.resident) / few.waiting, "bytes")
    figures.add("process_join_us_cpu", cpu * 1e6 / many.waiting, "us")
    figures.add("process_mb_1m", many.resident / 1e6, "MB")
    figures.add("process_mb_peak_1m", many.peak / 1e6, "MB")
    figures.add("process_mb_after_clear", cleared.resident / 1e6, "MB")
    figures.add("process_mb_1m_again", again.resident / 1e6, "MB")
    figures.add("process_mb_1m_restarted", restarted.resident / 1e6, "MB")
    figures.add("process_mb_peak_restarted", restarted.peak / 1e6, "MB")
    figures.add("process_mb_after_sweep", swept.resident / 1e6, "MB")
    figures.add("process_mb_peak", max(one.peak for one in profile.moments) / 1e6, "MB")
