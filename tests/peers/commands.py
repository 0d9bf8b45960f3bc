"""Programs that a test calls."""

import os
import shutil
import subprocess

from report import Failed, Skipped

DEADLINE_SECONDS = 300


def program(name, package):
    """The path of a program. /usr/sbin is not in everybody's PATH."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not found:
        raise Skipped(f"{name} is not installed (Debian: {package})")
    return found


def environment(**more):
    """Without the settings that whoever runs the tests may have for a server of their own."""
    return {k: v for k, v in os.environ.items() if not k.startswith("ANTEROOM_")} | more


def run(*command, code=0, deadline=DEADLINE_SECONDS, merged=False, **options):
    """Standard output; Failed unless the exit code is as wanted. code=None: any. merged: with standard error."""
    options.setdefault("env", environment())
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, timeout=deadline,
                          stderr=subprocess.STDOUT if merged else subprocess.PIPE, **options)
    if code is not None and done.returncode != code:
        said = "\n".join((done.stderr or done.stdout).splitlines()[-20:])
        raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}, not {code}: {said}")
    return done.stdout
