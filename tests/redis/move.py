"""Visitors who are answered by another server each time, on a Redis Cluster where nothing goes wrong."""

import contextlib

from crowd import ROOM, SETTINGS, Crowd
from redis_servers import Cluster
from room_log import RoomLog
from town import Town

CALLS_SHORT, CALLS_LONG = 60, 3000


def run(options):
    with contextlib.ExitStack() as stack:
        redis = Cluster(stack, options.folder)
        town = Town(stack, options, redis)
        town.make_room(ROOM, SETTINGS)
        crowd, log = Crowd(town, options.seed), RoomLog(redis, ROOM)
        crowd.start()
        crowd.wait_calls(CALLS_LONG if options.long else CALLS_SHORT)
        crowd.stop()
        crowd.check(log)
        town.stop()
        return f"{len(crowd.visitors)} visitors, {crowd.answers} answers, {log.calls()} calls, {log.entries} entries, {crowd.refusals} refusals"
