"""kill -9 at any moment under load, again and again on one folder."""

import random
import threading

from cases import expect
from places import Book, Place
from process import LONG_SPANS, Gone
from server import Server

KILLS_SHORT, KILLS_LONG = 8, 200
CLIENTS = 6
LIVE_PER_CLIENT_MAX = 12
ENDED_LOOKED_AT = 40  # By ticket, after each restart; the list of the room shows every one.
ROOMS = {
    "hall": {**LONG_SPANS, "capacity": 5, "leave_grace": "0s"},
    "stage": {**LONG_SPANS, "capacity": 3, "leave_grace": "1h", "claim_by_look": False},
    "yard": {**LONG_SPANS, "capacity": 2, "leave_grace": "1h", "admit_on_join": False},
}
QUESTIONS = {
    "waiting": ["look", "look", "leave"],
    "called": ["look", "claim", "claim", "leave"],
    "active": ["look", "finish", "finish", "leave"],
    "leaving": ["look", None],  # Comes back, or does not.
}


class Client(threading.Thread):
    """Visitors who come, look, go in, finish and leave, until the server is gone."""

    def __init__(self, name, server, book, places, seed):
        super().__init__(name=name)
        self.talk = server.talk()
        self.book = book
        self.places = places
        self.random = random.Random(seed)
        self.trouble = None
        self.start()

    def run(self):
        try:
            while True:
                self._ask_something()
        except Gone:
            pass
        except Exception as trouble:  # Told by the main thread.
            self.trouble = trouble
            with self.book.changed:
                self.book.changed.notify_all()
        self.talk.close()

    def _ask_something(self):
        live = [place for place in self.places if place.is_live() and not place.is_away]
        if len(live) < LIVE_PER_CLIENT_MAX and self.random.random() < 0.4:
            place = Place(self.random.choice(list(ROOMS)), f"{self.name}-{len(self.places)}")
            self.places.append(place)
            with self.book.changed:
                self.book.places.append(place)
            self.book.ask(self.talk, place, "join")
        elif live:
            place = self.random.choice(live)
            certain = len(place.states) == 1
            question = self.random.choice(QUESTIONS[next(iter(place.states))] if certain else ["look"])
            if question:
                self.book.ask(self.talk, place, question)
            else:
                place.is_away = True


def run_until_killed(server, book, places, source):
    """Ends after a random number of answers, in the middle of whatever is being done."""
    clients = [Client(name, server, book, places[name], source.random()) for name in places]
    with book.changed:
        goal = book.acknowledged + source.randint(30, 600)
        done = book.changed.wait_for(
            lambda: book.acknowledged >= goal or any(client.trouble for client in clients), timeout=600
        )
    server.kill()
    for client in clients:
        client.join()
        if client.trouble:
            raise client.trouble
    expect(done, f"only {book.acknowledged} answers: the server stands still; its log: {server.log()}")


def check(server, book, source):
    talk = server.talk()
    book.check(talk)
    ended = [place for place in book.places if not place.is_live() and place.number is not None]
    here = [place for place in book.places if (place.is_live() or place.number is None) and not place.is_away]
    book.check_by_ticket(talk, here + source.sample(ended, min(len(ended), ENDED_LOOKED_AT)))
    talk.close()


def run(options):
    source = random.Random(options.seed)
    kills = KILLS_LONG if options.long else KILLS_SHORT
    book = Book(ROOMS)
    places = {f"client{i}": [] for i in range(CLIENTS)}
    snapshots = set()
    for _ in range(kills):
        with Server(options.anteroom, options.folder) as server:
            if book.acknowledged:
                check(server, book, source)
            else:
                set_up(server)
            run_until_killed(server, book, places, source)
            snapshots.update(path.name for path in (server.data / "snapshots").glob("*.snapshot"))
    with Server(options.anteroom, options.folder) as server:
        check(server, book, source)
        server.stop()
    expect(snapshots, "no snapshot was ever taken")
    numbers = sum(map(len, book.by_number.values()))
    return f"{kills} kills, {book.acknowledged} answers, {numbers} visitors, {len(snapshots)} snapshots seen"


def set_up(server):
    talk = server.talk()
    for room, settings in ROOMS.items():
        answer = talk.configure(room, settings)
        expect(answer.status == 201, f"{room} cannot be made: {answer}")
    talk.close()
