"""The first two in line sleep with their phones: they are passed, and each is the next when it wakes."""

from attendance import CLAIM_WINDOW, Attendance, Visitor
from cases import expect
from town import with_talk

PRESENCE = "10s"
POLLS_TO_BE_KNOWN = 3  # As told, seconds apart: by then the server that decides has heard of it from the other one.
SETTINGS = {"capacity": 1, "claim_window": CLAIM_WINDOW, "presence": PRESENCE}


def case(back, room):
    with Attendance() as present:
        insider = Visitor(back, room, "insider")
        present.add(insider)
        first, second = (Visitor(back, room, name) for name in ("first-phone", "second-phone"))
        for phone in (first, second):
            expect(phone.look()["state"] == "waiting", f"{phone}: there was a slot left")
        others = [Visitor(back, room, f"awake-{i}") for i in range(3)]
        present.add(*others)
        present.wait_until(second.absent_after)

        def expect_next(visitor, leaver, why):
            present.finish(leaver)
            is_called = present.wait_for(lambda: visitor.is_inside)
            expect(is_called, is_called or f"{visitor} is not called: {why}; {_found_out(first, second)}")

        expect_next(others[0], insider, "both phones sleep")
        expect_next(others[1], others[0], "both phones sleep still")
        standing = first.look()
        kept = (standing["state"], standing["number"], standing["ahead"]) == ("waiting", first.number, 0)
        expect(kept, f"{first} wakes and has lost the place: {standing}")
        present.add(first)
        known = first.answers + POLLS_TO_BE_KNOWN
        expect(present.wait_for(lambda: first.answers >= known), f"{first} is awake and cannot poll")
        expect_next(first, others[1], "it woke before the slot was free, and others wait behind it")
        expect(not others[2].is_inside, f"{others[2]} is called beside {first}")
        expect_next(others[2], first, "the second phone sleeps")
        present.finish(others[2])  # Now a slot is free, and nobody is there.
        present.add(second)
        expect(present.wait_for(lambda: second.is_inside), f"{second} wakes, a slot is free, and it is not called")
    expect_setting(back, room)
    return "2 phones slept at the head"


def _found_out(*phones):
    """A look at a phone wakes it: only when the case has failed."""
    return "asked now, " + ", ".join(f"{phone.name} is {phone.look()['state']}" for phone in phones)


def expect_setting(server, room):
    found = with_talk(server, lambda talk: talk.rooms())[room]["settings"].get("presence")
    expect(found == PRESENCE, f"the room was told presence {PRESENCE}, it says {found}")
