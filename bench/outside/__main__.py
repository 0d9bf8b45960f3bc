"""outside: measures any waiting room on loopback from outside: joins, polls, memory, losses, silent people at the head.

    python3 bench/outside [--quick] [--only PART …] [DESCRIPTION.toml …]

bench/peers.md says how a system is described. Without a description: our own server, with its ledger and on Redis.
"""

import argparse
import contextlib
import pathlib
import signal
import sys
import tempfile

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent / "http_bench"))

import crowds  # noqa: E402
import loss  # noqa: E402
import silent_head  # noqa: E402
from description import DescriptionError, load  # noqa: E402
from load import Client, progress  # noqa: E402
from processes import BenchError, busy_share  # noqa: E402
from report import Figures  # noqa: E402
from system import System  # noqa: E402

PARTS = ("crowd", "loss", "silent-head", "phone")
OURS = ("anteroom.toml", "anteroom_redis.toml")
BUSY_SHARE_MAX = 0.1
VISITORS_MAX = 10_000_000


def bounded(least, most):
    def number(text):
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value

    return number


def parse(words=None):
    parser = argparse.ArgumentParser(prog="outside", description=__doc__.splitlines()[0])
    parser.add_argument("systems", metavar="DESCRIPTION", nargs="*", type=pathlib.Path, help="tables of systems, taken in turns")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("build/outside.json"))
    parser.add_argument("--only", action="append", choices=PARTS, help="may be given several times")
    parser.add_argument("--quick", action="store_true", help="small crowds, one round, little patience")
    parser.add_argument("--visitors", type=bounded(1_000, VISITORS_MAX), help="how many join (600 000)")
    parser.add_argument("--fill-minutes", type=bounded(1, 60), default=5, help="at most, per system (5)")
    parser.add_argument("--rounds", type=bounded(1, 100), help="of polls, 2 s each (11)")
    parser.add_argument("--places", type=bounded(1_000, 1_000_000), help="joins at most before kill -9 (300 000)")
    parser.add_argument("--kill-after", type=bounded(1, 60), help="seconds of joins before kill -9 (8)")
    parser.add_argument("--silent", type=bounded(1, 1_000_000), action="append", help="how many silent (20, 1 000, 100 000)")
    parser.add_argument("--capacity", type=bounded(1, 500), action="append", help="slots of their room (1, 50)")
    parser.add_argument("--absent-after", type=bounded(1, 3600), help="seconds (three times the interval, at least 10)")
    parser.add_argument("--patience", type=bounded(1, 3600), help="seconds that the living wait for a call (700)")
    parser.add_argument("--phone-sleeps", type=bounded(15, 3600), help="seconds (300)")
    options = parser.parse_args(words)
    quick = options.quick
    for name, usual, short in (("visitors", 600_000, 20_000), ("rounds", 11, 1), ("places", 300_000, 20_000), ("kill_after", 8, 1),
                               ("silent", [20, 1_000, 100_000], [20]), ("capacity", [1, 50], [1]), ("patience", 700, 20),
                               ("phone_sleeps", 300, 30)):  # fmt: skip
        if getattr(options, name) is None:
            setattr(options, name, short if quick else usual)
    options.only = options.only or PARTS
    return options


class Stage:
    """Where systems are started: each time anew, in a folder of its own."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.count = 0

    def system(self, description, capacity=1):
        self.count += 1
        return System(description, self.options.build, self.folder / f"{description.name}-{self.count}", capacity)


def check(descriptions, options):
    """Before anything is started: whether all of it can be measured."""
    names = [description.name for description in descriptions]
    if len(set(names)) < len(names):
        raise DescriptionError("two descriptions have the same name")
    cells = len(options.silent) * len(options.capacity)
    runs = sum(cells if part == "silent-head" else 1 for part in options.only)
    for description in descriptions:
        if {"silent-head", "phone"} & set(options.only) and not {"finish", "leave"} & set(description.requests):
            raise DescriptionError(f"{description.name}: silent-head and phone need [finish] or [leave]: how a slot becomes free")
        if not description.is_startable and "loss" in options.only:
            raise DescriptionError(f"{description.name} was started by somebody else and is not killed: leave loss out (--only)")
        if not description.is_startable and runs > 1:
            raise DescriptionError(f"{description.name} runs already and cannot begin anew: measure one part, or one cell, at a time")
    return names


def run(options):
    descriptions = [load(path) for path in options.systems or [FOLDER / name for name in OURS]]
    names = check(descriptions, options)
    if busy_share(2) > BUSY_SHARE_MAX:
        progress("the machine is busy with other work: do not trust figures in seconds")
    figures = Figures()
    try:
        with tempfile.TemporaryDirectory(prefix="anteroom-outside-") as name:
            folder = pathlib.Path(name)
            measure(figures, descriptions, Client(options.build, folder), Stage(options, folder), options)
    finally:  # What was measured before something went wrong is not lost.
        if figures.rows:
            print(figures.table(), figures.silent_table(), sep="\n\n")
            figures.write(options.json, {"systems": names, "parts": list(options.only), "quick": options.quick})


def measure(figures, descriptions, client, stage, options):
    if "crowd" in options.only:
        with contextlib.ExitStack() as stack:
            systems = [stack.enter_context(stage.system(description)) for description in descriptions]
            crowds.measure(figures, client, systems, options)
    if "loss" in options.only:
        for description in descriptions:
            with stage.system(description) as system:
                loss.measure(figures, client, system, options)
    if "silent-head" in options.only:
        cells = [(silent, capacity) for silent in options.silent for capacity in options.capacity]
        for silent, capacity in cells:
            for description in descriptions:
                with stage.system(description, capacity) as system:
                    silent_head.measure(figures, client, system, silent, options)
    if "phone" in options.only:
        for description in descriptions:
            with stage.system(description) as system:
                silent_head.measure_phone(figures, system, options)


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run(parse())
    except (BenchError, DescriptionError) as error:
        print(f"outside: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
