"""What visitors meet while nothing can be written, and afterwards: shared by a real full disk and an injected one."""

import threading

from cases import expect
from places import Book, Place
from process import LONG_SPANS, wait_until

ROOM = "hall"
SETTINGS = {**LONG_SPANS, "capacity": 1, "leave_grace": "1h"}


class Joiner(threading.Thread):
    """Joins without end, so that there is always something to write. Its open question waits as long as the disk."""

    def __init__(self, server, book):
        super().__init__()
        self.server, self.book = server, book
        self.enough = threading.Event()
        self.refused = 0
        self.trouble = None
        self.start()

    def run(self):
        talk = self.server.talk()
        try:
            while not self.enough.is_set():
                place = Place(ROOM, f"joiner-{len(self.book.places)}")
                self.book.places.append(place)
                answer = self.book.ask(talk, place, "join")
                if answer.status == 503:
                    self.refused += 1
                    self.enough.wait(0.05)
        except Exception as trouble:  # Told by the main thread.
            self.trouble = trouble
        talk.close()

    def finish(self):
        self.enough.set()
        self.join()
        if self.trouble:
            raise self.trouble


class Outage:
    def __init__(self, server):
        self.book = Book({ROOM: SETTINGS})
        self._begin(server)
        expect(self.talk.configure(ROOM, SETTINGS).status == 201, "the room cannot be made")
        self.inside = self._join("inside")
        self.waiting = [self._join(f"waiting-{i}") for i in range(3)]
        expect(self.inside.entry, "nobody got inside")

    def _begin(self, server):
        self.server = server
        self.talk = server.talk()

    def resume(self, server):
        """After a restart: nothing that was acknowledged is lost, nothing that was refused came into force."""
        self._begin(server)
        self.book.check(self.talk)
        self.book.check_by_ticket(self.talk, self.book.places)
        expect(self.talk.rooms()[ROOM]["settings"]["message"] == "", "a refused change came into force")
        return self

    def _join(self, visitor):
        place = Place(ROOM, visitor)
        self.book.places.append(place)
        self.book.ask(self.talk, place, "join")
        return place

    def is_writable(self):
        answer = self.talk.ask("GET", "/metrics")
        return b"\nanteroom_ledger_writable 1\n" in answer.body

    def endure(self, break_disk, mend_disk):
        """Returns how many joins were refused."""
        joiner = Joiner(self.server, self.book)
        try:
            break_disk()
            wait_until(lambda: not self.is_writable(), "a server that notices that it cannot write")
            refused = [self._check_refusals() for _ in range(5)]
            mend_disk()
            wait_until(lambda: self._join_again(refused[0]), "joins that work again")
        finally:
            joiner.finish()
        for place in refused:
            expect(self._join_again(place), f"{place}; it cannot join although others can")
        expect("can be written again" in self.server.log(), "the log does not say that it can write again")
        return joiner.refused + len(refused)

    def _check_refusals(self):
        talk, book = self.talk, self.book
        place = Place(ROOM, f"refused-{len(book.places)}")
        book.places.append(place)
        answer = book.ask(talk, place, "join")
        expect(answer.status == 503, f"a join while nothing can be written answered {answer}")
        expect(int(answer.headers["Retry-After"]) > 0, "503 without Retry-After")
        for waiting in self.waiting:
            expect(book.ask(talk, waiting, "look").status == 200, f"{waiting}: no poll")
        expect(book.ask(talk, self.inside, "look").status == 200, f"{self.inside}: no poll")
        answer = talk.verify(ROOM, self.inside.entry)
        expect(answer.status == 204, f"the pass of who is inside answered {answer}")
        expect(talk.ask("GET", "/healthz").status == 200, "not healthy")
        answer = talk.configure(ROOM, {"message": "full"})
        expect(answer.status == 503, f"an operator's change answered {answer}")
        return place

    def _join_again(self, place):
        return self.book.ask(self.talk, place, "join").status in (200, 201)
