"""A crowd that joined and was never heard of again stands before one who polls and one who has a stream."""

import time

from attendance import CLAIM_WINDOW, DEADLINE_SECONDS, Attendance, Visitor, absent_after
from cases import expect
from listener import Listener
from town import with_talk


class SilentCrowd:
    """Nothing is heard of them after they have joined, before the end."""

    def __init__(self, server, room, count):
        self.server, self.room = server, room
        answers = with_talk(server, lambda talk: [talk.join(room, f"silent-{i}") for i in range(count)])
        for answer in answers:
            expect(answer.status == 201, f"{room}: a silent visitor cannot join: {answer}")
        self.standings = [answer.json() for answer in answers]
        for standing in self.standings:
            expect(standing["state"] == "waiting", f"{room}: there was a slot left: {standing}")
        told = max(standing["poll_after_seconds"] for standing in self.standings)
        self.absent_after = absent_after(time.monotonic(), told)

    def trouble(self):
        """What explains that a living one is not called. It is a sign of life: not before the end."""
        for joined, now in self._look():
            if now["state"] != "waiting":
                return f"the silent visitor with number {joined['number']} was called instead and is {now['state']}"
        return "no silent visitor was called either"

    def expect_all_waiting(self):
        """They kept their number, and `ahead` never grew."""
        for joined, now in self._look():
            is_kept = (now["state"], now["number"]) == ("waiting", joined["number"]) and now["ahead"] <= joined["ahead"]
            expect(is_kept, f"{self.room}: a silent visitor lost the place: {joined} became {now}")

    def _look(self):
        """What they were told, and what they would be told now, of one after the other."""
        talk = self.server.talk()
        for joined in self.standings:
            answer = talk.look(self.room, joined["ticket"])
            expect(answer.status == 200, f"{self.room}: a silent visitor cannot look: {answer}")
            yield joined, answer.json()
        talk.close()


def case(front, back, room, capacity, silent):
    """The crowd joins at the server `front`, the living at `back`."""
    with Attendance() as present:
        insiders = [Visitor(back, room, f"insider-{i}") for i in range(capacity)]
        present.add(*insiders)
        expect(present.wait_for(lambda: all(one.is_inside for one in insiders)), f"{room} does not fill")
        crowd = SilentCrowd(front, room, silent)
        polling, listening = (Visitor(back, room, name) for name in ("polling", "listening"))
        present.add(polling)
        stream = Listener(back, listening)
        present.wait_until(crowd.absent_after)
        expect(not polling.is_inside and not stream.called.is_set(), f"{room}: somebody is called into a full room")

        present.finish(insiders[0])
        is_called = present.wait_for(lambda: polling.is_inside)
        expect(is_called, is_called or f"a slot is free, {polling} polls and is not called: {crowd.trouble()}")

        present.finish(insiders[1] if capacity > 1 else polling)
        is_called = stream.called.wait(DEADLINE_SECONDS)
        expect(is_called, is_called or f"a slot is free, {listening} listens and is not called: {crowd.trouble()}; {stream.end}")
        present.add(listening)  # It goes in: no slot is free while the crowd is looked at.
        expect(present.wait_for(lambda: listening.state == "active"), f"{listening} cannot go in")
        crowd.expect_all_waiting()
    stream.close()
    return f"{silent} silent before {capacity} slots"


def settings(capacity):
    return {"capacity": capacity, "claim_window": CLAIM_WINDOW}
