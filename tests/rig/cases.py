"""What a rig expects, and a list of cases that goes on after one that went wrong."""

import contextlib

TOLD_MAX = 40


class Failed(Exception):
    """The server broke a promise, or the rig could not do its work."""


class Skipped(Exception):
    """The machine lacks a program or a permission that the rig needs."""


def expect(condition, what):
    if not condition:
        raise Failed(what)


class Cases:
    """Many cases with names; `only` leaves those out that do not have it in their name."""

    def __init__(self, only):
        self.only = only
        self.count = 0
        self.troubles = []

    def choose(self, cases, name):
        return [case for case in cases if self.only in name(case)]

    @contextlib.contextmanager
    def case(self, name):
        self.count += 1
        try:
            yield
        except Failed as trouble:
            self.troubles.append(f"{name}: {trouble}")
            if len(self.troubles) <= TOLD_MAX:
                print(f"  {self.troubles[-1]}", flush=True)

    def finish(self):
        expect(not self.troubles, f"{len(self.troubles)} of {self.count} cases")
