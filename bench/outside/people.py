"""Single visitors: those who poll as they are told, and those who listen to a stream."""

import http.client
import threading
import time

from description import fill
from processes import BenchError
from system import ROOM

POLL_SECONDS = 5  # Of systems that do not say how soon to ask again.


class Person:
    def __init__(self, system, name):
        self.system, self.name = system, name
        self.lock = threading.Lock()
        answer = system.ask(system.request("join"), visitor=name)
        values = system.request("join").values
        self.ticket = answer.value(values["ticket"], name)
        if self.ticket is None:
            raise BenchError(f"{system.name}: a join was answered without a ticket: {answer}")
        self.number = answer.value(values["number"]) if "number" in values else None
        self._hear(answer, values)

    def _hear(self, answer, values):
        self.state = answer.value(values["state"])
        self.heard = time.monotonic()
        told = answer.value(values["poll_after"]) if "poll_after" in values else None
        self.poll_after = float(told) if told else POLL_SECONDS

    @property
    def is_inside(self):
        return self.state in self.system.description.inside

    def look(self):
        with self.lock:
            request = self.system.request("poll")
            self._hear(self.system.ask(request, visitor=self.name, ticket=self.ticket), request.values)

    def finish(self):
        """Gives the slot back."""
        with self.lock:
            request = self.system.request("finish") or self.system.request("leave")
            self.system.ask(request, visitor=self.name, ticket=self.ticket)


class Present(threading.Thread):
    """Polls for its people as often as each is told to, until the end of the `with` block."""

    def __init__(self):
        super().__init__(daemon=True)
        self.changed = threading.Condition()
        self.due = {}
        self.trouble = None
        self.is_open = True

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        with self.changed:
            self.is_open = False
            self.changed.notify_all()
        self.join()

    def add(self, *people):
        with self.changed:
            for person in people:
                self.due[person] = person.heard + person.poll_after
            self.changed.notify_all()

    def remove(self, person):
        with self.changed:
            self.due.pop(person, None)

    def run(self):
        try:
            while person := self._next():
                person.look()
                with self.changed:
                    if person in self.due:
                        self.due[person] = person.heard + person.poll_after
                    self.changed.notify_all()
        except Exception as trouble:  # Raised where somebody waits.
            with self.changed:
                self.trouble = trouble
                self.changed.notify_all()

    def _next(self):
        with self.changed:
            while self.is_open:
                first = min(self.due, key=self.due.get, default=None)
                wait = None if first is None else self.due[first] - time.monotonic()
                if wait is not None and wait <= 0:
                    return first
                self.changed.wait(wait)
        return None

    def wait_for(self, condition, seconds):
        """Whether it came true, looked at after each poll."""
        with self.changed:
            done = self.changed.wait_for(lambda: self.trouble or condition(), timeout=seconds)
        if self.trouble:
            raise self.trouble
        return done

    def wait(self, until):
        while (left := until - time.monotonic()) > 0:
            self.wait_for(lambda: False, left)


class Stream(threading.Thread):
    """Reads until the event that says that it is this person's turn, and notes when."""

    def __init__(self, person):
        super().__init__(daemon=True)
        request = person.system.request("stream")
        words = {"room": ROOM, "visitor": person.name, "ticket": person.ticket}
        self.event = request.event
        self.connection = http.client.HTTPConnection(*person.system.addresses[-1], timeout=120)
        headers = {name: fill(value, words) for name, value in request.headers.items()}
        self.connection.request(request.method, fill(request.path, words), headers=headers)
        self.answer = self.connection.getresponse()
        if self.answer.status != 200:
            raise BenchError(f"{person.system.name}: a stream was answered with {self.answer.status}")
        self.called = threading.Event()
        self.when = None
        self.start()

    def run(self):
        try:
            while line := self.answer.readline():
                name, _, value = line.decode(errors="replace").rstrip("\r\n").partition(":")
                if name == "event" and value.strip() == self.event:
                    self.when = time.monotonic()
                    self.called.set()
                    return
        except (OSError, ValueError, AttributeError):
            return  # Closed: who waits for the event has waited in vain.

    def close(self):
        self.answer.close()
        self.connection.close()


class Watch(threading.Thread):
    """Sees from outside when a number is called: the highest one that was, asked for all the time. Disturbs nobody."""

    EVERY_SECONDS = 0.02

    def __init__(self, system, number):
        super().__init__(daemon=True)
        self.system, self.number = system, int(number)
        self.enough = threading.Event()
        self.when = None
        self.start()

    def run(self):
        request = self.system.request("room")
        while not self.enough.wait(self.EVERY_SECONDS):
            try:
                serving = self.system.ask(request).value(request.values["serving"])
            except BenchError:
                return  # The poll of the person will say what is wrong.
            if serving is not None and int(serving) >= self.number:
                self.when = time.monotonic()
                return

    def stop(self):
        self.enough.set()
        self.join()
