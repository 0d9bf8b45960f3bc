"""A network that falls apart: the room's primary and the server that writes it on one side, the rest on the other.

Every Redis node and every server has a network namespace with two links: to the network that is cut, and to the rig.
The rig starts this file again in namespaces of its own, which end with it: nothing of all this is seen outside.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "rig"))

from cases import Failed, Skipped, expect  # noqa: E402
from crowd import CAPACITY, ROOM, SETTINGS, Crowd  # noqa: E402
from process import wait_until  # noqa: E402
from redis_servers import TIED, Cluster  # noqa: E402
from room_log import RoomLog  # noqa: E402
from town import Town, with_talk  # noqa: E402

ROUNDS_SHORT, ROUNDS_LONG = 1, 50
CALLS_BETWEEN = 10
OWN_NAMESPACES = ["unshare", "--net", "--mount"]
REDIS_PORT = 6379
NODE_TIMEOUT_MS = 1000
STALE_ENOUGH_SECONDS = 3


def run(options):
    if os.geteuid() != 0 or not shutil.which("ip"):
        raise Skipped("network namespaces need root and `ip` (iproute2)")
    probe = "mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip netns add a && ip link add main type bridge"
    if subprocess.run([*OWN_NAMESPACES, "sh", "-c", probe], capture_output=True).returncode != 0:
        raise Skipped("network namespaces and bridges cannot be made here")
    again = [sys.executable, __file__, str(options.anteroom), str(options.folder), str(options.seed),
             str(ROUNDS_LONG if options.long else ROUNDS_SHORT)]  # fmt: skip
    script = 'mount -t tmpfs tmpfs /run/netns && ip link set lo up && exec "$@"'
    done = subprocess.run([*TIED, *OWN_NAMESPACES, "sh", "-c", script, "sh", *again], stdout=subprocess.PIPE, text=True)
    expect(done.returncode == 0, done.stdout.strip())
    return done.stdout.strip()


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    expect(done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}")


class Network:
    """Hosts on two bridges: `main`, where all talk to each other, and `side`, for those that are cut off together.
    A third, `rig`, is never cut."""

    RIG = "10.77.1.254"

    def __init__(self):
        self.hosts = 0
        for name in ("main", "side", "rig"):
            ip("link", "add", name, "type", "bridge")
            ip("link", "set", name, "up")
        ip("address", "add", f"{self.RIG}/24", "dev", "rig")

    def add(self):
        """A new host: its name, the command that runs something there, its addresses for others and for the rig."""
        self.hosts += 1
        name = f"h{self.hosts}"
        ip("netns", "add", name)
        ip("-n", name, "link", "set", "lo", "up")
        addresses = []
        for third, bridge in enumerate(("main", "rig")):
            address = f"10.77.{third}.{self.hosts}"
            ip("link", "add", f"{bridge}-{name}", "type", "veth", "peer", "name", bridge, "netns", name)
            ip("link", "set", f"{bridge}-{name}", "master", bridge, "up")
            ip("-n", name, "address", "add", f"{address}/24", "dev", bridge)
            ip("-n", name, "link", "set", bridge, "up")
            addresses.append(address)
        return name, ["ip", "netns", "exec", name], *addresses

    @contextlib.contextmanager
    def cut(self, names):
        for name in names:
            ip("link", "set", f"main-{name}", "master", "side")
        try:
            yield
        finally:
            for name in names:
                ip("link", "set", f"main-{name}", "master", "main")


def inside(options):
    with contextlib.ExitStack() as stack:
        network = Network()
        nodes = [network.add() for _ in range(2 * Cluster.PRIMARIES + 1)]
        places = [{"wrapper": run, "host": host, "reach": reach, "port": REDIS_PORT} for _, run, host, reach in nodes]
        redis = Cluster(stack, options.folder, places=places, settings={"protected-mode": "no"})
        # An acknowledged command is on two nodes, also when the primary is cut off.
        redis.add_replica(ROOM, 2, **places[-1])
        hosts = [network.add() for _ in range(3)]
        town = Town(stack, options, redis, wrappers=[run for _, run, _, _ in hosts],
                    hosts=[reach for *_, reach in hosts], trusted=Network.RIG)  # fmt: skip
        town.make_room(ROOM, SETTINGS)
        crowd = Crowd(town, options.seed, grown_max=2 * CAPACITY)
        log = RoomLog(redis, ROOM)
        crowd.start(clients=5)
        waits = []
        for _ in range(options.rounds):
            crowd.wait_calls(CALLS_BETWEEN)
            writer, primary = town.writer(), redis.home_of(ROOM)
            minority = [hosts[writer][0], nodes[redis.nodes.index(primary)][0]]
            with network.cut(minority):
                waits.append(live_apart(redis, town, crowd, writer, primary))
            crowd.wait_calls(CALLS_BETWEEN)
            redis.wait_whole()
            wait_until(lambda: redis.has_replicas(ROOM, 2), "both replicas")
            log.read()
        crowd.stop()
        crowd.check(log)
        town.stop()
    return (
        f"{options.rounds} times the writer and its primary were cut off, joins on the other side after "
        f"{max(waits):.1f} s at most, then all agreed; {crowd.summary(log)}"
    )


def live_apart(redis, town, crowd, writer, primary):
    """The majority goes on; servers of the minority acknowledge nothing. Returns how long until joins work again."""
    known = next(visitor for visitor in crowd.visitors if visitor.is_over)  # Nothing will happen to it any more.
    since = time.monotonic()
    town.sleeping = writer
    try:
        with redis.nervous(NODE_TIMEOUT_MS):
            redis.wait_replaced(primary, ROOM)
        heir = town.writer()
        crowd.end_now(crowd.join_now(heir), heir)
        wait = time.monotonic() - since
        cut_off = town.servers[writer]
        answer = with_talk(cut_off, lambda talk: talk.join(ROOM, "somebody on the wrong side"))
        expect(answer.status == 503, f"a join on the minority's side answers {answer}")
        wait_until(lambda: stale(cut_off, known), "a copy that says how old it is")
        return wait
    finally:
        town.sleeping = None


def stale(server, visitor):
    answer = with_talk(server, lambda talk: talk.look(ROOM, visitor.ticket))
    expect(answer.status == 200, f"{visitor}: on the minority's side {answer}")
    return answer.json().get("stale_seconds", 0) >= STALE_ENOUGH_SECONDS


if __name__ == "__main__":
    anteroom, folder, seed, rounds = sys.argv[1:]
    try:
        print(inside(argparse.Namespace(
            anteroom=pathlib.Path(anteroom), folder=pathlib.Path(folder), seed=int(seed), rounds=int(rounds)
        )))  # fmt: skip
    except Exception as trouble:
        print(trouble if isinstance(trouble, Failed) else traceback.format_exc())
        sys.exit(1)
