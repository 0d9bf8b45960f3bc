"""Real Redis servers on loopback: one, one with a replica, a Cluster. All of them stop when their stack closes."""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess

from cases import expect
from process import DEADLINE_SECONDS, wait_until
from resp import Error, Resp

SLOTS = 16384
BUS_OFFSET = 10_000  # A node of a Cluster also listens there.
PASSING = {"MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "LOADING", "READONLY", "MASTERDOWN"}
PATIENT_MS = 20_000
STARTS_MAX = 20  # Somebody else may take the port first.
# A server does not outlive its rig, however that ends. REQUIRES: started by the main thread.
TIED = ("setpriv", "--pdeathsig", "KILL")


def is_free(port, host):
    with socket.socket() as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port(host="127.0.0.1"):
    """Both it and its bus below the ports that the kernel hands out to clients."""
    source = random.SystemRandom()
    while True:
        port = source.randrange(12_000, 19_900)
        if is_free(port, host) and is_free(port + BUS_OFFSET, host):
            return port


class RedisServer:
    """`settings`: name to value. In a network of its own: `wrapper` runs it there, `host` is its address for others
    like it, `reach` the one at which the rig talks to it; then `port` must be given."""

    def __init__(self, folder, settings=None, host="127.0.0.1", port=None, wrapper=(), reach=None):
        expect(shutil.which("redis-server"), "redis-server is missing: `make packages` installs it")
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.host, self.reach = host, reach or host
        self.settings = {"save": "", "appendonly": "yes", "repl-diskless-sync-delay": "0", **(settings or {})}
        self.password = self.settings.get("requirepass")
        self.wrapper = wrapper
        self.process = None
        for _ in range(STARTS_MAX):
            self.port = port or free_port()
            if self._try_to_start():
                return
        expect(False, f"redis-server does not start: {self.log()}")

    def _try_to_start(self):
        hosts = f"{self.host} {self.reach}" if self.reach != self.host else self.host
        words = [*TIED, *self.wrapper, "redis-server", "--port", self.port, "--bind", hosts, "--dir", self.folder]
        for name, value in self.settings.items():
            words += [f"--{name}", value]
        log = self.folder / "log"
        begin = log.stat().st_size if log.exists() else 0
        with open(log, "ab") as output:
            self.process = subprocess.Popen([str(word) for word in words], stdout=output, stderr=output)

        def is_ready():
            return self.process.poll() is not None or b"Ready to accept connections" in log.read_bytes()[begin:]

        wait_until(is_ready, "a Redis server that listens")
        return self.process.poll() is None

    def start(self):
        """Again, where it was."""
        expect(self._try_to_start(), f"redis-server does not start again: {self.log()}")

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait(DEADLINE_SECONDS)

    close = kill

    @contextlib.contextmanager
    def frozen(self):
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def call(self, *words):
        with Resp(self.reach, self.port, self.password) as connection:
            return connection.call(*words)

    def info(self, section):
        pairs = (line.split(":", 1) for line in self.call("INFO", section).splitlines() if ":" in line)
        return dict(pairs)

    def has_replicas(self, count=1):
        info = self.info("replication")
        online = sum("state=online" in info.get(f"slave{i}", "") for i in range(int(info.get("connected_slaves", 0))))
        return info["role"] == "master" and online >= count


class Single:
    """One server, with or without replicas."""

    def __init__(self, stack, folder, replicas=0, settings=None):
        self.primary = self._add(stack, folder / "redis-primary", settings)
        replica_of = {"replicaof": f"127.0.0.1 {self.primary.port}"}
        self.replicas = [
            self._add(stack, folder / f"redis-replica-{i}", {**(settings or {}), **replica_of})
            for i in range(replicas)
        ]
        wait_until(lambda: self.primary.has_replicas(replicas), "replicas that follow")

    @staticmethod
    def _add(stack, folder, settings):
        server = RedisServer(folder, settings)
        stack.callback(server.close)
        return server

    def url(self):
        return f"redis://127.0.0.1:{self.primary.port}"

    def call(self, key, *words):
        return self.primary.call(*words)


class Cluster:
    """Three primaries, each with as many replicas as `replicas` says. Nodes keep their place in `nodes`."""

    PRIMARIES = 3

    def __init__(self, stack, folder, replicas=1, settings=None, places=None):
        """`places`: for each node its host, port and wrapper; default: loopback."""
        self.stack, self.folder = stack, folder
        self.settings = {
            "cluster-enabled": "yes",
            "cluster-node-timeout": "1000",  # Until all know each other: that goes by it, too.
            # Replicas here are seconds old: none is too stale to be elected.
            "cluster-replica-validity-factor": "0",
            "cluster-replica-no-failover": "yes",  # But see nervous().
            **(settings or {}),
        }
        self.nodes = []
        for i in range(self.PRIMARIES * (1 + replicas)):
            self._add_node(**(places[i] if places else {}))
        self._make(replicas)
        for node in self.nodes:
            self._be_patient(node)

    @staticmethod
    def _be_patient(node):
        node.settings["cluster-node-timeout"] = str(PATIENT_MS)
        node.call("CONFIG", "SET", "cluster-node-timeout", PATIENT_MS, "cluster-replica-no-failover", "yes")

    @contextlib.contextmanager
    def nervous(self, node_timeout_ms):
        """A primary that is silent for so long is replaced. Only meanwhile: a machine that sleeps replaces nobody."""
        for node in self._running():
            node.call("CONFIG", "SET", "cluster-node-timeout", node_timeout_ms, "cluster-replica-no-failover", "no")
        try:
            yield
        finally:
            for node in self._running():
                self._be_patient(node)

    def _running(self):
        return [node for node in self.nodes if node.is_running()]

    def _add_node(self, **place):
        node = RedisServer(self.folder / f"redis-{len(self.nodes)}", self.settings, **place)
        self.stack.callback(node.close)
        self.nodes.append(node)
        return node

    def add_replica(self, key, count, **place):
        """For the primary of the key, which has `count` then."""
        node = self._add_node(**place)
        wait_until(lambda: self._knows_all(node), "nodes that know each other")
        identity = self.home_of(key).call("CLUSTER", "MYID")
        wait_until(lambda: self._replicates(node, identity), "another replica")
        wait_until(lambda: self.has_replicas(key, count), "another replica")
        identity = node.call("CLUSTER", "MYID")
        for other in self.nodes:
            wait_until(lambda: self._is_known(identity, other), "a replica that is known")
        self._be_patient(node)

    @staticmethod
    def _is_known(identity, node):
        """A node that does not know a replica as one does not vote for it."""
        return any(identity in line and "slave" in line for line in node.call("CLUSTER", "NODES").splitlines())

    def _make(self, replicas):
        primaries = self.nodes[: self.PRIMARIES]
        for i, primary in enumerate(primaries):
            # Epochs of their own, or the nodes begin with a quarrel about them.
            primary.call("CLUSTER", "SET-CONFIG-EPOCH", i + 1)
            first, last = SLOTS * i // len(primaries), SLOTS * (i + 1) // len(primaries) - 1
            primary.call("CLUSTER", "ADDSLOTSRANGE", first, last)
        for node in self.nodes:
            wait_until(lambda: self._knows_all(node), "nodes that know each other")
        for i, node in enumerate(self.nodes[self.PRIMARIES :]):
            identity = primaries[i % len(primaries)].call("CLUSTER", "MYID")
            wait_until(lambda: self._replicates(node, identity), "a replica")
        self.wait_whole(replicas)

    def _knows_all(self, node):
        """On a slow machine an introduction may take too long, and is forgotten."""
        known = node.call("CLUSTER", "NODES")
        lines = {line.split()[1].split("@")[0]: line for line in known.splitlines()}
        strangers = [n for n in self.nodes if "handshake" in lines.get(f"{n.host}:{n.port}", "handshake")]
        for other in strangers:
            if f"{other.host}:{other.port}" not in lines and other is not node:
                node.call("CLUSTER", "MEET", other.host, other.port)
        return all(other is node for other in strangers)

    @staticmethod
    def _replicates(node, identity):
        try:
            return node.call("CLUSTER", "REPLICATE", identity) == "OK"
        except Error:  # It has not heard that this is a primary.
            return False

    def wait_whole(self, replicas=1):
        """Every primary has its replicas, and everybody knows."""
        running = self._running()
        for node in running:
            wait_until(lambda: self._is_well(node), "a Cluster that works")
            count = self.PRIMARIES * replicas
            wait_until(lambda: self._known_replicas(node) >= count, "replicas that are known")
        wait_until(lambda: sum(node.has_replicas(replicas) for node in running) >= self.PRIMARIES, "replicas")

    def wait_replaced(self, primary, key):
        """Another one has the key, and everybody else knows."""

        def is_known(node):
            return self._is_well(node) and self.owner_of(key, node) not in (None, primary)

        for node in self._running():
            if node is not primary:
                wait_until(lambda: is_known(node), "a replica that is promoted")

    @staticmethod
    def _known_replicas(node):
        """Those that fail do not count."""
        flags = [set(line.split()[2].split(",")) for line in node.call("CLUSTER", "NODES").splitlines()]
        return sum("slave" in each and not each & {"fail", "fail?"} for each in flags)

    @staticmethod
    def _is_well(node):
        return "cluster_state:ok" in node.call("CLUSTER", "INFO")

    def url(self):
        return "redis+cluster://" + ",".join(f"{node.host}:{node.port}" for node in self.nodes[: self.PRIMARIES])

    def owner_of(self, key, asked=None):
        """The primary that has the key, as a node that runs (or `asked`) sees it; None: it sees none yet."""
        asked = asked or self._running()[0]
        slot = asked.call("CLUSTER", "KEYSLOT", key)
        for first, last, primary, *_ in asked.call("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(n for n in self.nodes if (n.host, n.port) == (primary[0], primary[1]))
        return None

    def home_of(self, key):
        return wait_until(lambda: self.owner_of(key), "a primary that has the key")

    def has_replicas(self, key, count):
        """The primary that has the key, whoever that is by now."""
        owner = self.owner_of(key)
        return owner is not None and owner.is_running() and owner.has_replicas(count)

    def call(self, key, *words):
        """At the primary of the key, wherever that is by now; waits while there is none."""

        def ask():
            owner = self.owner_of(key)
            try:
                return [owner.call(*words)] if owner else None
            except OSError:  # The primary is gone and no replica is elected yet.
                return None
            except Error as error:
                expect(str(error).split()[0] in PASSING, f"Redis answers {words[0]} with {error}")
                return None

        return wait_until(ask, f"an answer of Redis to {words[0]}")[0]
