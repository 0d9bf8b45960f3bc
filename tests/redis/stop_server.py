"""SIGSTOP of the server that writes the room, until another one writes; then it wakes up and knows nothing of it."""

import contextlib
import time

from crowd import ROOM, SETTINGS, Crowd
from redis_servers import Cluster
from room_log import RoomLog
from town import Town

STOPS_SHORT, STOPS_LONG = 3, 100
CALLS_BETWEEN = 15


def run(options):
    stops = STOPS_LONG if options.long else STOPS_SHORT
    waits = []
    with contextlib.ExitStack() as stack:
        redis = Cluster(stack, options.folder)
        town = Town(stack, options, redis)
        town.make_room(ROOM, SETTINGS)
        crowd, log = Crowd(town, options.seed), RoomLog(redis, ROOM)
        places = set(range(len(town.servers)))
        # More clients than visitors can be stuck at the server that sleeps.
        crowd.start(clients=6)
        for _ in range(stops):
            crowd.wait_calls(CALLS_BETWEEN)
            writer = town.writer()
            with town.servers[writer].frozen():
                since = time.monotonic()
                town.writer(among=places - {writer})
                waits.append(time.monotonic() - since)
                log.read()
            crowd.wait_calls(CALLS_BETWEEN)
            log.read()
        crowd.stop()
        crowd.check(log)
        town.stop()
    return (
        f"{stops} times the writer slept, another one wrote after {max(waits):.1f} s at most; "
        f"{crowd.summary(log)}"
    )
