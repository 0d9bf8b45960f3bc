"""kill -9 of the Redis primary that holds the room, in the middle of admissions.

With one replica the primary comes back as soon as its replica is promoted: what is acknowledged needs two that have it.
With two replicas it stays away until somebody has got a place.
"""

import contextlib
import time

from crowd import CAPACITY, ROOM, SETTINGS, Crowd
from process import wait_until
from redis_servers import Cluster
from room_log import RoomLog
from town import Town

KILLS_SHORT, KILLS_LONG = 1, 50  # Of each kind.
CALLS_BETWEEN = 10
NODE_TIMEOUT_MS = 1000
GRACE_SECONDS = 3  # Above the node timeout: what is promised.


def run(options):
    kills = KILLS_LONG if options.long else KILLS_SHORT
    with contextlib.ExitStack() as stack:
        redis = Cluster(stack, options.folder)
        town = Town(stack, options, redis)
        town.make_room(ROOM, SETTINGS)
        crowd, log = Crowd(town, options.seed, grown_max=2 * CAPACITY), RoomLog(redis, ROOM)
        crowd.start()
        with_one = [kill(redis, crowd, log, replicas=1) for _ in range(kills)]
        redis.add_replica(ROOM, 2)
        with_two = [kill(redis, crowd, log, replicas=2) for _ in range(kills)]
        crowd.wait_calls(CALLS_BETWEEN)
        crowd.stop()
        crowd.check(log)
        town.stop()
    promised = NODE_TIMEOUT_MS / 1000 + GRACE_SECONDS
    if max(with_two) > promised:
        print(f"  warning: joins again after {max(with_two):.1f} s, the promise is {promised:.0f} s")
    return (
        f"{2 * kills} primaries killed, joins again after {max(with_one):.1f} s with one replica, "
        f"{max(with_two):.1f} s with two; {crowd.summary(log)}"
    )


def kill(redis, crowd, log, replicas):
    crowd.wait_calls(CALLS_BETWEEN)
    log.read()
    primary = redis.home_of(ROOM)
    with redis.nervous(NODE_TIMEOUT_MS):
        primary.kill()
        killed = time.monotonic()
        redis.wait_replaced(primary, ROOM)
    if replicas == 1:
        primary.start()
    wait = crowd.wait_join_after(killed)
    log.read()
    if replicas > 1:
        primary.start()
    crowd.wait_calls(CALLS_BETWEEN)
    wait_until(lambda: redis.has_replicas(ROOM, replicas), "replicas of the one that was promoted")
    return wait
