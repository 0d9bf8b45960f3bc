"""http_bench: the whole server against nginx and a bare loop, over loopback.

Servers run on one core and clients on another; the contestants take turns, and what counts is the CPU time of the
server per request. Everything it starts ends with it. See README.md of the folder above for the figures.
"""

import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile

sys.dont_write_bytecode = True

from dialects import bench_dialects  # noqa: E402
from durable import bench_store, compare_joins  # noqa: E402
from figures import Figures  # noqa: E402
from gate import bench_gate  # noqa: E402
from load import Crowd, answer_of, fill, measure_polls, median_of, progress, ratio_of, tickets_of  # noqa: E402
from memory import bench_memory  # noqa: E402
from processes import BenchError, Children, busy_share  # noqa: E402
from servers import POLL_PATH, returning, start_anteroom, start_bare, start_nginx  # noqa: E402
from shared import bench_shared  # noqa: E402
from streams import compare_frames, measure_idle, measure_memory  # noqa: E402
from urr import bench_urr  # noqa: E402

POLL_TICKETS = 500
BUSY_SHARE_MAX = 0.1


def parse():
    parser = argparse.ArgumentParser(prog="http_bench", description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("build/bench.json"))
    parser.add_argument("--visitors", type=int, help="how many wait (1 000 000)")
    parser.add_argument("--clients", type=int, help="how many event streams are open (15 000)")
    parser.add_argument("--quick", action="store_true", help="a small room, one short round")
    parser.add_argument("--only",
                        choices=("polls", "streams", "urr", "dialects", "gate", "joins", "store", "memory", "redis"),
                        help="polls and streams, streams alone, system U's polls, those of systems T, P and H, the proxy, "
                        "durable joins, recovery, memory of the process, or rooms in Redis")
    options = parser.parse_args()
    options.visitors = options.visitors or (50_000 if options.quick else 1_000_000)
    options.clients = options.clients or (1_000 if options.quick else 15_000)
    options.rounds, options.seconds = (1, 2) if options.quick else (11, 2)
    options.stream_rounds, options.frames = (1, 3) if options.quick else (2, 10)
    options.idle_streams, options.idle_seconds = (500, 20) if options.quick else (5_000, 60)
    options.store_visitors = (50_000,) if options.quick else (1_000_000, 10_000_000)
    return options


def find_programs(build, only):
    """Where nginx is; fails when something is missing."""
    places = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    nginx = shutil.which("nginx", path=places)
    missing = [name for name, found in (("nginx", nginx), ("wrk", shutil.which("wrk"))) if not found]
    if missing:
        raise BenchError(f"{' and '.join(missing)} not found: `make packages` installs what the benchmark needs")
    programs = {"urr": (), "dialects": (), "gate": (), "memory": (), "streams": ("bare", "sse-clients"),
                "redis": ("direct", "redis-joins", "shared-joins", "shared-polls")}.get(
                    only, ("bare", "redis-joins", "sse-clients", "store", "direct", "shared-joins",
                           "shared-polls"))
    for name in ("anteroom", *(f"anteroom-bench-{program}" for program in programs)):
        if not (build / name).exists():
            raise BenchError(f"{build / name} is not built")
    return nginx


def bench_polls(figures, children, options, nginx, server, crowd):
    tickets = tickets_of(server, crowd.names(POLL_TICKETS))
    polls = [(POLL_PATH, "Authorization", f"Bearer {ticket}") for ticket in tickets]
    size, body = answer_of(server, polls[POLL_TICKETS // 2])
    progress(f"an answer has {size} bytes, {len(body)} of them body")
    rivals = start_nginx(children, nginx, returning(body)), start_bare(children, options.build, "--bytes", size)
    loads = measure_polls(children, (server, *rivals), polls, options.rounds, options.seconds)
    for rival in rivals:
        children.stop(rival.process)
    ours, theirs, bare = (median_of(loads[name.name], "us_cpu") for name in (server, *rivals))
    figures.add("poll_us_cpu", ours, "us")
    figures.add("nginx_us_cpu", theirs, "us")
    figures.add("bare_us_cpu", bare, "us")
    mine, *others = (loads[one.name] for one in (server, *rivals))
    figures.add("poll_vs_nginx", ratio_of(others[0], mine), "times", at_least=1.2)
    figures.add("poll_vs_bare_loop", ratio_of(others[1], mine), "times", at_least=0.8)
    figures.add("bare_loop_vs_nginx", ratio_of(*others), "times")
    figures.add("polls_per_second", median_of(loads[server.name], "per_second"), "1/s")


def bench_streams(figures, children, options, server, crowd):
    progress("memory of event streams")
    memory = measure_memory(children, options.build, options.clients)
    tickets = tickets_of(server, crowd.names(options.clients))
    ours, bare = compare_frames(children, options.build, server, tickets, options.stream_rounds, options.frames)
    idle = measure_idle(children, options.build, options.idle_streams, options.idle_seconds)
    figures.add("sse_idle_us_per_second", idle, "us", at_most=1)
    figures.add("sse_bytes_per_client", memory, "bytes", at_most=2048)
    figures.add("sse_frame_ms_cpu", ours, "ms")
    figures.add("sse_frame_vs_bare_send", bare / ours, "times", at_least=0.75)


def run(options):
    nginx = find_programs(options.build, options.only)
    if busy_share(2) > BUSY_SHARE_MAX:
        progress("the machine is busy with other work: do not trust these figures")
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="anteroom-bench-") as folder:
        with Children(pathlib.Path(folder)) as children:
            if options.only in (None, "polls", "streams"):
                server = start_anteroom(children, options.build)
                crowd = Crowd()
                joins = fill(children, server, options.visitors, crowd)
                figures.add("joins_per_second", median_of(joins, "per_second"), "1/s")
                figures.add("join_us_cpu", median_of(joins, "us_cpu"), "us")
                if options.only != "streams":
                    bench_polls(figures, children, options, nginx, server, crowd)
                bench_streams(figures, children, options, server, crowd)
                children.stop(server.process)
            if options.only in (None, "urr"):
                bench_urr(figures, children, options, nginx)
            if options.only in (None, "dialects"):
                bench_dialects(figures, children, options, nginx)
            if options.only in (None, "gate"):
                bench_gate(figures, children, options, nginx)
            if options.only in (None, "joins"):
                compare_joins(figures, children, options.build, options.rounds, options.seconds)
            if options.only in (None, "store"):
                for visitors in options.store_visitors:
                    bench_store(figures, children, options.build, visitors)
            if options.only in (None, "memory"):
                bench_memory(figures, children, options)
            if options.only in (None, "redis"):
                bench_shared(figures, children, options)
    figures.print()
    figures.merge_into(options.json)


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run(parse())
    except BenchError as error:
        print(f"http_bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
