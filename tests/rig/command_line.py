"""The command line of a folder of rigs: which of them, how long, and what is said of each."""

import argparse
import importlib
import pathlib
import random
import shutil
import tempfile
import time
import traceback

from cases import Failed, Skipped


def parser(name, text, rigs):
    made = argparse.ArgumentParser(prog=name, description=text.splitlines()[0])
    made.add_argument("--anteroom", type=pathlib.Path, required=True, help="the program")
    made.add_argument("--long", action="store_true", help="everything instead of a sample")
    made.add_argument("--seed", type=int, help="what is chosen at random (short: 1, long: another one each time)")
    made.add_argument("--keep", action="store_true", help="keep the folders of rigs that went well, too")
    made.add_argument("rigs", metavar="RIG", nargs="*", help=f"one of {', '.join(rigs)}; all of them by default")
    return made


def parse(parser, rigs):
    options = parser.parse_args()
    if unknown := set(options.rigs) - set(rigs):
        parser.error(f"no rig {', '.join(sorted(unknown))}; there are {', '.join(rigs)}")
    if not options.anteroom.is_file():
        parser.error(f"{options.anteroom} is not there")
    options.anteroom = options.anteroom.resolve()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000) if options.long else 1
    return options


def run(name, options, rigs, more=""):
    """The exit code. `more`: what else may help to repeat a rig."""
    results = [_run_one(name, rig, options, more) for rig in options.rigs or rigs]
    return 0 if all(results) else 1


def _run_one(name, rig, options, more):
    options.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"anteroom-{name}-{rig}-"))
    begin = time.monotonic()
    try:
        summary = importlib.import_module(rig).run(options)
    except Skipped as why:
        shutil.rmtree(options.folder)
        print(f"{rig}: SKIPPED: {why}", flush=True)
        return True
    except Exception as trouble:
        again = f"python3 tests/{name} --anteroom {options.anteroom} --seed {options.seed}"
        print(f"{rig}: FAILED: {trouble if isinstance(trouble, Failed) else traceback.format_exc()}")
        print(f"  to repeat: {again}{' --long' if options.long else ''} {rig}{more}")
        print(f"  kept: {options.folder}", flush=True)
        return False
    if not options.keep:
        shutil.rmtree(options.folder)
    print(f"{rig}: {summary}: ok ({time.monotonic() - begin:.1f} s, seed {options.seed})", flush=True)
    return True
