"""Tests against peers that are not Debian packages, and of what we ship as containers."""

import argparse
import importlib
import pathlib
import sys
import tempfile

from report import Report

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITES = {  # In this order: `compose` starts the image that `image` built.
    "chart": "the Helm chart: lint, render, schemas, refusals",
    "image": "the Dockerfile: build, run locked up, stop",
    "compose": "examples/compose.yaml: start, join, kill a server",
}


def parse():
    listed = "\n".join(f"  {name:10}{what}" for name, what in SUITES.items())
    parser = argparse.ArgumentParser(prog="scripts/test-peers", description=__doc__, epilog=f"suites:\n{listed}",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--anteroom", type=pathlib.Path, default=ROOT / "build/release/anteroom", help="the program")
    parser.add_argument("--base", type=pathlib.Path, help="a tree of Debian 12; default: that of scripts/fresh-machine")
    parser.add_argument("suites", metavar="SUITE", nargs="*", help="default: all")
    options = parser.parse_args()
    if unknown := set(options.suites) - set(SUITES):
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    if not options.anteroom.is_file():
        parser.error(f"{options.anteroom} is not there; build it with make")
    options.anteroom = options.anteroom.resolve()
    options.root = ROOT
    return options


def main():
    options = parse()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="anteroom-peers-") as folder:
        options.folder = pathlib.Path(folder)
        options.daemon = options.no_daemon = None
        options.has_image = False
        try:
            for name in SUITES:
                if name in (options.suites or SUITES):
                    print(f"--- {name}: {SUITES[name]}", flush=True)
                    with report.case(f"{name}: is ready to be run", only_trouble=True):
                        importlib.import_module(name).run(report, options)
        finally:
            if options.daemon:
                options.daemon.stop()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
