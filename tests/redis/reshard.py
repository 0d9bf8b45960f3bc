"""The room's slot moves to another primary and back, key by key, in the middle of admissions."""

import contextlib

from cases import expect
from crowd import ROOM, SETTINGS, Crowd
from process import wait_until
from redis_servers import Cluster
from room_log import RoomLog
from town import Town, metric

MOVES_SHORT, MOVES_LONG = 4, 200
CALLS_BETWEEN = 10
MIGRATE_MS = 60_000  # Only a target that hangs takes so long.


def run(options):
    moves = MOVES_LONG if options.long else MOVES_SHORT
    with contextlib.ExitStack() as stack:
        redis = Cluster(stack, options.folder)
        town = Town(stack, options, redis)
        town.make_room(ROOM, SETTINGS)
        crowd, log = Crowd(town, options.seed), RoomLog(redis, ROOM)
        home = redis.owner_of(ROOM)
        away = next(node for node in redis.nodes[: redis.PRIMARIES] if node is not home)
        crowd.start()
        keys = 0
        for i in range(moves):
            crowd.wait_calls(CALLS_BETWEEN)
            ends = (home, away) if i % 2 == 0 else (away, home)
            keys += move_slot(redis, *ends, crowd, rest_after=3 if i % 4 == 3 else None)
            log.read()
        crowd.wait_calls(CALLS_BETWEEN)
        crowd.stop()
        crowd.check(log)
        redirections = sum(metric(server, "anteroom_redis_redirections_total") for server in town.running())
        expect(redirections > 0, "nobody was sent to the other primary")
        town.stop()
    return f"{moves} moves of {keys} keys; {crowd.summary(log)}"


def move_slot(redis, source, target, crowd, rest_after):
    slot = source.call("CLUSTER", "KEYSLOT", ROOM)
    names = {node: node.call("CLUSTER", "MYID") for node in (source, target)}
    target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
    source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
    keys = 0
    while found := source.call("CLUSTER", "GETKEYSINSLOT", slot, 1):
        source.call("MIGRATE", target.host, target.port, "", 0, MIGRATE_MS, "KEYS", *found)
        keys += 1
        if keys == rest_after:
            # Somebody meets a room that is half here and half there.
            answers = crowd.answers
            crowd.wait_for(lambda: crowd.answers > answers + 5, "answers")
    # The target first: otherwise no node would own the slot for a moment.
    for node in (target, source, *redis.nodes[: redis.PRIMARIES]):
        node.call("CLUSTER", "SETSLOT", slot, "NODE", names[target])
    wait_until(lambda: redis.owner_of(ROOM) is target, "a slot that has moved")
    return keys
