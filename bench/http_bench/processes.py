"""Child processes on a core of their own, what they cost, and their certain end."""

import os
import pathlib
import resource
import subprocess
import time

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE = CORES[0]
CLIENT_CORE = CORES[-1]
TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")


class BenchError(Exception):
    """Ends the benchmark with one line."""


def pinned(core):
    """What a child does before its program starts: stays on the core, takes all descriptors it may have."""

    def prepare():
        if core is not None:
            os.sched_setaffinity(0, {core})
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    return prepare


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("ANTEROOM_")}


class Children:
    """Every process that is still running ends with this, however the benchmark ends."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in list(self.running):
            self.stop(process)

    def start(self, name, command, core, **options):
        log = (self.folder / f"{name}.log").open("a")
        with log:
            process = subprocess.Popen([str(word) for word in command], preexec_fn=pinned(core), stderr=log,
                                       stdout=subprocess.PIPE, text=True, env=environment(), **options)
        self.running.append(process)
        return process

    def stop(self, process):
        if process in self.running:
            self.running.remove(process)
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def log_of(self, name):
        return (self.folder / f"{name}.log").read_text()[-2000:]


def cpu_seconds(pid):
    """User and system time of all threads of the process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_SECONDS


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise BenchError(f"process {pid} has no memory any more")


def children_of(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It has ended since.
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def busy_share(seconds):
    """How much of the machine's cores is in use, from 0 to 1."""

    def times():
        fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]  # All, and idle.

    all_before, idle_before = times()
    time.sleep(seconds)
    all_after, idle_after = times()
    return 1 - (idle_after - idle_before) / (all_after - all_before)


def wait_for(claim, what, seconds=10):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = claim()
        if value:
            return value
        time.sleep(0.05)
    raise BenchError(f"{what} within {seconds} s")
