"""kill -9 of the server that writes the room, in the middle of admissions, again and again."""

import contextlib
import time

from cases import expect
from crowd import ROOM, SETTINGS, Crowd
from redis_servers import Cluster
from room_log import RoomLog
from town import Town

KILLS_SHORT, KILLS_LONG = 2, 100
CALLS_BETWEEN = 10


def run(options):
    kills = KILLS_LONG if options.long else KILLS_SHORT
    waits = []
    with contextlib.ExitStack() as stack:
        redis = Cluster(stack, options.folder)
        town = Town(stack, options, redis)
        town.make_room(ROOM, SETTINGS)
        crowd, log = Crowd(town, options.seed), RoomLog(redis, ROOM)
        crowd.start()
        for i in range(kills):
            crowd.wait_calls(CALLS_BETWEEN)
            writer = town.writer()
            if i % 2:
                crowd.wait_calls(crowd.random.randint(0, CALLS_BETWEEN))
            town.kill(writer)
            killed = time.monotonic()
            waits.append(crowd.wait_join_after(killed))
            heir = town.writer()
            expect(heir != writer, "the writer was not killed")
            town.start(writer)
            log.read()
        crowd.wait_calls(CALLS_BETWEEN)
        crowd.stop()
        crowd.check(log)
        town.stop()
    return (
        f"{kills} kills of the writer, joins again after {max(waits):.1f} s at most; "
        f"{crowd.summary(log)}"
    )
