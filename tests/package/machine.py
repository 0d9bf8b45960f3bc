"""A Debian with its own systemd in a folder of this machine: systemd-nspawn boots it, without any network but loopback."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

BOOT_SECONDS_MAX = 300
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
# This machine may have no systemd, or another first process: nothing is registered, no unit is asked for.
NSPAWN = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--directory"]


class Failed(Exception):
    """One line for whoever called."""


def expect(condition, what):
    if not condition:
        raise Failed(what)


def run(command, **options):
    """The output of a command; `Failed` with what it said when it fails."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
                          **options)  # fmt: skip
    said = (done.stdout + done.stderr)[-2000:]
    expect(done.returncode == 0, f"'{' '.join(command)}' ended with {done.returncode}: {said}")
    return done.stdout


class Machine:
    """A copy of the pristine tree `base`; nothing of it is left at the end."""

    def __init__(self, base, place):
        place.mkdir(parents=True, exist_ok=True)
        self.tree = pathlib.Path(tempfile.mkdtemp(prefix="machine.", dir=place))
        self.log = place / f"{self.tree.name}.log"
        self.container = None
        self.leader = 0
        try:
            run(["cp", "-a", "--reflink=auto", f"{base}/.", self.tree])
            self.tree.chmod(0o755)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.container:
            self.container.terminate()  # systemd-nspawn asks the first process to power off.
            try:
                self.container.wait(60)
            except subprocess.TimeoutExpired:
                self.container.kill()
                self.container.wait()
            self.container = None
        shutil.rmtree(self.tree, ignore_errors=True)
        self.log.unlink(missing_ok=True)

    # Before it boots: with the network of this machine, without services.

    def prepare(self, *command):
        return run([*NSPAWN, self.tree, "--resolv-conf=copy-host", "--as-pid2", "--console=pipe", "env", "-i",
                    *(f"{name}={value}" for name, value in ENVIRONMENT.items()), *command])  # fmt: skip

    def copy_in(self, file, target):
        return pathlib.Path(shutil.copy(file, self.tree / target.lstrip("/"))).relative_to(self.tree)

    # Booted.

    def boot(self):
        """Returns when all services of the machine are started; systemd tells it over a socket (sd_notify)."""
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as news:
            news.bind(f"{folder}/notify")
            news.settimeout(BOOT_SECONDS_MAX)
            # When this process dies, so does the machine.
            command = ["setpriv", "--pdeathsig", "TERM", *NSPAWN, self.tree, "--private-network", "--notify-ready=yes",
                       "--console=pipe", "--boot"]  # fmt: skip
            with self.log.open("w") as log:
                self.container = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                  env={**ENVIRONMENT, "NOTIFY_SOCKET": f"{folder}/notify"})  # fmt: skip
            is_ready = False
            while not (is_ready and self.leader):
                try:
                    lines = news.recv(4096).decode(errors="replace").splitlines()
                except TimeoutError:
                    raise Failed(f"the machine does not boot: {self.log.read_text(errors='replace')[-1000:]}") from None
                is_ready = is_ready or "READY=1" in lines
                self.leader = next((int(line.split("=")[1]) for line in lines if line.startswith("X_NSPAWN_LEADER_PID=")),
                                   self.leader)  # fmt: skip

    def command(self, words):
        return ["nsenter", "--target", str(self.leader), "--mount", "--uts", "--ipc", "--net", "--pid", "--", "env", "-i",
                *(f"{name}={value}" for name, value in ENVIRONMENT.items()), *map(str, words)]  # fmt: skip

    def run(self, *words):
        return run(self.command(words)).strip()

    def succeeds(self, *words):
        return subprocess.run(self.command(words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0  # fmt: skip

    def exists(self, path):
        return os.path.lexists(self.tree / path.lstrip("/"))

    def unit(self, name, field):
        return self.run("systemctl", "show", "--value", f"--property={field}", name)

    def ask(self, method, url, body=None, token=""):
        """HTTP by the curl of this machine, inside of the other one's network. Waits for a server that starts."""
        words = ["nsenter", "--target", str(self.leader), "--net", "--", "curl", "--silent", "--show-error", "--fail-with-body",
                 "--noproxy", "*", "--retry", "60", "--retry-connrefused", "--retry-delay", "1", "--retry-max-time", "120",
                 "--request", method, url]  # fmt: skip
        words += ["--header", f"Authorization: Bearer {token}"] if token else []
        words += ["--data", json.dumps(body)] if body is not None else []
        text = run(words)
        return json.loads(text) if text.startswith("{") else text
