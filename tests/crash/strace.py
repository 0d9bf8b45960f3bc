"""The server under strace: which calls it makes on its files, and what happens when one of them does not work.

A boundary is the n-th call of one kind on one file by one thread: strace counts per thread, and -P keeps sockets and
the log out of the count.
"""

import collections
import re

from process import wait_until

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "rename", "link", "ftruncate", "unlink", "mkdir")
LINE = re.compile(r"^(\d+) +(\w+)\((.*)")
PATH = re.compile(r'<(/[^>]*)>|"(/[^"]*)"')

Boundary = collections.namedtuple("Boundary", "call path ordinal is_main")
# `path`: None when its name is another one each time; then every call of the main thread counts.


def describe(boundary, data):
    where = str(boundary.path).removeprefix(f"{data}/")
    return f"{boundary.call} {boundary.ordinal} of {where}"


def watching(output):
    """Runs the server in its own process; the trace goes to a file."""
    return ["strace", "-D", "-f", "-y", "-s", "200", "--seccomp-bpf", "-e", "signal=none", "-o", str(output),
            "-e", f"trace={','.join(CALLS)}"]  # fmt: skip


def injecting(output, boundary, what, until=""):
    """As watching(), but at the boundary `what` happens: signal=KILL, error=EIO, …; `until`: up to that call.

    Without --seccomp-bpf, which swallows the signal. The tracer may be told to go away (-I2).
    """
    paths = ["-P", str(boundary.path)] if boundary.path else []
    rule = f"inject={boundary.call}:{what}:when={boundary.ordinal}{until}"
    return ["strace", "-D", "-I2", "-f", "-y", "-s", "0", "-e", "signal=none", "-o", str(output),
            *paths, "-e", f"trace={boundary.call}", "-e", rule]  # fmt: skip


def boundaries_in(process, data, output):
    """Every boundary below the data folder, in the order in which they came."""
    main = str(process.pid)
    end = re.compile(rf"^{main} +\+\+\+", re.MULTILINE)  # Written a moment after the end.
    wait_until(lambda: end.search(output.read_text()), "the end of the trace")
    counts, found = collections.Counter(), []
    for line in output.read_text().splitlines():
        match = LINE.match(line)
        if not match:
            continue
        thread, call, arguments = match.groups()
        paths = [one or other for one, other in PATH.findall(arguments)]
        counts[thread, call, None] += 1
        for path in paths[:1]:
            counts[thread, call, path] += 1
            if path == str(data) or path.startswith(f"{data}/"):
                found.append(_boundary(counts, thread, call, path, thread == main))
    return found


def _boundary(counts, thread, call, path, is_main):
    has_random_name = re.search(r"(keys\.json|admin-token)\.\w+$", path)
    known = None if has_random_name else path
    return Boundary(call, known, counts[thread, call, known], is_main)


def reachable(boundaries):
    """One of each: of two threads with the same count, only the quicker can be stopped there."""
    first = {}
    for boundary in boundaries:
        first.setdefault(boundary[:3], boundary)
    return list(first.values())


def sample(boundaries, count):
    """At least one of each call on each kind of file, and the others evenly."""
    firsts = {(b.call, _kind(b.path)): b for b in reversed(boundaries)}
    chosen = set(firsts.values())
    rest = [b for b in boundaries if b not in chosen]
    more = max(0, count - len(chosen))
    chosen.update(rest[i * len(rest) // more] for i in range(min(more, len(rest))))
    return [b for b in boundaries if b in chosen]


def _kind(path):
    """Snapshots are alike, and so is all of the history."""
    name = str(path).rsplit("/", 1)[-1]
    return name if name.startswith("ledger") else re.sub(r"^(history)\..*|^[\d-]+", r"\1", name)


def failures(output):
    """How many calls were made to fail so far."""
    return output.read_text().count("(INJECTED)") if output.exists() else 0
