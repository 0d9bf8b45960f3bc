"""kill -9 of everything in the middle of joins: how many acknowledged places are still there after a restart."""

import time

from crowds import ticket_of
from load import join_wires, poll_wire, progress
from processes import BenchError

PLACES_PER_ASK = 50_000
ASK_SECONDS = 300


def measure(figures, client, system, options):
    """REQUIRES: it was started here."""
    joining = client.start(system, join_wires(system, 0, options.places), options.kill_after * 4, keep=True)
    time.sleep(options.kill_after)
    system.kill()
    load = client.finish(joining)
    if load.errors == 0:
        progress(f"{system.name}: all {load.requests:,} places were taken before it was killed; --places may be more")
    places = acknowledged(client, system)
    system.start()
    lost = sum(count_lost(client, system, places[at : at + PLACES_PER_ASK]) for at in range(0, len(places), PLACES_PER_ASK))
    progress(f"{system.name}: {lost:,} of {len(places):,} acknowledged places lost after kill -9")
    figures.add(system.name, "places_acknowledged", len(places), "places")
    figures.add(system.name, "places_lost", lost, "places")


def acknowledged(client, system):
    """(number of the visitor, ticket, place as it was told)"""
    where = system.request("join").values.get("number")
    found = []
    for index, answer in client.answers():
        if answer.is_good:
            found.append((index, ticket_of(system, answer, index), where and answer.value(where)))
    if not found:
        raise BenchError(f"{system.name}: no join was acknowledged before it was killed; --kill-after may be longer")
    return found


def count_lost(client, system, places):
    """Lost: no answer, a refusal, a state of those who are gone, or another number than before."""
    values = system.request("poll").values
    load = client.finish(client.start(system, [poll_wire(system, index, ticket) for index, ticket, _ in places], ASK_SECONDS,
                                      keep=True))  # fmt: skip
    if load.errors:
        raise BenchError(f"{system.name}: {load.errors} places could not be asked for after the restart")
    kept = 0
    for index, answer in client.answers():
        number = places[index][2]
        state = answer.value(values["state"]) if answer.is_good else None
        if state is not None and state not in system.description.gone:
            kept += number is None or "number" not in values or answer.value(values["number"]) == number
    return len(places) - kept
