"""Joins that are on the disk when they are answered: against the same without a ledger, and against Redis."""

import re
import shutil
import subprocess

from load import median_of, progress, run_wrk
from processes import CLIENT_CORE, SERVER_CORE, BenchError, cpu_seconds, wait_for
from servers import JOIN_PATH, Server, Talk, free_port, start_anteroom

CONNECTIONS = 256  # A rush: what arrives while the disk is busy goes together.


class RedisLoad:
    """What one run against Redis came to; a join is a ZADD and a SET."""

    def __init__(self, text, cpu):
        requests, us, _, p99 = map(int, re.search(
            r"result requests=(\d+) us=(\d+) p50_us=(\d+) p99_us=(\d+)", text).groups())
        self.per_second = requests / (us / 1e6)
        self.p99_ms = p99 / 1e3
        self.us_cpu = cpu * 1e6 / requests


def start_redis(children, name="redis", durable=True):
    """Redis 7: it answers after fsync, as durable as it can be, or keeps everything in memory."""
    program = shutil.which("redis-server")
    if not program:
        raise BenchError("redis-server not found: `make packages` installs what the benchmark needs")
    folder = children.folder / name
    folder.mkdir()
    port = free_port()
    disk = ["--appendonly", "yes", "--appendfsync", "always"] if durable else []
    process = children.start(name, [program, "--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                                    "--loglevel", "warning", *disk], SERVER_CORE)

    def answers():
        ping = subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True, text=True, check=False)
        return ping.stdout.strip() == "PONG"

    wait_for(answers, "redis does not answer")
    return Server(name, process, process.pid, port)


def run_redis(children, build, server, seconds):
    before = cpu_seconds(server.pid)
    client = children.start("redis-joins", [build / "anteroom-bench-redis-joins", server.port, CONNECTIONS, seconds],
                            CLIENT_CORE)
    text = client.stdout.read()
    children.stop(client)
    if "result" not in text:
        raise BenchError(f"redis: {text}{children.log_of('redis-joins')}")
    return RedisLoad(text, cpu_seconds(server.pid) - before)


class StoreLoad:
    """What the embedded store by itself came to, on one core like Redis."""

    def __init__(self, text):
        values = {line.split()[0]: float(line.split()[1]) for line in text.splitlines()}
        self.per_second = values["store_joins_per_second"]
        self.p99_ms = values["store_join_p99_ms"]


def run_store(children, build, seconds):
    folder = children.folder / "store-joins"
    store = children.start("store-joins", [build / "anteroom-bench-store", "--joins-for", seconds, "--in-flight",
                                           CONNECTIONS, "--folder", folder], SERVER_CORE)
    text = store.stdout.read()
    children.stop(store)
    shutil.rmtree(folder, ignore_errors=True)
    if "store_joins_per_second" not in text:
        raise BenchError(f"the store: {text}{children.log_of('store-joins')}")
    return StoreLoad(text)


def compare_joins(figures, children, build, rounds, seconds):
    durable = start_anteroom(children, build, "durable")
    memory = start_anteroom(children, build, "memory", store="memory")
    redis = start_redis(children)
    for server in (durable, memory):
        talk = Talk(server)
        talk.ticket_of("the-first")
        talk.close()
    loads = {"durable": [], "memory": [], "redis": [], "store": []}
    first = 1
    for turn in range(rounds):
        for server in (durable, memory):
            load = run_wrk(children, server, seconds, "join.lua", JOIN_PATH, str(first), connections=CONNECTIONS)
            loads[server.name].append(load)
            first += load.requests + 2 * CONNECTIONS
        loads["redis"].append(run_redis(children, build, redis, seconds))
        loads["store"].append(run_store(children, build, seconds))
        said = ", ".join(f"{name} {of[-1].per_second:,.0f}/s p99 {of[-1].p99_ms:.1f} ms" for name, of in loads.items())
        progress(f"joins, round {turn + 1} of {rounds}: {said}")
    for server in (durable, memory, redis):
        children.stop(server.process)
    rates = {name: median_of(of, "per_second") for name, of in loads.items()}
    figures.add("durable_joins_per_second", rates["durable"], "1/s")
    figures.add("durable_join_p99_ms", median_of(loads["durable"], "p99_ms"), "ms")
    figures.add("durable_join_us_cpu", median_of(loads["durable"], "us_cpu"), "us")
    figures.add("memory_joins_per_second", rates["memory"], "1/s")
    figures.add("durable_join_vs_memory", rates["durable"] / rates["memory"], "times")
    figures.add("redis_joins_per_second", rates["redis"], "1/s")
    figures.add("redis_join_p99_ms", median_of(loads["redis"], "p99_ms"), "ms")
    figures.add("store_joins_per_second", rates["store"], "1/s")
    figures.add("store_join_p99_ms", median_of(loads["store"], "p99_ms"), "ms")
    figures.add("durable_join_vs_redis_aof", rates["store"] / rates["redis"], "times", at_least=3)
    figures.add("durable_http_join_vs_redis_aof", rates["durable"] / rates["redis"], "times")


def bench_store(figures, children, build, visitors):
    """The store by itself: it prints its figures."""
    progress(f"the store by itself, {visitors:,} visitors")
    process = children.start("store", [build / "anteroom-bench-store", "--visitors", visitors,
                                       "--folder", children.folder / f"store-{visitors}"], None)
    for line in process.stdout:
        name, value, unit = line.split()
        budget = {"recovery_from_facts_ms_1m": 2000, "recovery_from_snapshot_ms_1m": 2000,
                  "recovery_from_facts_ms_10m": 20000, "recovery_from_snapshot_ms_10m": 20000}.get(name)
        figures.add(name, float(value), unit, at_most=budget)
    if process.wait() != 0:
        raise BenchError(f"anteroom-bench-store failed: {children.log_of('store')}")
    shutil.rmtree(children.folder / f"store-{visitors}", ignore_errors=True)
