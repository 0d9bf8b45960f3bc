"""What a server does while calls fail or kill it: its first start, or a story on a prepared folder.

A scene runs in the same folder each time, so that boundaries found in one run name the same files in the next.
"""

import shutil
import tempfile

from cases import Failed, expect
from process import End, Gone, Refused, wait_until
from server import Server
from story import Story, prepare, tell
from strace import boundaries_in, reachable, watching

NOT_REACHED_SHARE_MAX = 0.1  # Ticks and pruning do not fall between the same commands each time.


class Scene:
    def __init__(self, options):
        expect(shutil.which("strace"), "strace is missing: `make packages` installs it")
        self.anteroom = options.anteroom
        self.folder = options.folder / "run"
        self.trace = options.folder / "trace"
        self.data = self.folder / "data"
        self.commands = 0

    def run(self, wrapper=()):
        """Plays it once; returns the story as far as it was told, and the end."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.trace.unlink(missing_ok=True)
        story = self.begin()
        try:
            with Server(self.anteroom, self.folder, wrapper) as server:
                self.process = server.process
                try:
                    self.play(story.begin(server))
                    server.process.terminate()
                except Gone:
                    pass
                return story, End(server.wait(), server.log())
        except Refused as refused:
            return story, refused.end

    def boundaries(self):
        _, end = self.run(watching(self.trace))
        expect(end.code == 0, f"{self.name} does not work at all: {end}")
        return reachable(boundaries_in(self.process, self.data, self.trace))

    def check(self, story):
        """A normal start finds everything that was acknowledged, and goes on."""
        try:
            with Server(self.anteroom, self.folder) as server:
                story.check(server)
                self.go_on(story.begin(server))
                server.stop()
        except Refused as refused:
            raise Failed(f"afterwards it does not start: {refused}") from None

    def go_on(self, story):
        answer = story.talk.join("hall", "afterwards")
        expect(answer.status == 201, f"nobody can join: {answer}")


class FirstStart(Scene):
    name = "first start"

    def begin(self):
        return Story()

    def play(self, story):
        """A server that is stopped before it opens its history makes no history.db."""
        log = self.data / "history.db-wal"
        has_begun = lambda: log.exists() and log.stat().st_size > 0  # noqa: E731
        wait_until(lambda: has_begun() or story.server.process.poll() is not None, "a history")
        if story.server.process.poll() is not None:
            raise Gone("while its history was made")


class Telling(Scene):
    name = "story"

    def __init__(self, options):
        super().__init__(options)
        self.prepared = Story()
        with Server(self.anteroom, tempfile.mkdtemp(prefix="prepared-", dir=options.folder)) as server:
            prepare(self.prepared.begin(server))
            server.stop()
            self.prepared_data = server.data

    def begin(self):
        shutil.copytree(self.prepared_data, self.data)
        return self.prepared.copy()

    def play(self, story):
        tell(story)
        self.commands = story.commands


class Checkpoint(Telling):
    """Long entries in the audit, until SQLite moves them from its log to the database."""

    name = "checkpoint"

    def play(self, story):
        for i in range(300):  # 15 pages each; 4 000 are enough.
            story.configure("hall", {"message": f"message {i}"}, spaces=60_000)
        self.commands = story.commands

    def boundaries(self):
        found = [b for b in super().boundaries() if b.path == f"{self.data}/ledger.db" and not b.is_main]
        expect(found, "there was no checkpoint")
        return found
