"""Visitors who are answered by another server each time, on a Redis Cluster where nothing goes wrong."""

import contextlib
import time

from cases import expect
from crowd import CAPACITY, ROOM, SETTINGS, Crowd
from process import wait_until
from redis_servers import Cluster
from room_log import RoomLog
from stream import Stream, pulse
from town import Town, configure, with_talk

CALLS_SHORT, CALLS_LONG = 40, 3000
CHANGES = 6
WAITING = 5
GOAL_SECONDS = 0.25  # Of settings that change.
WRITER_LEASE_SECONDS = 2


def run(options):
    with contextlib.ExitStack() as stack:
        redis = Cluster(stack, options.folder)
        town = Town(stack, options, redis)
        town.make_room(ROOM, SETTINGS)
        crowd, log = Crowd(town, options.seed), RoomLog(redis, ROOM)
        crowd.start()
        slowest = max(change_settings(town, i) for i in range(CHANGES))
        for _ in range(10):
            crowd.wait_calls((CALLS_LONG if options.long else CALLS_SHORT) // 10)
            log.read()  # Snapshots cut the log.
        crowd.stop()
        # A server that was stopped for longer than a writer's lease (store/shared/times.h) may answer "later".
        expect(crowd.refusals == 0 or crowd.slowest > WRITER_LEASE_SECONDS, f"{crowd.refusals} questions were refused although nothing went wrong")
        check_line(town, crowd, log)
        with contextlib.ExitStack() as streams:
            check_streams(streams, town, crowd, log)
        town.stop()
    late = "" if slowest <= GOAL_SECONDS else f" (the goal is {GOAL_SECONDS} s)"
    return f"{crowd.summary(log)}; settings everywhere after {slowest:.3f} s at most{late}"


def change_settings(town, i):
    """How long until all servers show a change that one of them acknowledged."""
    message = f"message {i}"
    place = i % len(town.servers)
    talks = [server.talk() for server in town.servers]
    since = time.monotonic()
    answer = configure(talks[place], ROOM, {**SETTINGS, "message": message, "lease": f"{2 + i % 2}h"})
    expect(answer.status == 200, f"the settings cannot be changed: {answer}")
    for talk in talks:
        wait_until(lambda: talk.ask("GET", f"/v1/rooms/{ROOM}").json()["message"] == message, "new settings")
    slowest = time.monotonic() - since
    for talk in talks:
        talk.close()
    return slowest


def check_line(town, crowd, log):
    """At rest: the room is full, some wait, and everybody says the same of them."""
    places = len(town.servers)
    wait_until(lambda: log.read().is_at_rest(), "a room at rest")
    for i in range(CAPACITY - len(log.inside) + WAITING):
        crowd.join_now(i % places)
    wait_until(lambda: len(log.read().inside) == CAPACITY, "a full room")
    names = crowd.check(log)
    for ahead, number in enumerate(log.waiting):
        rank = log.call("ZRANK", "queue", names[number])
        expect(rank == ahead, f"ZRANK of {names[number]} is {rank}, but {ahead} are ahead")
    expect(log.call("ZCARD", "queue") == len(log.waiting) >= WAITING, "the queue has another length")
    expect(log.call("ZCARD", "active") == CAPACITY, "the set of who is inside has another size")
    first = pulse(town.servers[0], ROOM)
    for server in town.servers[1:]:
        wait_until(lambda: pulse(server, ROOM) == pulse(town.servers[0], ROOM), f"the same pulse everywhere: {first}")


def check_streams(stack, town, crowd, log):
    """Every server tells the first in line the same, also that it is called."""
    visitor = crowd.by_number[log.waiting[0]]
    streams = [Stream(server, ROOM, visitor.ticket) for server in town.servers]
    for stream in streams:
        stack.callback(stream.close)
    told = [stream.next("standing") for stream in streams]
    same = [(standing["number"], standing["state"], standing["ahead"]) for standing in told]
    expect(same == [(visitor.number, "waiting", 0)] * len(streams), f"{visitor} is told {told}")
    somebody = crowd.by_number[min(log.inside)]
    crowd.end_now(somebody, 0)
    for place, stream in enumerate(streams):
        standing = stream.next("called")
        expect(standing["number"] == visitor.number, f"{visitor}: server {place} tells {standing}")
        answer = with_talk(town.servers[place], lambda talk: talk.verify(ROOM, standing["pass"]))
        expect(answer.status == 204, f"{visitor}: server {place} does not accept the pass it gave: {answer}")
    log.read()
    expect(log.states[visitor.number] == "called", f"{visitor} was told that it is called")
