"""Crash rigs of the durable store: python3 tests/crash --anteroom PATH [--long] [RIG…]

Each prints what it did and `ok`, or what went wrong and how to repeat it. README.md says what they do.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "rig"))

import command_line  # noqa: E402

RIGS = ("second_process", "golden", "kill", "boundaries", "errors", "damage", "full_disk")


def parse():
    parser = command_line.parser("crash", __doc__, RIGS)
    parser.add_argument("--only", default="", metavar="CASE", help="cases with this in their name (of rigs with many)")
    return command_line.parse(parser, RIGS)


if __name__ == "__main__":
    sys.exit(command_line.run("crash", parse(), RIGS, " [--only CASE]"))
