"""A visitor's event stream."""

import json

from cases import expect
from town import with_talk


class Stream:
    def __init__(self, server, room, ticket):
        self.talk = server.talk()
        connection = self.talk.connection
        connection.request("GET", f"/v1/rooms/{room}/events", headers={"Authorization": f"Bearer {ticket}"})
        self.answer = connection.getresponse()
        expect(self.answer.status == 200, f"no event stream: {self.answer.status}")

    def next(self, *kinds):
        """The data of the next event of one of these kinds."""
        kind = None
        while True:
            line = self.answer.readline().decode().rstrip("\n")
            expect(line or not self.answer.isclosed(), "the event stream ended")
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind in kinds:
                return json.loads(value)

    def close(self):
        self.answer.close()
        self.talk.close()


def pulse(server, room):
    """The members of a pulse about the line, which every server sends alike."""
    answer = with_talk(server, lambda talk: talk.ask("GET", f"/v1/rooms/{room}/pulse"))
    expect(answer.status == 200, f"no pulse: {answer}")
    found = answer.json()
    return {name: found[name] for name in ("state", "serving", "issued", "waiting", "active", "capacity", "lines")}
