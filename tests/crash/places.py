"""What the server acknowledged, and what it may therefore be found with after a crash.

A place holds the states it can be in: one after most answers, more while a question is open. Time does nothing in
the rigs' rooms: every span is an hour or more.
"""

import collections
import copy
import threading

from cases import expect

INSIDE = {"called", "active"}
ENDED = {"finished", "left", "expired"}

# What a question makes of a state, when it arrives. (It may also be refused, or never arrive.)
EFFECTS = {
    "join": {None: {"waiting", "called", "active"}, "called": {"active"}, "leaving": {"waiting"}},
    "look": {"called": {"active"}, "leaving": {"waiting"}},
    "claim": {"called": {"active"}},
    "finish": {"called": {"finished"}, "active": {"finished"}},
    "leave": {"waiting": {"leaving", "left"}, "called": {"left"}, "active": {"left"}},
    "clear": {state: {"expired"} for state in ("waiting", "called", "active", "leaving")},
}


def by_itself(states):
    """A waiting visitor may be called at any moment."""
    return states | {"called"} if "waiting" in states else set(states)


class Place:
    """One visitor in one room. Only one thread speaks for a visitor."""

    def __init__(self, room, visitor):
        self.room = room
        self.visitor = visitor
        self.number = None
        self.ticket = None
        self.entry = None  # The last pass.
        self.states = {None}
        self.asked = None
        self.is_away = False  # Left for good: the place is not asked about any more.

    def possible(self):
        before = by_itself(self.states)
        if not self.asked:
            return before
        effects = EFFECTS[self.asked]
        return by_itself(before.union(*(effects.get(state, set()) for state in before)))

    def is_live(self):
        return not self.states & (ENDED | {None})

    def __str__(self):
        known = "/".join(sorted(map(str, self.states)))
        asked = f", {self.asked} unanswered" if self.asked else ""
        return f"{self.visitor} in {self.room}: number {self.number}, acknowledged {known}{asked}"


class Book:
    """Every place of every room, and what must hold among them. `rooms`: the settings by id."""

    def __init__(self, rooms):
        self.rooms = rooms
        self.places = []
        self.by_number = collections.defaultdict(dict)
        self.inside = collections.defaultdict(set)
        self.acknowledged = 0
        self.changed = threading.Condition()

    def copy(self):
        twin = Book(copy.deepcopy(self.rooms))
        twin.acknowledged = self.acknowledged
        twins = {id(place): copy.deepcopy(place) for place in self.places}
        twin.places = list(twins.values())
        for place in self.places:
            if place.number is not None:
                twin.by_number[place.room][place.number] = twins[id(place)]
        for room, inside in self.inside.items():
            twin.inside[room] = {twins[id(place)] for place in inside}
        return twin

    def places_of(self, room):
        return [place for place in self.places if place.room == room]

    def ask(self, talk, place, question):
        """Asks, and notes the answer. What is not answered stays open in the place."""
        with self.changed:
            place.asked = question
            if question in ("finish", "leave"):
                self.inside[place.room].discard(place)
        subject = place.visitor if question == "join" else place.ticket
        answer = getattr(talk, question)(place.room, subject)
        with self.changed:
            self._note(place, question, answer)
            self.acknowledged += 1
            self.changed.notify_all()
        return answer

    def _note(self, place, question, answer):
        possible = place.possible()
        if answer.status in (200, 201):
            standing = answer.json()
            expect(standing["state"] in possible, f"{place}; but {question} answered {answer}")
            self._take_number(place, standing)
            place.states = {standing["state"]}
            place.entry = standing.get("pass", place.entry)
            if standing["state"] in INSIDE:
                self._come_inside(place)
        elif answer.status == 204:
            effects = EFFECTS[question]
            place.states = set().union(*(effects.get(state, {state}) for state in by_itself(place.states)))
        elif answer.status == 503:
            place.states = possible  # Not now; perhaps it was done nevertheless.
        else:
            # Not called yet: a harmless no.
            expect(answer.status == 409, f"{place}; but {question} answered {answer}")
        place.asked = None

    def _take_number(self, place, standing):
        number = standing["number"]
        owner = self.by_number[place.room].setdefault(number, place)
        expect(owner is place, f"number {number} was given to two visitors: {owner}; {place}")
        expect(place.number in (None, number), f"{place}; but now its number is {number}")
        expect(place.ticket in (None, standing["ticket"]), f"{place}; but now its ticket is another")
        place.number, place.ticket = number, standing["ticket"]

    def _come_inside(self, place):
        inside = self.inside[place.room]
        inside.add(place)
        capacity = self.rooms[place.room]["capacity"]
        expect(len(inside) <= capacity, f"{len(inside)} are inside {place.room}, its capacity is {capacity}")

    def check(self, talk):
        """After a restart: all that was acknowledged is there, and nothing contradicts it."""
        for room in self.rooms:
            self._check_room(talk, room, self.places_of(room))

    def _check_room(self, talk, room, places):
        found = talk.visitors(room)
        numbers = self.by_number[room]
        lost = [str(place) for number, place in numbers.items() if number not in found]
        expect(not lost, f"lost: {lost}")
        strangers = len(found) - len(numbers)
        unanswered = sum(place.number is None for place in places)
        expect(strangers <= unanswered, f"{strangers} in {room} got no answer, but only {unanswered} asked in vain")
        self._check_counts(talk.rooms()[room], found)
        self.inside[room].clear()
        for place in places:
            if place.number is not None:
                self._check_place(place, found[place.number]["state"])

    def _check_counts(self, room, found):
        """The counters of the room agree with its list of visitors, which could come from the history."""
        name, capacity = room["room"], self.rooms[room["room"]]["capacity"]
        inside = sum(visitor["state"] in INSIDE for visitor in found.values())
        expect(inside <= capacity, f"{inside} are inside {name}, its capacity is {capacity}")
        live = sum(visitor["state"] not in ENDED for visitor in found.values())
        counted = room["waiting"] + room["called"] + room["active"]
        expect(live == counted, f"{live} are in {name}, but it counts {counted}")
        last = max(found, default=0)
        expect(room["issued"] == last, f"{name} gave {room['issued']} numbers, but the last is {last}")

    def _check_place(self, place, state):
        expect(state in place.possible(), f"{place}; but after the restart it is {state}")
        # Called by the first tick after the restart, perhaps: a later crash may undo that.
        place.states = {"waiting", "called"} if state == "called" and "waiting" in place.possible() else {state}
        place.asked = None
        if state in INSIDE:
            self.inside[place.room].add(place)

    def check_by_ticket(self, talk, places):
        """The same texts work as before: the pass, if its visitor is inside; the ticket; the visitor's name."""
        for place in places:
            is_open = place.number is None  # A join that was never answered.
            if place.entry:
                answer = talk.verify(place.room, place.entry)
                wanted = 204 if place.states <= INSIDE else 403
                expect(answer.status == wanted, f"{place}; but its pass is answered with {answer}")
            if not is_open:
                answer = self.ask(talk, place, "look")
                expect(answer.status == 200, f"{place}; but its ticket is answered with {answer}")
            if is_open or place.is_live():
                answer = self.ask(talk, place, "join")
                expect(answer.status == 200 or is_open, f"{place}; but joining again answered {answer}")
