"""Rooms in Redis: two servers against two that ask for the rank with every poll, and joins against ZADD and SET."""

import os
import re
import statistics
import subprocess

from durable import RedisLoad, start_redis
from load import Crowd, answer_of, fill, measure_polls, median_of, progress, ratio_of, tickets_of
from processes import CLIENT_CORE, CORES, SERVER_CORE, BenchError, cpu_seconds
from servers import POLL_PATH, ROOM, Server, listening_port, start_anteroom

POLL_TICKETS = 500
JOINS_IN_FLIGHT = 256
PROCESSES = 2


def start_shared(children, build, redis, number):
    store = f'url = "redis://127.0.0.1:{redis.port}"\nreplicas = 0\n'
    keys = f'[keys]\nfolder = "{children.folder}/keys"\n'
    return start_anteroom(children, build, f"shared-{number}", store=store, more=keys, whole_store=True)


def start_direct(children, build, redis, number, size):
    name = f"direct-{number}"
    process = children.start(name, [build / "anteroom-bench-direct", redis.port, f"{{{ROOM}}}:queue", size],
                             SERVER_CORE)
    return Server(name, process, process.pid, listening_port(children, name, process))


def bench_shared(figures, children, options):
    compare_polls(figures, children, options)
    compare_joins(figures, children, options)


def compare_polls(figures, children, options):
    redis = start_redis(children, "redis-polls", durable=False)
    ours = [start_shared(children, options.build, redis, number) for number in range(PROCESSES)]
    crowd = Crowd()
    fill(children, ours[0], options.visitors, crowd)
    names = crowd.names(POLL_TICKETS)
    tickets = tickets_of(ours[1], names)  # The other one knows them, too.
    # One file for all: each server reads what it needs.
    polls = [(POLL_PATH, "Authorization", f"Bearer {ticket}", "X-Visitor", name)
             for ticket, name in zip(tickets, names)]
    _, body = answer_of(ours[0], (POLL_PATH, "Authorization", f"Bearer {tickets[POLL_TICKETS // 2]}"))
    direct = [start_direct(children, options.build, redis, number, len(body)) for number in range(PROCESSES)]
    # What Redis and the neighbour do meanwhile counts, too.
    for group in (ours, direct):
        for server in group:
            server.others = [redis.pid] + [other.pid for other in group if other is not server]
    loads = measure_polls(children, (*ours, *direct), polls, options.rounds, options.seconds)
    for server in (*ours, *direct):
        children.stop(server.process)
    compare_looks(figures, children, options, redis)
    children.stop(redis.process)
    together = [sum((loads[one.name] for one in group), []) for group in (ours, direct)]
    figures.add("redis_http_poll_us_cpu", median_of(together[0], "us_cpu"), "us")
    figures.add("zrank_http_poll_us_cpu", median_of(together[1], "us_cpu"), "us")
    figures.add("redis_http_poll_vs_zrank", ratio_of(together[1], together[0]), "times")


def run_looks(children, options, redis, way):
    """Polls per second of two processes at once, without HTTP, on all cores."""
    keys = subprocess.run(["redis-cli", "-p", str(redis.port), "get", "{anteroom rooms}:keys"], capture_output=True,
                          text=True, check=True).stdout.strip()
    command = ["env", f"ANTEROOM_BENCH_KEYS={keys}", options.build / "anteroom-bench-shared-polls", way, redis.port,
               ROOM, options.seconds]
    both = [children.start(f"looks-{way}-{number}", command, None, stdin=subprocess.PIPE)
            for number in range(PROCESSES)]
    for process in both:
        if process.stdout.readline().strip() != "ready":
            raise BenchError(f"looks-{way}: {children.log_of(f'looks-{way}-0')}")
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    loads = [RedisLoad(process.stdout.read(), 0) for process in both]
    for process in both:
        children.stop(process)
    return sum(load.per_second for load in loads)


def compare_looks(figures, children, options, redis):
    os.sched_setaffinity(redis.pid, CORES)  # The whole machine is everybody's.
    rates = {"copy": [], "zrank": []}
    for turn in range(options.rounds):
        for way, of in rates.items():
            of.append(run_looks(children, options, redis, way))
        said = ", ".join(f"{way} {of[-1]:,.0f}/s" for way, of in rates.items())
        progress(f"polls without HTTP, round {turn + 1} of {options.rounds}: {said}")
    figures.add("redis_polls_per_second", statistics.median(rates["copy"]), "1/s")
    figures.add("zrank_polls_per_second", statistics.median(rates["zrank"]), "1/s")
    ratio = statistics.median(ours / theirs for ours, theirs in zip(*rates.values()))
    figures.add("redis_poll_vs_zrank", ratio, "times", at_least=5)


def run_joins(children, name, command, redis):
    before = cpu_seconds(redis.pid)
    client = children.start(name, command, CLIENT_CORE)
    text = client.stdout.read()
    children.stop(client)
    if not re.search(r"result requests=\d+", text):
        raise BenchError(f"{name}: {text}{children.log_of(name)}")
    return RedisLoad(text, cpu_seconds(redis.pid) - before)


def compare_joins(figures, children, options):
    redis = start_redis(children, "redis-shared", durable=False)
    seconds = options.seconds
    commands = {
        "ours": [options.build / "anteroom-bench-shared-joins", redis.port, 0, JOINS_IN_FLIGHT, seconds],
        "naive": [options.build / "anteroom-bench-redis-joins", redis.port, JOINS_IN_FLIGHT, seconds],
    }
    loads = {name: [] for name in commands}
    for turn in range(options.rounds):
        for name, command in commands.items():
            loads[name].append(run_joins(children, f"joins-{name}", command, redis))
        said = ", ".join(f"{name} {of[-1].per_second:,.0f}/s, {of[-1].us_cpu:.2f} µs of Redis"
                         for name, of in loads.items())
        progress(f"joins, round {turn + 1} of {options.rounds}: {said}")
    children.stop(redis.process)
    figures.add("redis_store_joins_per_second", median_of(loads["ours"], "per_second"), "1/s")
    figures.add("redis_store_join_p99_ms", median_of(loads["ours"], "p99_ms"), "ms")
    figures.add("naive_joins_per_second", median_of(loads["naive"], "per_second"), "1/s")
    rates = [ours.per_second / naive.per_second for ours, naive in zip(loads["ours"], loads["naive"])]
    figures.add("redis_join_vs_naive", sorted(rates)[len(rates) // 2], "times", at_least=1)
    figures.add("redis_join_cpu_vs_naive", ratio_of(loads["naive"], loads["ours"]), "times")
