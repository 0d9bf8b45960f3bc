"""What passed, what failed, what this machine cannot do: told as it happens, and counted at the end."""

import contextlib
import subprocess
import time
import traceback


class Failed(Exception):
    """One line that says what was expected."""


class Skipped(Exception):
    """One line that says what this machine lacks."""


def expect(condition, what):
    if not condition:
        raise Failed(what)


def equal(found, wanted, what):
    expect(found == wanted, f"{what}: {found!r}, not {wanted!r}")


class Report:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    @contextlib.contextmanager
    def case(self, name, only_trouble=False):
        """A case goes wrong alone. `only_trouble`: not counted when it goes well, for what surrounds other cases."""
        begin = time.monotonic()
        try:
            yield
        except Skipped as why:
            self.skipped.append(f"{name}: {why}")
            print(f"  SKIPPED {name}: {why}", flush=True)
        except Exception as trouble:
            told = trouble if isinstance(trouble, Failed) else traceback.format_exc()
            if isinstance(trouble, subprocess.CalledProcessError):
                told = f"{told}{trouble.stderr or ''}"
            self.failed.append(name)
            print(f"  FAILED  {name}: {told}", flush=True)
        else:
            if not only_trouble:
                self.passed += 1
                print(f"  ok      {name} ({time.monotonic() - begin:.1f} s)", flush=True)

    def finish(self):
        """The exit code."""
        for line in self.skipped:
            print(f"SKIPPED {line}")
        for name in self.failed:
            print(f"FAILED {name}")
        print(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped", flush=True)
        return 1 if self.failed else 0
