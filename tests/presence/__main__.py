"""Rigs of presence: python3 tests/presence --anteroom PATH [RIG…]

Each prints what it did and `ok`, or what went wrong and how to repeat it. README.md says what they do.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / folder) for folder in ("rig", "redis", "crash")]

import command_line  # noqa: E402

RIGS = ("on_ledger", "on_redis")

if __name__ == "__main__":
    sys.exit(command_line.run("presence", command_line.parse(command_line.parser("presence", __doc__, RIGS), RIGS), RIGS))
