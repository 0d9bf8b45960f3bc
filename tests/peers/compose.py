"""examples/compose.yaml: started as it stands, with Debian's Redis and nginx under the names of the images it asks for."""

import json
import socket
import urllib.error
import urllib.request

from commands import environment, program
from commands import run as call
from docker_daemon import BASE_IMAGE, daemon_of
from report import Skipped, equal, expect

PROJECT = "town"
PASSWORD = "a-password-for-a-test"
# The images of the file come from a registry; these are the same programs from Debian, with the same users and folders.
STAND_IN = f"""FROM {BASE_IMAGE}
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends redis-server nginx-light \\
    && install -d -o redis -g redis /data
VOLUME /data
"""
STAND_IN_NAMES = ["redis:7-bookworm", "nginx:stable-bookworm"]
UP_SECONDS = 900


def run(report, options):
    compose = program("docker-compose", "docker-compose")
    file = options.root / "examples/compose.yaml"
    with report.case("compose: the file is valid, and asks for a password"):
        base = environment(REDIS_PASSWORD=PASSWORD)
        shown = call(compose, "-f", file, "config", env=base)
        expect("redis-6:" in shown and "anteroom-3:" in shown, shown)
        base.pop("REDIS_PASSWORD")
        said = call(compose, "-f", file, "config", code=1, merged=True, env=base)
        expect("put REDIS_PASSWORD" in said, said)
    daemon = daemon_of(options)
    if not options.has_image:
        raise Skipped("there is no image of the server; run the suite `image`, too")
    with report.case("compose: starts, and a place outlives the server that gave it"):
        for name in STAND_IN_NAMES:
            daemon("build", "--network=host", "-t", name, "-", input=STAND_IN, deadline=UP_SECONDS)
        Town(daemon, compose, file).check()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Town:
    def __init__(self, daemon, compose, file):
        self.daemon, self.port = daemon, free_port()
        self.command = [compose, "-f", file, "-p", PROJECT]
        self.environment = daemon.environment(REDIS_PASSWORD=PASSWORD, ANTEROOM_PORT=str(self.port))

    def compose(self, *words):
        return call(*self.command, *words, env=self.environment, deadline=UP_SECONDS, merged=True)

    def ask(self, path, ticket=None, **options):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/v1/{path}", **options)
        if ticket:
            request.add_header("Authorization", f"Bearer {ticket}")
        # Not through a proxy that the environment may name.
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.loads(answer.read())

    def check(self):
        try:
            self.compose("up", "--detach", "--no-build")
            self.daemon.wait_healthy(self.container("proxy"))
            self.check_places()
            self.check_trust()
        except Exception:
            print(self.compose("ps"), self.compose("logs", "--tail", "20"), sep="\n")
            raise
        finally:
            self.compose("down", "--volumes", "--timeout", "20")

    def container(self, service):
        return self.compose("ps", "--quiet", service).strip()

    def check_places(self):
        joined = self.ask("rooms/hall/tickets", data=b"{}", method="POST")
        for server in ("anteroom-1", "anteroom-2", "anteroom-3"):
            # The proxy finds one that lives; each of them is missing once.
            self.daemon("kill", self.container(server))
            place = self.ask("rooms/hall/ticket", ticket=joined["ticket"])
            equal(place["number"], joined["number"], f"the place without {server}")
            self.daemon("start", self.container(server))
            self.daemon.wait_healthy(self.container(server))
        other = self.ask("rooms/hall/tickets", data=b"{}", method="POST")
        expect(other["number"] > joined["number"], "who came later stands before")

    def check_trust(self):
        """The servers believe the proxy, so the proxy must not pass on who a visitor claims to be."""
        claims = {"X-User-Id": "mallory", "X-User-Role": "admin", "X-Forwarded-For": "172.30.99.10"}
        try:
            self.ask("admin/rooms", headers=claims)
        except urllib.error.HTTPError as refusal:
            equal(refusal.code, 401, "what a self-made operator gets")
            return
        expect(False, "a visitor became an operator by sending headers")
