"""Visitors, and a thread that polls for those who are present, each as often as it is told to."""

import threading
import time

from cases import expect
from town import with_talk

INSIDE = {"called", "active"}
# Only a hang or a wrong call can miss it: a called visitor who does not come keeps the slot for longer (CLAIM_WINDOW).
DEADLINE_SECONDS = 60
CLAIM_WINDOW = "5m"
PRESENCE_MIN_SECONDS = 10
MARGIN_SECONDS = 1


def absent_after(heard, told):
    """When somebody counts as absent who was heard then, was told to ask again in so many seconds, and does not."""
    return heard + max(PRESENCE_MIN_SECONDS, 3 * told) + MARGIN_SECONDS


class Visitor:
    """Each question on a connection of its own: the server closes one that is silent for long. Who asks holds the lock."""

    def __init__(self, server, room, name, claims=True):
        self.server, self.room, self.name, self.claims = server, room, name, claims
        self.lock = threading.Lock()
        self.answers = 0
        self.hear(with_talk(server, lambda talk: talk.join(room, name)))
        self.number, self.ticket = self.standing["number"], self.standing["ticket"]

    def hear(self, answer):
        self.answers += 1
        expect(answer.status in (200, 201), f"{self.name}: {answer}")
        self.standing = answer.json()
        self.heard = time.monotonic()

    def look(self):
        """A sign of life; a called visitor who wants to comes in."""
        with self.lock:
            self.hear(with_talk(self.server, lambda talk: talk.look(self.room, self.ticket)))
            if self.state == "called" and self.claims:
                self.hear(with_talk(self.server, lambda talk: talk.claim(self.room, self.ticket)))
            return self.standing

    def finish(self):
        with self.lock:
            answer = with_talk(self.server, lambda talk: talk.finish(self.room, self.ticket))
            expect(answer.status == 204, f"{self}: cannot finish: {answer}")

    @property
    def state(self):
        return self.standing["state"]

    @property
    def is_inside(self):
        return self.state in INSIDE

    @property
    def absent_after(self):
        return absent_after(self.heard, self.standing["poll_after_seconds"])

    def __str__(self):
        return f"{self.name} (number {self.number}, {self.state})"


class Attendance(threading.Thread):
    """Polls until it is closed. What goes wrong here is raised by wait_for()."""

    def __init__(self):
        super().__init__(daemon=True)
        self.changed = threading.Condition()
        self.due = {}  # Visitor to the time of its next poll.
        self.trouble = None
        self.is_open = True
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self.changed:
            self.is_open = False
            self.changed.notify_all()
        self.join()

    def add(self, *visitors):
        with self.changed:
            for visitor in visitors:
                self.due[visitor] = visitor.heard + visitor.standing["poll_after_seconds"]
            self.changed.notify_all()

    def remove(self, visitor):
        """From now on it is silent."""
        with self.changed:
            self.due.pop(visitor, None)
        with visitor.lock:  # A poll that had begun has ended.
            pass

    def finish(self, visitor):
        self.remove(visitor)
        visitor.finish()

    def run(self):
        try:
            while visitor := self._next():
                visitor.look()
                with self.changed:
                    if visitor in self.due:
                        self.due[visitor] = visitor.heard + visitor.standing["poll_after_seconds"]
                    self.changed.notify_all()
        except Exception as trouble:  # Told by the case.
            with self.changed:
                self.trouble = trouble
                self.changed.notify_all()

    def _next(self):
        """Who is to be polled now; None at the end."""
        with self.changed:
            while self.is_open:
                first = min(self.due, key=self.due.get, default=None)
                wait = None if first is None else self.due[first] - time.monotonic()
                if wait is not None and wait <= 0:
                    return first
                self.changed.wait(wait)
        return None

    def wait_for(self, condition, seconds=DEADLINE_SECONDS):
        """Whether it came true in time; it is looked at after every poll."""
        with self.changed:
            done = self.changed.wait_for(lambda: self.trouble or condition(), timeout=seconds)
        if self.trouble:
            raise self.trouble
        return done

    def wait_until(self, when):
        """Lets time pass, with everybody here present."""
        while (left := when - time.monotonic()) > 0:
            self.wait_for(lambda: False, left)
