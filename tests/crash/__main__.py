"""Crash rigs of the durable store: python3 tests/crash --anteroom PATH [--long] [RIG…]

Each prints what it did and `ok`, or what went wrong and how to repeat it. README.md says what they do.
"""

import argparse
import importlib
import pathlib
import random
import shutil
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True

from cases import Failed  # noqa: E402

RIGS = ("second_process", "golden", "kill", "boundaries", "errors", "damage", "full_disk")


def parse():
    parser = argparse.ArgumentParser(prog="crash", description=__doc__.splitlines()[0])
    parser.add_argument("--anteroom", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--long", action="store_true", help="everything instead of a sample")
    parser.add_argument("--seed", type=int, help="what is chosen at random (short: 1, long: another one each time)")
    parser.add_argument("--only", default="", metavar="CASE", help="cases with this in their name (of rigs with many)")
    parser.add_argument("--keep", action="store_true", help="keep the folders of rigs that went well, too")
    parser.add_argument("rigs", metavar="RIG", nargs="*", help=f"one of {', '.join(RIGS)}; all of them by default")
    options = parser.parse_args()
    if unknown := set(options.rigs) - set(RIGS):
        parser.error(f"no rig {', '.join(sorted(unknown))}; there are {', '.join(RIGS)}")
    if not options.anteroom.is_file():
        parser.error(f"{options.anteroom} is not there")
    options.anteroom = options.anteroom.resolve()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000) if options.long else 1
    return options


def run(rig, options):
    """True when all is well."""
    options.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"anteroom-crash-{rig}-"))
    begin = time.monotonic()
    try:
        summary = importlib.import_module(rig).run(options)
    except Exception as trouble:
        again = f"python3 tests/crash --anteroom {options.anteroom} --seed {options.seed}"
        print(f"{rig}: FAILED: {trouble if isinstance(trouble, Failed) else traceback.format_exc()}")
        print(f"  to repeat: {again}{' --long' if options.long else ''} {rig} [--only CASE]")
        print(f"  kept: {options.folder}", flush=True)
        return False
    if not options.keep:
        shutil.rmtree(options.folder)
    print(f"{rig}: {summary}: ok ({time.monotonic() - begin:.1f} s, seed {options.seed})", flush=True)
    return True


def main():
    options = parse()
    results = [run(rig, options) for rig in options.rigs or RIGS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
