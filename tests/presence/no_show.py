"""Called and not come: the slot goes to the next, the visitor back to the head; the third time is the end."""

from attendance import Attendance, Visitor
from cases import expect

# Nobody becomes absent by silence here, however slow the machine is: only by not coming.
SETTINGS = {"capacity": 1, "claim_window": "4s", "claim_by_look": False, "presence": "5m"}
CALLS_MAX = 3


def case(back, room):
    with Attendance() as present:
        inside = Visitor(back, room, "insider")
        present.add(inside)
        expect(present.wait_for(lambda: inside.state == "active"), f"{inside} cannot go in")
        shy = Visitor(back, room, "shy", claims=False)
        others = [Visitor(back, room, f"other-{i}") for i in range(CALLS_MAX)]
        present.add(*others)
        for times, following in enumerate(others, 1):
            present.add(shy)
            present.finish(inside)
            is_over = present.wait_for(lambda: shy.is_inside or following.is_inside)  # noqa: B023
            expect(is_over, f"a slot is free and nobody is called, neither {shy} nor {following}")
            present.remove(shy)  # It does not look while it is called.
            is_called = present.wait_for(lambda: following.state == "active")  # noqa: B023
            expect(is_called, f"{shy} did not come, and {following} is not called")
            standing = shy.look()
            wanted = "waiting" if times < CALLS_MAX else "expired"
            expect(standing["state"] == wanted, f"{shy} did not come for the {times}. time; wanted: {wanted}")
            expect(standing["number"] == shy.number, f"{shy} has another number: {standing}")
            expect(wanted == "expired" or standing["ahead"] == 0, f"{shy} is not at the head: {standing}")
            inside = following
    return f"{CALLS_MAX} calls not claimed"
