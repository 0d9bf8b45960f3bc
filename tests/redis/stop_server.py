"""SIGSTOP of the server that writes the room, for longer than it may. Then it wakes up and knows nothing of it:
when another one writes long since, or at the very moment at which it loses the right to."""

import contextlib
import time

from crowd import ROOM, SETTINGS, Crowd
from process import wait_until
from redis_servers import Cluster
from room_log import RoomLog
from town import Town, metric

STOPS_SHORT, STOPS_LONG = 2, 100
CALLS_BETWEEN = 10


def run(options):
    stops = STOPS_LONG if options.long else STOPS_SHORT
    waits = []
    with contextlib.ExitStack() as stack:
        redis = Cluster(stack, options.folder)
        town = Town(stack, options, redis)
        town.make_room(ROOM, SETTINGS)
        crowd, log = Crowd(town, options.seed), RoomLog(redis, ROOM)
        crowd.start(clients=5)
        for i in range(stops):
            crowd.wait_calls(CALLS_BETWEEN)
            with town.asleep(town.writer()):
                since = time.monotonic()
                sleeper = log.call("GET", "writer")
                if i % 2:
                    is_lost = lambda: log.call("GET", "writer") != sleeper or town.writers()  # noqa: E731
                    wait_until(is_lost, "a room that the one that sleeps does not write any more")
                else:
                    heir = town.writer()
                    waits.append(time.monotonic() - since)
                    crowd.end_now(crowd.join_now(heir), heir)  # Life goes on.
                log.read()
            crowd.wait_calls(CALLS_BETWEEN)
            log.read()
        crowd.stop()
        crowd.check(log)
        reloads = sum(metric(server, "anteroom_redis_reloads_total") for server in town.running())
        town.stop()
    return (
        f"{stops} times the writer slept, another one wrote after {max(waits):.1f} s at most; "
        f"{reloads:.0f} copies made again; {crowd.summary(log)}"
    )
