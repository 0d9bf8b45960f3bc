"""Joins, polls and memory: several systems in turns, in one run."""

import itertools
import statistics
import time

from load import join_wires, poll_wire, progress, visitor
from processes import BenchError

SLICE_SECONDS = 2
SLICE_JOINS = 100_000  # More than anybody answers in such a slice.
SAMPLE_EVERY = 50
POLLS = 500
SETTLE_SECONDS = 2
FIRST_MARK = 100_000  # Memory is a slope from here: what a process has from the start does not count.


class Filling:
    """One system that fills with people who wait."""

    def __init__(self, client, system, visitors, minutes):
        self.client, self.system, self.visitors = client, system, visitors
        self.first_mark = min(FIRST_MARK, visitors // 2)
        self.joined = 0
        self.loads, self.tickets = [], []
        self.empty = self._settled()
        self.at_first_mark = self.at_end = None
        self.seconds_left = minutes * 60

    @property
    def is_over(self):
        return self.joined >= self.visitors or self.seconds_left <= 0

    def go_on(self):
        """One slice; stops exactly at the marks."""
        mark = self.first_mark if self.joined < self.first_mark else self.visitors
        count = min(SLICE_JOINS, mark - self.joined)
        load = self.client.run(self.system, join_wires(self.system, self.joined, count), SLICE_SECONDS, keep=True)
        for index, answer in self.client.answers(SAMPLE_EVERY):
            number = self.joined + index
            self.tickets.append((number, ticket_of(self.system, answer, number)))
        self.joined += load.requests
        self.seconds_left -= SLICE_SECONDS
        self.loads.append(load)
        if self.joined == self.first_mark:
            self.at_first_mark = self._settled()
        if self.is_over:
            self.at_end = self._settled()
        progress(f"{self.system.name}: {self.joined:,} of {self.visitors:,} joined, {load.per_second:,.0f}/s, "
                 f"{load.us_cpu:.1f} µs of CPU each")  # fmt: skip

    def _settled(self):
        time.sleep(SETTLE_SECONDS)
        return self.system.resident_bytes()

    def figures(self):
        most = max(load.requests for load in self.loads)
        loads = [load for load in self.loads if load.requests > most / 10]  # Without the rests before a mark.
        yield "joins_per_second", statistics.median(load.per_second for load in loads), "1/s"
        yield "join_us_cpu", statistics.median(load.us_cpu for load in loads), "us"
        yield "joined", self.joined, "visitors"
        if self.at_first_mark:
            yield "bytes_per_visitor", (self.at_first_mark - self.empty) / self.first_mark, "bytes"
        if self.at_first_mark and self.joined > self.first_mark:
            slope = (self.at_end - self.at_first_mark) / (self.joined - self.first_mark)
            yield "bytes_per_visitor_slope", slope, "bytes"


def ticket_of(system, answer, number):
    ticket = answer.value(system.request("join").values["ticket"], visitor(number))
    if ticket is None:
        raise BenchError(f"{system.name}: a join was answered without a ticket: {answer}")
    return ticket


def measure(figures, client, systems, options):
    """The systems in turns: first all fill, then all are polled."""
    fillings = [Filling(client, system, options.visitors, options.fill_minutes) for system in systems]
    while any(not filling.is_over for filling in fillings):
        for filling in fillings:
            if not filling.is_over:
                filling.go_on()
    for filling in fillings:
        for name, value, unit in filling.figures():
            figures.add(filling.system.name, name, value, unit)
    measure_polls(figures, client, fillings, options.rounds)


def measure_polls(figures, client, fillings, rounds):
    wires = {}
    for filling in fillings:
        step = max(1, len(filling.tickets) // POLLS)
        sample = itertools.islice(filling.tickets, 0, None, step)
        wires[filling.system] = [poll_wire(filling.system, *pair) for pair in sample]
    loads = {system: [] for system in wires}
    for turn in range(rounds + 1):  # The first is to get warm.
        for system, polls in wires.items():
            load = client.run(system, polls, SLICE_SECONDS, "around")
            if turn:
                loads[system].append(load)
        said = ", ".join(f"{system.name} {of[-1].per_second:,.0f}/s, {of[-1].us_cpu:.1f} µs" for system, of in loads.items() if of)
        progress(f"polls, round {turn} of {rounds}: {said or 'warm'}")
    for system, of in loads.items():
        figures.add(system.name, "polls_per_second", statistics.median(load.per_second for load in of), "1/s")
        figures.add(system.name, "poll_us_cpu", statistics.median(load.us_cpu for load in of), "us")
