"""A fixed sequence of commands by one client, and what they make of rooms and visitors.

`prepare` and `tell` together pass the point where a snapshot is due, in `tell` at a certain command: the server does
the same calls on the same files each time, nearly.
"""

import copy

from cases import expect
from places import Book, Place
from process import LONG_SPANS, Gone, wait_until

SLOW_PACE = {"admit_on_join": False, "admit_batch": 1, "admit_interval": "1h"}  # Only operators call.
HALL = {**LONG_SPANS, **SLOW_PACE, "capacity": 0, "leave_grace": "0s", "claim_by_look": False}
STAGE = {**LONG_SPANS, "capacity": 2, "leave_grace": "1h"}
ANNEX = {**LONG_SPANS, "capacity": 1, "leave_grace": "0s", "message": "beside the stage"}
ATTIC = {**LONG_SPANS, "capacity": 0}  # Nothing happens here after the beginning: one day all of it is in a snapshot.
FIELDS = ("capacity", "message")  # Of the settings.


class Story:
    def __init__(self):
        self.book = Book({})
        self.notes = {}  # By room: a set of possible values for each of FIELDS, for `state` and for `exists`.
        self.removed = []  # Places of rooms that are gone.
        self.commands = 0

    def copy(self):
        twin = Story()
        twin.book, twin.notes, twin.removed = self.book.copy(), copy.deepcopy(self.notes), list(self.removed)
        return twin

    def begin(self, server):
        self.server = server
        self.talk = server.talk()
        return self

    # One command each.

    def join(self, room, visitor):
        place = Place(room, visitor)
        self.book.places.append(place)
        self.ask(place, "join")
        return place

    def ask(self, place, question):
        self.commands += 1
        answer = self.book.ask(self.talk, place, question)
        expect(answer.status != 409, f"{place}; but {question} was refused: {answer}")

    def configure(self, room, settings, spaces=0):
        self.commands += 1
        notes = self.notes.setdefault(room, {"exists": {False}, "state": {"open"}, "capacity": set(), "message": {""}})
        is_new = notes["exists"] == {False}
        wanted = {name: settings[name] for name in FIELDS if name in settings}
        notes["exists"] = notes["exists"] | {True}
        for name, value in wanted.items():
            notes[name] = notes[name] | {value}
        self.book.rooms[room] = {"capacity": max(notes["capacity"])}
        answer = self.talk.configure(room, settings, spaces)
        expect(answer.status == (201 if is_new else 200), f"{room} cannot be configured: {answer}")
        notes["exists"] = {True}
        for name, value in wanted.items():
            notes[name] = {value}
        self.book.rooms[room] = {"capacity": max(notes["capacity"])}

    def set_state(self, room, action, state):
        self.commands += 1
        notes = self.notes[room]
        notes["state"] = notes["state"] | {state}
        answer = self.talk.operate(room, action)
        expect(answer.status == 200 and answer.json()["state"] == state, f"{action} of {room}: {answer}")
        notes["state"] = {state}

    def call(self, room, count):
        self.commands += 1
        answer = self.talk.operate(room, "call", count)
        expect(answer.status == 200, f"call in {room}: {answer}")
        # In the order of their numbers; a tick may have called one before.
        in_line = [place for place in self.book.places_of(room) if place.states == {"waiting"}]
        for place in in_line[: answer.json()["called"]]:
            place.states = {"called"}

    def clear(self, room):
        self.commands += 1
        places = self.book.places_of(room)
        for place in places:
            place.asked = "clear"
        answer = self.talk.operate(room, "clear")
        expect(answer.status == 200, f"clear of {room}: {answer}")
        for place in places:
            place.states, place.asked = {"expired"} if place.is_live() else place.states, None
        self.book.inside[room].clear()

    def delete(self, room):
        self.commands += 1
        self.notes[room]["exists"] = {True, False}
        for place in self.book.places_of(room):
            place.asked = "clear"
        answer = self.talk.delete_room(room)
        expect(answer.status == 204, f"{room} cannot be deleted: {answer}")
        self._forget(room)

    def is_refused(self, room, visitor):
        self.commands += 1
        answer = self.talk.join(room, visitor)
        expect(answer.status == 409, f"{visitor} should not get into {room}: {answer}")

    def await_snapshots(self):
        folder = self.server.data / "snapshots"

        def are_there():
            names = [path.name for path in folder.iterdir()]
            done = {name.split("-")[0] for name in names if name.endswith(".snapshot")}
            return len(done) == len(self.notes) and not any(name.endswith(".new") for name in names)

        wait_until(lambda: are_there() or self.server.process.poll() is not None, "snapshots")
        if self.server.process.poll() is not None:
            raise Gone("while snapshots were taken")

    def _forget(self, room):
        self.removed += [place for place in self.book.places_of(room) if place.ticket]
        self.book.places = [place for place in self.book.places if place.room != room]
        self.book.by_number.pop(room, None)
        self.book.inside.pop(room, None)
        self.book.rooms.pop(room, None)
        del self.notes[room]

    def check(self, server):
        """After a restart."""
        talk = server.talk()
        rooms = talk.rooms()
        for room, notes in list(self.notes.items()):
            expect((room in rooms) in notes["exists"], f"{room}: {notes}; but after the restart: {rooms.get(room)}")
            if room not in rooms:
                self._forget(room)
                continue
            found = {"state": rooms[room]["state"]} | {name: rooms[room]["settings"][name] for name in FIELDS}
            for name, value in found.items():
                expect(value in notes[name], f"{name} of {room}: acknowledged {notes[name]}, but now {value}")
        expect(set(rooms) == set(self.notes), f"there are rooms {set(rooms)} instead of {set(self.notes)}")
        self.book.check(talk)
        # What was refused stays refused; a room that takes nobody new has no answer for open joins.
        takes = [p for p in self.book.places if p.number is not None or rooms[p.room]["state"] == "open"]
        self.book.check_by_ticket(talk, takes)
        for place in self.removed:
            answer = talk.look(place.room, place.ticket)
            expect(answer.status in (401, 404), f"the room of {place} is gone; but its ticket answers {answer}")
        talk.close()


def prepare(story):
    """The folder that every telling begins with: a hall with a line and a past, a stage, a quiet attic."""
    story.configure("hall", HALL)
    story.configure("stage", STAGE)
    story.configure("attic", ATTIC)
    for i in range(2):
        story.join("attic", f"sleeper-{i}")
    for i in range(28):
        story.ask(story.join("hall", f"passer-by-{i}"), "leave")
    for i in range(20):
        story.join("hall", f"early-{i}")


def tell_until_snapshot(story):
    story.configure("annex", ANNEX)
    late = [story.join("hall", f"late-{i}") for i in range(5)]
    players = [story.join("stage", f"player-{i}") for i in range(4)]
    story.ask(players[0], "finish")
    story.ask(players[2], "look")
    story.ask(players[3], "leave")
    story.ask(players[3], "look")
    story.configure("hall", {"message": "the doors open soon"})
    story.set_state("stage", "pause", "paused")
    story.set_state("stage", "resume", "open")
    guests = [story.join("annex", f"guest-{i}") for i in range(2)]
    story.configure("hall", {"capacity": 40})
    story.call("hall", 24)
    return late, guests


def tell(story):
    late, guests = tell_until_snapshot(story)
    story.await_snapshots()

    called = [place for place in story.book.places_of("hall") if place.states == {"called"}]
    for place in called[:6]:
        story.ask(place, "claim")
    for place in called[:4]:
        story.ask(place, "finish")
    for place in called[4:9]:
        story.ask(place, "leave")
    for place in called[9:12] + late:
        story.ask(place, "look")
    for i in range(6):
        story.join("hall", f"evening-{i}")
    story.set_state("stage", "drain", "draining")
    story.is_refused("stage", "too-late")
    story.set_state("stage", "open", "open")
    story.ask(story.join("stage", "player-4"), "look")
    story.ask(guests[0], "finish")
    story.delete("annex")
    story.configure("annex", {**ANNEX, "message": "a new annex"})
    again = [story.join("annex", f"guest-{i}") for i in range(3)]
    expect(again[0].number == 1, "the numbers of a new room do not begin with 1")
    story.clear("annex")
    story.join("annex", "guest-5")
    story.configure("annex", {"message": "only words, no facts"})
