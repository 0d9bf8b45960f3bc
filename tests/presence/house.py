"""All cases in one house: each in a room of its own, side by side."""

import no_show
import silent_head
import sleeping_phone
from cases_together import run_together

SILENT = {"few-1": (1, 20), "few-50": (50, 20), "many-1": (1, 1000), "many-50": (50, 1000)}  # Capacity, how many.


def run(front, back, make_room):
    """`front`, `back`: servers, perhaps the same. `make_room(room, settings)`: makes it on both."""
    for room, (capacity, _) in SILENT.items():
        make_room(room, silent_head.settings(capacity))
    make_room("phones", sleeping_phone.SETTINGS)
    make_room("shy", no_show.SETTINGS)
    cases = {room: lambda room=room, how=how: silent_head.case(front, back, room, *how) for room, how in SILENT.items()}
    cases["phones"] = lambda: sleeping_phone.case(back, "phones")
    cases["shy"] = lambda: no_show.case(back, "shy")
    return ", ".join(run_together(cases).values())
