"""Several servers on one Redis: they share the keys, and any of them may be asked."""

import contextlib
import pathlib

from cases import expect
from process import SNAPSHOT_FACTS, Gone, Process, Refused, wait_until
from redis_servers import TIED


def config(url, keys, replicas=1, more="", listen="127.0.0.1:0", trusted="127.0.0.1"):
    """`more`: further lines of [store]. `trusted`: from where visitors may be named."""
    return (
        f'[server]\nlisten = "{listen}"\nthreads = 1\ntrusted_proxies = ["{trusted}"]\n'
        f'[store]\nurl = "{url}"\nreplicas = {replicas}\n{more}'
        f'[keys]\nfolder = "{keys}"\n'
        f"[ledger]\nsnapshot_facts = {SNAPSHOT_FACTS}\n"
    )


def start_server(*words, **more):
    """As Process(), but waits while Redis sleeps: the server itself gives up after some seconds."""

    def try_to_start():
        try:
            return Process(*words, **more)
        except Refused as refused:
            if "cannot be reached" not in refused.end.line:
                raise
            return None

    return wait_until(try_to_start, "a server that reaches Redis")


class Town:
    """`servers` by place; None where one is down. In networks of their own: per place the command that runs the server
    there and its address, and the address of the rig."""

    def __init__(self, stack, options, redis, count=3, replicas=1, wrappers=None, hosts=None, trusted="127.0.0.1"):
        self.anteroom, self.folder = options.anteroom, pathlib.Path(options.folder)
        self.redis, self.replicas = redis, replicas
        self.wrappers = wrappers or [()] * count
        self.hosts = hosts or ["127.0.0.1"] * count
        self.trusted = trusted
        self.lives = [0] * count
        self.servers = [None] * count
        self.sleeping = None  # The place of one that does not answer now.
        stack.callback(self.close)
        for place in range(count):
            self.start(place)

    def start(self, place):
        self.lives[place] += 1
        text = config(
            self.redis.url(), self.folder / "keys", self.replicas, listen=f"{self.hosts[place]}:0", trusted=self.trusted
        )
        folder = self.folder / f"server-{place}"
        wrapper = [*TIED, *self.wrappers[place]]
        self.servers[place] = start_server(self.anteroom, folder, text, wrapper, f"log-{self.lives[place]}")
        return self.servers[place]

    def kill(self, place):
        server, self.servers[place] = self.servers[place], None
        server.kill()
        server.close()

    @contextlib.contextmanager
    def asleep(self, place):
        self.sleeping = place
        try:
            with self.servers[place].frozen():
                yield
        finally:
            self.sleeping = None

    def close(self):
        for server in self.servers:
            if server:
                server.close()

    def running(self):
        return [server for server in self.servers if server]

    def stop(self):
        """They end well when they are told to."""
        for place, server in enumerate(self.servers):
            if server:
                server.stop()
                server.close()
                self.servers[place] = None

    def logs(self):
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("server-*/log-*")))

    def writer(self):
        """The place of the server that writes the room (there is one room) and is awake; waits until there is one."""

        def find():
            found = self.writers()
            return found if len(found) == 1 else None  # For a moment two may say so.

        return wait_until(find, "a server that writes the room")[0]

    def writers(self):
        return [
            place
            for place, server in enumerate(self.servers)
            if server and place != self.sleeping and metric(server, "anteroom_redis_rooms_written") > 0
        ]

    def make_room(self, room, settings):
        """Everywhere."""
        with_talk(self.running()[0], lambda talk: _is_made(talk, room, settings))
        for server in self.running():
            wait_until(lambda: with_talk(server, lambda t: t.ask("GET", f"/v1/rooms/{room}").status == 200), "the room")


def configure(talk, room, settings):
    """The answer, once it is not "later"."""
    answers = []
    wait_until(lambda: answers.append(talk.configure(room, settings)) or answers[-1].status != 503, "a writer")
    return answers[-1]


def _is_made(talk, room, settings):
    answer = configure(talk, room, settings)
    expect(answer.status in (200, 201), f"{room} cannot be made: {answer}")


def with_talk(server, what):
    talk = server.talk()
    try:
        return what(talk)
    finally:
        talk.close()


def metric(server, name):
    """0 when the server is gone."""
    try:
        text = with_talk(server, lambda talk: talk.ask("GET", "/metrics")).body.decode()
    except Gone:
        return 0
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.split("{")[0].split(" ")[0] == name)
