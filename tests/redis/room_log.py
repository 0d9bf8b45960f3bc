"""What is written of a room in Redis (docs/formats-redis.md), and whether it keeps the promises.

Only what replicas have confirmed is read. What was confirmed once must stay: the log is a chain of stamps, and each
reading goes on where the last one ended.
"""

import collections

from cases import expect

KINDS = ("joined", "called", "claimed", "finished", "leaving", "returned", "left", "expired", "number_taken",
         "advanced", "outer_expired", "activated", "deactivated", "configured", "state_changed", "cleared",
         "redeemed", "lease_set", "missed")  # fmt: skip
SETTINGS = ("capacity", "lease", "lease_max", "lease_start", "claim_window", "claim_by_look", "admit_batch",
            "admit_interval", "rate_milli")  # fmt: skip
INSIDE = {"called", "active"}
ENDED = {"finished", "left", "expired"}

Fact = collections.namedtuple("Fact", "sequence at kind number settings")


class Bytes:
    def __init__(self, content):
        self.content, self.at = content, 0

    def byte(self):
        self.at += 1
        return self.content[self.at - 1]

    def word(self):
        self.at += 8
        return int.from_bytes(self.content[self.at - 8 : self.at], "little")

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


class Entry:
    def __init__(self, content):
        read = Bytes(content.encode() if isinstance(content, str) else content)
        expect(read.byte() == 2, "an entry of another version")
        self.after, self.stamp = read.word(), read.word()
        self.facts = []
        count = read.number()
        if count == 0:
            return
        sequence, at = read.number(), read.word()
        for i in range(count):
            at += read.number()
            self.facts.append(self._fact(read, sequence + i, at))

    @staticmethod
    def _fact(read, sequence, at):
        kind, number, settings = KINDS[read.byte()], None, None
        if kind in ("deactivated", "cleared"):
            pass
        elif kind == "configured":
            values = [read.number() for _ in range(read.number())]
            settings = dict(zip(SETTINGS, values))
        else:
            number = read.number()
        if kind in ("joined", "number_taken"):
            read.word(), read.word()
        if kind == "joined":
            read.number(), read.number(), read.byte()
        if kind == "expired":
            read.number()
        return Fact(sequence, at, kind, number, settings)


class RoomLog:
    """The room as its log tells it, checked fact by fact. REQUIRES: one lane, nobody is silent for too long."""

    def __init__(self, redis, room):
        self.redis, self.room = redis, room
        self.position = self.stamp = self.sequence = 0
        self.states = {}  # By number.
        self.waiting = []  # In order.
        self.inside = set()
        self.called_at = []
        self.capacity = self.rate = None
        self.entries = 0

    def key(self, name):
        return f"{{{self.room}}}:{name}"

    def call(self, command, name, *words):
        return self.redis.call(self.key(name), command, self.key(name), *words)

    def head(self):
        fields = ("position", "confirmed", "stamp")
        return dict(zip(fields, map(int, self.call("HMGET", "head", *fields))))

    def read(self, through=None):
        """Reads on to the confirmed position (`through`: to that position, for stores without replicas)."""
        end = through or self.head()["confirmed"]
        if end < self.position:  # The mark may be lost in a failover, what it marked may not.
            self._check_kept()
        while self.position < end:
            found = self.call("XRANGE", "log", f"{self.position + 1}-0", f"{end}-0", "COUNT", 500)
            expect(found, f"the log ends at {self.position}, but {end} is confirmed")
            for place, fields in found:
                self._take(int(place.split("-")[0]), fields[1])
        return self

    def _check_kept(self):
        found = self.call("XRANGE", "log", f"{self.position}-0", f"{self.position}-0")
        stamp = Entry(found[0][1][1]).stamp if found else None
        expect(stamp == self.stamp, f"entry {self.position} was confirmed, and is lost")

    def _take(self, position, content):
        entry = Entry(content)
        expect(position == self.position + 1, f"entry {position} follows {self.position}")
        expect(entry.after == self.stamp, f"entry {position} does not follow the one that was confirmed before it")
        self.position, self.stamp = position, entry.stamp
        self.entries += 1
        for fact in entry.facts:
            expect(fact.sequence == self.sequence + 1, f"fact {fact.sequence} follows {self.sequence}")
            self.sequence = fact.sequence
            getattr(self, f"_on_{fact.kind}", self._on_end if fact.kind in ENDED else self._on_other)(fact)

    def _move(self, fact, before, to):
        state = self.states.get(fact.number)
        expect(state in before, f"{fact}; but {fact.number} was {state}")
        self.states[fact.number] = to

    def _on_other(self, fact):
        expect(fact.kind == "state_changed", f"{fact}; nothing of the kind was asked for")

    def _on_configured(self, fact):
        self.capacity = fact.settings["capacity"]
        self.rate = fact.settings["rate_milli"] // 1000
        self.called_at.append(None)  # Rates hold between changes.

    def _on_joined(self, fact):
        expect(fact.number == len(self.states) + 1, f"{fact}; but {len(self.states)} numbers were given before")
        self.states[fact.number] = "waiting"
        self.waiting.append(fact.number)

    def _on_called(self, fact):
        self._move(fact, {"waiting"}, "called")
        expect(self.waiting[0] == fact.number, f"{fact}; but {self.waiting[0]} came before")
        self.waiting.pop(0)
        self.inside.add(fact.number)
        expect(len(self.inside) <= self.capacity, f"{fact}; {len(self.inside)} are inside, capacity {self.capacity}")
        self.called_at.append(fact.at)
        window = self.called_at[-self.rate - 1 :] if self.rate else []
        if len(window) == self.rate + 1 and None not in window:
            span = window[-1] - window[0]
            expect(span >= 1000, f"{fact}; that is {self.rate + 1} calls within {span} ms, the rate is {self.rate}/s")

    def _on_claimed(self, fact):
        self._move(fact, {"called"}, "active")

    def _on_end(self, fact):
        expect(fact.kind != "expired", f"{fact}; but every span is an hour or more")
        self._move(fact, INSIDE if fact.kind == "finished" else INSIDE | {"waiting"}, fact.kind)
        self.inside.discard(fact.number)
        if fact.number in self.waiting:
            self.waiting.remove(fact.number)

    def is_at_rest(self):
        """No visitor can be called."""
        return len(self.inside) == self.capacity or not self.waiting

    def calls(self):
        return sum(at is not None for at in self.called_at)

    def check_sets(self):
        """The answers of the API agree with the log. REQUIRES: nothing happens now, and all is read."""
        numbers = {"queue": self.waiting, "active": sorted(self.inside)}
        members = self.call("HGETALL", "members")
        names = {int(number): name for number, name in zip(members[::2], members[1::2])}
        for key, wanted in numbers.items():
            found = self.call("ZRANGE", key, 0, -1)
            wanted = [names.get(number) for number in wanted]
            if key == "active":
                found, wanted = sorted(found), sorted(map(str, wanted))
            expect(found == wanted, f"{{{self.room}}}:{key} has {found} instead of {wanted}")
        live = set(self.waiting) | self.inside
        expect(set(names) == live, f"the names of {sorted(set(names) ^ live)} are there or not against the log")
        capacity = int(self.call("GET", "threshold"))
        expect(capacity == self.capacity, f"the threshold is {capacity}, the capacity {self.capacity}")
        return names
