"""Visitors who ask another server each time, and what they may be told.

What one server told may be news to another one: a copy that says nothing about its age is at most two seconds old, one
with "stale_seconds" is as old as it says. Within that a visitor may hear what was true before; beyond it never.
"""

import random
import threading
import time

from cases import expect
from process import DEADLINE_SECONDS, LONG_SPANS, Gone, wait_until
from room_log import ENDED, INSIDE
from town import with_talk

ROOM = "hall"
CAPACITY, RATE = 6, 10  # Both are reached.
SETTINGS = {
    **LONG_SPANS, "capacity": CAPACITY, "rate_per_second": RATE, "leave_grace": "0s", "claim_by_look": False,
}  # fmt: skip
AGE_UNTOLD_SECONDS = 2
RANKS = {"waiting": 0, "called": 1, "active": 2, "finished": 3, "left": 3, "expired": 3}
LIVE_PER_CLIENT_MAX = 8
BETWEEN_QUESTIONS_SECONDS = 0.01
ENDED_LOOKED_AT = 40
SLEEPERS = 2  # So many clients go on asking a server that sleeps, and wait; the others avoid it.


class Visitor:
    """Only one thread speaks for a visitor."""

    def __init__(self, name):
        self.name = name
        self.number = self.ticket = self.entry = None
        self.state = None  # The furthest that was told.
        self.told = []  # (when the answer was there, state, ahead)
        self.is_ending = False  # It said that it goes: from then on it does not count as inside.
        self.is_over = False  # And that was acknowledged.
        self.doubts = 0  # Questions without an answer.

    def __str__(self):
        return f"{self.name}, number {self.number}, {self.state}{', in doubt' if self.doubts else ''}"

    def hear(self, standing, asked, where):
        """Against all that was told before it could be news. Returns by how much `ahead` grew."""
        state, ahead = standing["state"], standing["ahead"]
        expect(state in RANKS, f"{self}: {where} says {standing}")
        expect(self.number in (None, standing["number"]), f"{self}: but {where} says number {standing['number']}")
        expect(self.ticket in (None, standing["ticket"]), f"{self}: but {where} has another ticket")
        self.number, self.ticket = standing["number"], standing["ticket"]
        self.entry = standing.get("pass", self.entry)
        stale = standing.get("stale_seconds")
        age = AGE_UNTOLD_SECONDS if stale is None else stale + 1
        grown = 0
        for when, state_before, ahead_before in self.told:
            if when > asked - age:
                break
            is_forward = RANKS[state] >= RANKS[state_before] and (state_before not in ENDED or state == state_before)
            ago = f"{asked - when:.1f} s before it was told"
            expect(is_forward, f"{self}: {where} says {state}, {ago} {state_before}; in full: {standing}")
            if state == "waiting":
                grown = max(grown, ahead - ahead_before)
        self.told.append((time.monotonic(), state, ahead))
        if self.state is None or RANKS[state] > RANKS[self.state]:
            self.state = state
        return grown


class Crowd:
    """All visitors of one room, and what must hold among them."""

    def __init__(self, town, seed, capacity=CAPACITY, grown_max=0):
        """`grown_max`: by how much `ahead` may grow, where calls that were decided may be undone."""
        self.town = town
        self.capacity, self.grown_max, self.grown = capacity, grown_max, 0
        self.random = random.Random(seed)
        self.visitors = []
        self.by_number = {}
        self.inside = set()
        self.changed = threading.Condition()
        self.answers = self.refusals = self.calls = 0
        self.last_join = (0.0, 0.0)  # Of somebody new: asked, answered.
        self.slowest = 0.0
        self.clients = []

    # From the clients' threads.

    def add(self, name):
        visitor = Visitor(name)
        with self.changed:
            self.visitors.append(visitor)
        return visitor

    def ask(self, talk, visitor, question, where):
        """Returns the status; None when there was no answer."""
        answer = self.hear(talk, visitor, question, where)
        return answer and answer.status

    def hear(self, talk, visitor, question, where):
        asked = time.monotonic()
        if question in ("finish", "leave"):
            with self.changed:
                visitor.is_ending = True
                self.inside.discard(visitor)
        subject = visitor.name if question == "join" else visitor.ticket
        try:
            answer = getattr(talk, question)(ROOM, subject)
        except Gone:
            visitor.doubts += 1
            return None
        with self.changed:
            self._note(visitor, question, answer, asked, where)
            self.changed.notify_all()
        return answer

    def _note(self, visitor, question, answer, asked, where):
        self.answers += 1
        self.slowest = max(self.slowest, time.monotonic() - asked)
        if answer.status == 503:
            expect(answer.headers["Retry-After"], f"{where} answers 503 without Retry-After: {answer}")
            self.refusals += 1
            visitor.doubts += 1
            return
        if question in ("finish", "leave"):
            # The visitor was called before it finished; a repeated `finish` gets the same answer.
            expect(answer.status == 204, f"{visitor}: {question} at {where} answered {answer}")
            visitor.is_over = True
            self._tell_end(visitor, "finished" if question == "finish" else "left")
            return
        expect(answer.status in (200, 201), f"{visitor}: {question} at {where} answered {answer}")
        standing = answer.json()
        before = visitor.state
        grown = visitor.hear(standing, asked, where)
        expect(grown <= self.grown_max, f"{visitor}: {where} says that {grown} more are ahead than before: {standing}")
        self.grown = max(self.grown, grown)
        if question == "claim" and standing["state"] == "called":
            self.refusals += 1  # Nothing can be written now: still called.
        if answer.status == 201:
            self.last_join = max(self.last_join, (asked, time.monotonic()))
        owner = self.by_number.setdefault(visitor.number, visitor)
        expect(owner is visitor, f"number {visitor.number} was given to two: {owner}; {visitor}")
        if standing["state"] in INSIDE:
            expect(visitor.entry, f"{visitor}: {where} says {standing['state']} without a pass")
            if before not in INSIDE | ENDED:
                self.calls += 1
            if not visitor.is_ending:
                self.inside.add(visitor)
                expect(len(self.inside) <= self.capacity,
                       f"{len(self.inside)} are inside, the capacity is {self.capacity}")  # fmt: skip

    @staticmethod
    def _tell_end(visitor, state):
        if visitor.state not in ENDED:
            # Whether it left or had left, finished or had: the log tells; here it is the end.
            visitor.told.append((time.monotonic(), state, 0))
            visitor.state = state

    # From the main thread.

    def start(self, clients=4, joins=True):
        source = [self.random.random() for _ in range(clients)]
        self.clients = [Client(i, self, seed, joins) for i, seed in enumerate(source)]

    def stop(self):
        for client in self.clients:
            client.enough.set()
        for client in self.clients:
            client.join()
        self._raise_trouble()
        self.clients = []

    def _raise_trouble(self):
        for client in self.clients:
            if client.trouble:
                raise client.trouble

    def wait_for(self, condition, what, seconds=DEADLINE_SECONDS):
        with self.changed:
            done = self.changed.wait_for(
                lambda: condition() or any(client.trouble for client in self.clients), timeout=seconds
            )
        self._raise_trouble()
        expect(done, f"in vain waited for {what}")

    def wait_calls(self, more):
        goal = self.calls + more
        self.wait_for(lambda: self.calls >= goal, f"{more} more calls")

    def wait_join_after(self, when):
        """How long after `when` somebody who asked after it got a place."""
        self.wait_for(lambda: self.last_join[0] > when, "a join")
        return self.last_join[1] - when

    def join_now(self, place):
        """Somebody new gets a place at this server; waits while it is refused."""
        visitor = self.add(f"late-{len(self.visitors)}")
        ask = lambda talk: self.ask(talk, visitor, "join", f"server {place}") in (200, 201)  # noqa: E731
        wait_until(lambda: with_talk(self.town.servers[place], ask), f"a place for somebody new at server {place}")
        return visitor

    def end_now(self, visitor, place):
        ask = lambda talk: self.ask(talk, visitor, "leave", f"server {place}") == 204  # noqa: E731
        wait_until(lambda: with_talk(self.town.servers[place], ask), "an end for somebody")

    def summary(self, log):
        return (
            f"{len(self.visitors)} visitors, {log.calls()} calls, {self.answers} answers, the slowest after "
            f"{self.slowest:.1f} s, {self.refusals} refused{f', ahead grew by {self.grown}' if self.grown else ''}"
        )

    # At rest.

    def check(self, log):
        """Everybody is known everywhere as the log says; nothing that was told did not happen."""
        for place, server in enumerate(self.town.servers):
            if server:
                self.join_now(place)  # Whatever happened: every server takes somebody new.
        wait_until(lambda: log.read().is_at_rest(), "a room at rest")
        for server in self.town.running():
            self._wait_current(server, log)
        issued = len(log.states)
        unanswered = sum(visitor.number is None for visitor in self.visitors)
        expect(len(self.by_number) <= issued <= len(self.by_number) + unanswered,
               f"{issued} numbers were given, {len(self.by_number)} told, {unanswered} asked in vain")  # fmt: skip
        for visitor in self.visitors:
            if visitor.number is not None:
                self._check_visitor(visitor, log.states.get(visitor.number))
        ended = [visitor for visitor in self.visitors if visitor.state in ENDED]
        live = [visitor for visitor in self.visitors if visitor.number is not None and visitor.state not in ENDED]
        sample = live + self.random.sample(ended, min(len(ended), ENDED_LOOKED_AT))
        for place, server in enumerate(self.town.servers):
            if server:
                with_talk(server, lambda talk: self._look_at_all(talk, sample, log, f"server {place}"))
        return log.check_sets()

    @staticmethod
    def _wait_current(server, log):
        """Copies follow a moment later."""

        def agrees():
            log.read()
            answer = with_talk(server, lambda talk: talk.ask("GET", f"/v1/rooms/{ROOM}"))
            expect(answer.status == 200, f"the room cannot be read: {answer}")
            room = answer.json()
            found = (room["issued"], room["waiting"], room["active"], room["capacity"])
            return found == (len(log.states), len(log.waiting), len(log.inside), log.capacity)

        wait_until(agrees, "a server that says what the log says")

    @staticmethod
    def _check_visitor(visitor, state):
        expect(state is not None, f"{visitor}: lost")
        if visitor.is_over:
            # Left and finished may both have been asked, one of them in vain.
            expect(state in ENDED, f"{visitor}: its end was acknowledged, but the log says {state}")
        expect(RANKS[state] >= RANKS[visitor.state], f"{visitor}: that was told, but the log says {state}")

    def _look_at_all(self, talk, visitors, log, where):
        for visitor in visitors:
            answer = talk.look(ROOM, visitor.ticket)
            expect(answer.status == 200, f"{visitor}: {where} answers {answer}")
            standing = answer.json()
            state = log.states[visitor.number]
            expect((standing["number"], standing["state"]) == (visitor.number, state),
                   f"{visitor}: {where} says {standing}, the log says {state}")  # fmt: skip
            if state == "waiting":
                ahead = log.waiting.index(visitor.number)
                expect(standing["ahead"] == ahead, f"{visitor}: {where} says {standing}, by the log {ahead} are ahead")
            if visitor.entry:
                answer = talk.verify(ROOM, visitor.entry)
                wanted = 204 if state in INSIDE else 403
                expect(answer.status == wanted, f"{visitor}, {state}: {where} answers the pass with {answer}")


class Client(threading.Thread):
    """Asks for some visitors, each time at another server, until there is enough."""

    def __init__(self, index, crowd, seed, joins):
        super().__init__(name=f"client{index}", daemon=True)
        self.index, self.crowd, self.joins = index, crowd, joins
        self.random = random.Random(seed)
        self.enough = threading.Event()
        self.trouble = None
        self.talks = {}
        mine = [visitor for visitor in crowd.visitors if visitor.name.startswith(f"{self.name}-")]
        self.live = [visitor for visitor in mine if not visitor.is_over]
        self.count = len(mine)
        self.start()

    def run(self):
        try:
            while not self.enough.wait(BETWEEN_QUESTIONS_SECONDS):
                self._ask_something()
        except Exception as trouble:  # Told by the main thread.
            self.trouble = trouble
            with self.crowd.changed:
                self.crowd.changed.notify_all()
        for talk in self.talks.values():
            talk.close()

    def _ask_something(self):
        town = self.crowd.town
        avoided = town.sleeping if self.index >= SLEEPERS else None
        here = [(place, server) for place, server in enumerate(town.servers) if server and place != avoided]
        place, server = self.random.choice(here)
        if server not in self.talks:
            self.talks[server] = server.talk()
        talk = self.talks[server]
        if self.joins and len(self.live) < LIVE_PER_CLIENT_MAX and self.random.random() < 0.5:
            self.live.append(self.crowd.add(f"{self.name}-{self.count}"))
            self.count += 1
        if not self.live:
            return
        visitor = self.random.choice(self.live)
        if self.crowd.ask(talk, visitor, self._question(visitor), f"server {place}") is None:
            self.talks.pop(server).close()
        if visitor.is_over:
            self.live.remove(visitor)

    def _question(self, visitor):
        if visitor.number is None:
            return "join"
        if visitor.is_ending and not visitor.is_over:
            return "leave"  # Of whatever it was: the first time nobody answered.
        if visitor.state == "waiting":
            return "leave" if self.random.random() < 0.01 else self.random.choice(("look", "look", "join"))
        if visitor.state == "called":
            return self.random.choice(("look", "claim"))
        return self.random.choice(("look", "join", "finish"))
