"""Rigs of rooms in Redis: python3 tests/redis --anteroom PATH [--long] [--seed N] [RIG…]

Each prints what it did and `ok`, or what went wrong and how to repeat it. README.md says what they do.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "rig"))

import command_line  # noqa: E402

RIGS = ("move", "kill_server", "stop_server", "kill_primary", "partition", "reshard", "outage", "security", "example")

if __name__ == "__main__":
    sys.exit(command_line.run("redis", command_line.parse(command_line.parser("redis", __doc__, RIGS), RIGS), RIGS))
