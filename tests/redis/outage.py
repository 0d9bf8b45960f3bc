"""Redis does not answer, or is gone: what visitors meet meanwhile, and afterwards. And rooms without a replica."""

import contextlib
import time

from cases import expect
from crowd import ROOM, Crowd
from process import LONG_SPANS, wait_until
from redis_servers import Single
from room_log import RoomLog
from town import Town, metric, with_talk

ROUNDS_SHORT, ROUNDS_LONG = 1, 20
VISITORS = 60  # One is called each second: somebody must be left however slow the machine is.
GROWN_MAX = 12
SLOW = {**LONG_SPANS, "capacity": 1000, "rate_per_second": 1, "leave_grace": "0s", "claim_by_look": False}
STALE_ENOUGH_SECONDS = 4
BETWEEN_POLLS_SECONDS = 0.1


def run(options):
    rounds = ROUNDS_LONG if options.long else ROUNDS_SHORT
    with contextlib.ExitStack() as stack:
        silent, gone, grown = endure(stack, options, rounds)
    for part in (without_replica, fast):
        with contextlib.ExitStack() as stack:
            part(stack, options)
    grown = f", ahead grew by {grown}" if grown else ""
    return (
        f"{rounds} times silent, {rounds} times gone: {silent + gone} joins refused, nobody called, passes verified, "
        f"then all went on{grown}; durable without a replica: refused; fast without one: works"
    )


class Scene:
    """One server on one Redis, and a room where somebody is called each second."""

    def __init__(self, stack, options, name, **redis):
        options.folder, folder = options.folder / name, options.folder
        options.folder.mkdir()
        replicas = redis.pop("durable")
        self.redis = Single(stack, options.folder, **redis)
        self.town = Town(stack, options, self.redis, count=1, replicas=replicas)
        self.crowd = Crowd(self.town, options.seed, capacity=SLOW["capacity"], grown_max=GROWN_MAX)
        self.log = RoomLog(self.redis, ROOM)
        options.folder = folder

    @property
    def server(self):
        return self.town.servers[0]

    def talk(self, what):
        return with_talk(self.server, what)

    def is_writable(self):
        return metric(self.server, "anteroom_redis_writable") == 1

    def look(self, visitor):
        answer = self.talk(lambda talk: self.crowd.hear(talk, visitor, "look", "the server"))
        expect(answer.status == 200, f"{visitor}: a poll from the copy answers {answer}")
        return answer.json()

    def states(self, visitors):
        """By number. None: it was called a moment before Redis went away, which is not written and cannot be told."""
        answers = {v.number: self.talk(lambda talk: self.crowd.hear(talk, v, "look", "the server")) for v in visitors}
        return {number: a.json()["state"] if a.status == 200 else None for number, a in answers.items()}

    def is_refused(self):
        """Joins are, and they are told when to come again."""
        visitor = self.crowd.add(f"refused-{len(self.crowd.visitors)}")
        answer = self.talk(lambda talk: talk.join(ROOM, visitor.name))
        expect(answer.status == 503, f"a join while nothing can be written answers {answer}")
        expect(int(answer.headers["Retry-After"]) > 0, "503 without Retry-After")
        return 1

    def check_verified(self, visitor):
        answer = self.talk(lambda talk: talk.verify(ROOM, visitor.entry))
        expect(answer.status == 204, f"{visitor}: its pass is answered with {answer}")


def endure(stack, options, rounds):
    scene = Scene(stack, options, "durable", replicas=1, durable=1)
    scene.town.make_room(ROOM, SLOW)
    counts = []
    for way in (scene.redis.primary.frozen, lambda: away(scene.redis.primary)):
        counts.append(sum(endure_once(scene, way) for _ in range(rounds)))
    wait_until(lambda: scene.redis.primary.has_replicas(), "a replica")
    scene.crowd.check(scene.log)
    log = scene.server.log()
    for line in ("Redis cannot be written now", "Redis can be written again"):
        expect(line in log, f"the log never says: {line}")
    scene.town.stop()
    return *counts, scene.crowd.grown


@contextlib.contextmanager
def away(redis):
    redis.kill()
    try:
        yield
    finally:
        redis.start()


def endure_once(scene, way):
    crowd = scene.crowd
    visitors = [crowd.join_now(0) for _ in range(VISITORS)]
    first, last = visitors[0], visitors[-1]
    wait_until(lambda: scene.look(first)["state"] == "called", "somebody who is called")
    with way():
        wait_until(lambda: "stale_seconds" in scene.look(last), "a copy that says how old it is")
        scene.states(visitors)  # Visitors called before the outage learn of it now.
        calls = crowd.calls
        refused = scene.is_refused()
        wait_until(lambda: not scene.is_writable(), "a server that knows that nothing can be written")
        while scene.look(last)["stale_seconds"] < STALE_ENOUGH_SECONDS:
            refused += scene.is_refused()
            scene.check_verified(first)
            scene.states(visitors)
            time.sleep(BETWEEN_POLLS_SECONDS)
        expect(crowd.calls == calls, f"{crowd.calls - calls} were called without Redis")
        expect(last.state == "waiting", "nobody was left to be called")
    wait_until(scene.is_writable, "a server that writes again")
    crowd.join_now(0)
    wait_until(lambda: "stale_seconds" not in scene.look(last), "a copy that is fresh again")
    calls = crowd.calls
    wait_until(lambda: scene.states(visitors) and crowd.calls > calls, "calls that go on")
    for visitor in visitors:
        crowd.end_now(visitor, 0)
    scene.log.read()
    return refused


def without_replica(stack, options):
    """Only commands on a replica are acknowledged: without a replica, none is."""
    scene = Scene(stack, options, "lonely", replicas=1, durable=1)
    scene.town.make_room(ROOM, SLOW)
    ann = scene.crowd.join_now(0)
    scene.redis.replicas[0].kill()
    scene.is_refused()
    wait_until(lambda: not scene.is_writable(), "a server that knows that nothing can be acknowledged")
    for _ in range(3):
        scene.is_refused()
    expect(scene.look(ann)["number"] == 1, "who had a place has another one")
    expect("no replica confirms what is written" in scene.server.log(), f"the log does not say why: {scene.server.log()}")
    scene.redis.replicas[0].start()
    wait_until(scene.is_writable, "a server that writes again")
    scene.crowd.join_now(0)
    scene.crowd.check(scene.log)
    scene.town.stop()


def fast(stack, options):
    """store.replicas = 0: the primary's word is enough."""
    scene = Scene(stack, options, "fast", replicas=0, durable=0)
    scene.town.make_room(ROOM, SLOW)
    ann, ben = scene.crowd.join_now(0), scene.crowd.join_now(0)
    scene.town.kill(0)
    scene.town.start(0)
    scene.redis.primary.kill()
    scene.redis.primary.start()
    wait_until(scene.is_writable, "a server that writes again")
    eve = scene.crowd.join_now(0)
    expect([ann.number, ben.number, eve.number] == [1, 2, 3], f"their numbers are {ann}; {ben}; {eve}")
    scene.log.read(through=scene.log.head()["position"])
    expect(len(scene.log.states) == 3, f"the log knows {scene.log.states}")
    scene.town.stop()
