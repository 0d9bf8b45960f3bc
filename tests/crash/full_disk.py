"""A disk that is really full: the data folder on a small tmpfs, in a mount namespace of its own.

The rig starts this file again inside the namespace; that needs root, or a kernel that gives users namespaces.
"""

import pathlib
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "rig"))

from cases import Failed, expect  # noqa: E402
from outage import Outage  # noqa: E402
from process import EXIT_DATA, Refused, wait_until  # noqa: E402
from server import Server  # noqa: E402

SIZE = "6m"
ROUNDS_SHORT, ROUNDS_LONG = 2, 20
NAMESPACES = (["unshare", "-m"], ["unshare", "-rm"])


def run(options):
    disk = options.folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(disk)]
    works = [way for way in NAMESPACES if subprocess.run([*way, *mount], capture_output=True).returncode == 0]
    expect(works, "a tmpfs cannot be mounted: run this as root, or allow user namespaces")
    rounds = ROUNDS_LONG if options.long else ROUNDS_SHORT
    again = [sys.executable, __file__, str(options.anteroom), str(disk), str(rounds)]
    script = 'mount -t tmpfs -o size="$0" tmpfs "$1" && shift && exec "$@"'
    done = subprocess.run([*works[0], "sh", "-c", script, SIZE, str(disk), *again], stdout=subprocess.PIPE, text=True)
    expect(done.returncode == 0, done.stdout.strip())
    return done.stdout.strip()


class Ballast:
    """What takes the space, to the last byte, and what somebody gives back, too: a snapshot that does not fit is removed."""

    def __init__(self, disk):
        self.path = disk / "ballast"
        self.snapshots = disk / "data" / "snapshots"

    def fill(self):
        self.enough = threading.Event()
        self.thread = threading.Thread(target=self._keep_full, daemon=True)
        self._take_all()
        self.thread.start()
        wait_until(lambda: not list(self.snapshots.glob("*.new")), "the end of the snapshot that was under way")

    def _keep_full(self):
        while not self.enough.wait(0.002):
            self._take_all()

    def _take_all(self):
        with open(self.path, "ab", buffering=0) as file:
            for size in (65_536, 512):
                try:
                    while file.write(b"\0" * size) == size:
                        pass
                except OSError:
                    pass

    def remove(self):
        self.enough.set()
        self.thread.join()
        self.path.unlink()


def inside(anteroom, disk, rounds):
    ballast, refused = Ballast(disk), 0
    outage = None
    for _ in range(rounds):
        with Server(anteroom, disk, log="../log") as server:
            outage = Outage(server) if outage is None else outage.resume(server)
            refused += outage.endure(ballast.fill, ballast.remove)
            server.kill()
    ballast.fill()
    start = start_when_full(anteroom, disk)
    ballast.remove()
    with Server(anteroom, disk, log="../log") as server:
        outage.resume(server)
        server.stop()
    return f"{rounds} times full, {refused} joins refused, then all is well; a start on a full disk {start}"


def start_when_full(anteroom, disk):
    try:
        with Server(anteroom, disk, log="../log"):
            return "works"
    except Refused as refused:
        expect(refused.end.code == EXIT_DATA and refused.end.line, f"on a full disk the start ended with {refused}")
        return "is refused"


if __name__ == "__main__":
    try:
        print(inside(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])))
    except Failed as trouble:
        print(trouble)
        sys.exit(1)
