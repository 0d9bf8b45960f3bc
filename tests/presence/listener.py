"""A visitor with an event stream instead of polls."""

import json
import threading

from cases import expect


class Listener(threading.Thread):
    """Reads the stream of a visitor until it is told that the visitor is called, or until it is closed."""

    def __init__(self, server, visitor):
        super().__init__(daemon=True)
        self.visitor = visitor
        self.talk = server.talk()
        connection = self.talk.connection
        connection.request("GET", f"/v1/rooms/{visitor.room}/events", headers={"Authorization": f"Bearer {visitor.ticket}"})
        self.answer = connection.getresponse()
        expect(self.answer.status == 200, f"{visitor}: no event stream: {self.answer.status}")
        self.called = threading.Event()
        self.end = None  # Why it stopped reading.
        self.start()

    def run(self):
        kind = None
        try:
            while line := self.answer.readline():
                name, _, value = line.decode().rstrip("\n").partition(": ")
                kind = value if name == "event" else kind
                if name == "data" and kind == "called":
                    expect(json.loads(value)["number"] == self.visitor.number, f"{self.visitor} is told: {value}")
                    self.called.set()
                    return
            self.end = "the stream ended"
        except Exception as trouble:  # Closed, or broken: told by who waits.
            self.end = trouble

    def wait_called(self, seconds):
        return self.called.wait(seconds)

    def close(self):
        """ENSURES: the stream is closed. The visitor is present without it only if it polls."""
        self.answer.close()
        self.talk.close()
