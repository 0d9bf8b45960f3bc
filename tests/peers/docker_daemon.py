"""A Docker daemon of our own: its socket, images and state in a temporary folder, the machine's firewall left alone."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from commands import environment, program, run
from report import Failed, Skipped

BASE_IMAGE = "debian:bookworm-slim"  # What the Dockerfile begins with; no registry is asked for it.
READY_LINE = "API listen on"
STOP_SECONDS = 60


def daemon_of(options):
    """One for all suites; Skipped with the reason when this machine cannot have one."""
    if options.no_daemon:
        raise options.no_daemon
    if not options.daemon:
        try:
            options.daemon = Daemon()
            options.daemon.take_base(base_of(options))
        except Skipped as why:
            options.no_daemon = why
            raise
    return options.daemon


def base_of(options):
    """A pristine tree of Debian 12 whose apt works."""
    if options.base:
        return options.base
    script = options.root / "scripts/fresh-machine"
    done = subprocess.run([script, "--base"], capture_output=True, text=True, env=environment())
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines or not pathlib.Path(lines[-1]).is_dir():
        raise Skipped(f"no tree of Debian 12: {(done.stderr.strip().splitlines() or lines or ['no reason given'])[-1]}")
    return pathlib.Path(lines[-1])


class Daemon:
    def __init__(self):
        if os.geteuid() != 0:
            raise Skipped("a container daemon needs root")
        self.docker = program("docker", "docker.io")
        dockerd = program("dockerd", "docker.io")
        # Not in the folder of the tests: a path of a socket has at most 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="anteroom-docker-", dir="/var/tmp"))
        self.host = f"unix://{self.folder}/socket"
        self.process = subprocess.Popen(
            [dockerd, "-H", self.host, "--data-root", self.folder / "data", "--exec-root", self.folder / "exec",
             "--pidfile", self.folder / "pid", "--iptables=false", "--ip6tables=false", "--bridge=none",
             "--log-level", "info"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment())
        log = []
        for line in self.process.stderr:
            log.append(line.strip())
            if READY_LINE in line:
                break
        else:
            self.process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise Skipped(f"dockerd does not start here: {log[-1] if log else 'it says nothing'}")
        # Read on, or the daemon would wait for somebody who does.
        self.drain = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)
        self.process.stderr.close()

    def take_base(self, tree):
        try:
            with subprocess.Popen(["tar", "-C", tree, "--one-file-system", "--exclude=./proc/*", "--exclude=./sys/*",
                                   "--exclude=./dev/*", "-c", "."], stdout=subprocess.PIPE) as tar:
                self("import", "-", BASE_IMAGE, stdin=tar.stdout)
            self("run", "--rm", "--network=none", BASE_IMAGE, "true")
        except Failed as why:
            raise Skipped(f"containers do not run here: {why}") from None

    def environment(self, **more):
        # The builder that Debian's package has; buildx is none of it.
        return environment(DOCKER_HOST=self.host, DOCKER_BUILDKIT="0", **more)

    def __call__(self, *words, **options):
        return run(self.docker, *words, env=self.environment(), **options)

    def inspect(self, what, form):
        return self("inspect", "--format", form, what).strip()

    def wait_healthy(self, container):
        """Waits for the verdict of the image's own health check since the container was started."""
        since = self.inspect(container, "{{.State.StartedAt}}")
        command = [self.docker, "events", "--since", since, "--filter", f"container={container}", "--format", "{{.Status}}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self.environment()) as events:
            try:
                for line in events.stdout:
                    if "health_status: healthy" in line:
                        return
                    if "health_status: unhealthy" in line or line.startswith("die"):
                        raise Failed(f"{container}: {line.strip()}: {self('logs', container, merged=True)}")
            finally:
                events.kill()
        raise Failed(f"{container}: the daemon tells no more events")

    def stop(self):
        containers = self("ps", "--all", "--quiet", code=None).split()
        if containers:
            self("rm", "--force", "--volumes", *containers, code=None)
        for network in self("network", "ls", "--quiet", "--filter", "driver=bridge", code=None).split():
            self("network", "rm", network, code=None)
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.drain.wait()
        # The daemon leaves the network of --network=host mounted.
        for line in pathlib.Path("/proc/mounts").read_text().splitlines():
            if line.split()[1].startswith(f"{self.folder}/"):
                subprocess.run(["umount", line.split()[1]], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
