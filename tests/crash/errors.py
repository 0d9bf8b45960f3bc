"""Calls that fail: EIO ends the server, before anything more is acknowledged; ENOSPC only makes it wait."""

import os
import signal
import time

from cases import Cases, expect
from outage import Outage
from scenes import NOT_REACHED_SHARE_MAX, Checkpoint, Telling
from process import EXIT_DATA, wait_until
from server import Server
from story import tell_until_snapshot
from strace import Boundary, describe, failures, injecting, sample

FAILING = ("pwrite64", "write", "fdatasync", "fsync", "rename", "ftruncate")
SHORT = {"story": 14, "checkpoint": 3}
LONG = {"checkpoint": 30}  # Of thousands that are alike; of the others all.
RETRIES_PER_SECOND_MAX = 20
ENOSPC_FROM = 60  # The call on ledger.db-wal, some joins after the start.


def run(options):
    cases = Cases(options.only)
    summaries = [run_errors(scene, options, cases) for scene in (Telling(options), Checkpoint(options))]
    with cases.case("ENOSPC for a while"):
        refused = run_no_space(options)
        summaries.append(f"ENOSPC for a while: {refused} joins refused, then all is well")
    run_without_space_in_background(options, cases)
    cases.finish()
    return "; ".join(summaries)


def run_errors(scene, options, cases):
    def name(boundary):
        return f"{scene.name}, EIO at {describe(boundary, scene.data)}"

    everything = [b for b in scene.boundaries() if b.call in FAILING]
    count = (LONG if options.long else SHORT).get(scene.name, len(everything))
    chosen = cases.choose(everything if options.only else sample(everything, count), name)
    not_reached = 0
    for boundary in chosen:
        with cases.case(name(boundary)):
            story, end = scene.run(injecting(scene.trace, boundary, "error=EIO"))
            scene.check(story)
            if failures(scene.trace) == 0:
                not_reached += 1
                continue
            # The main thread writes at the start and at the end; then SQLite keeps what it cannot move.
            may_go_on = boundary.is_main and story.commands == scene.commands
            # SQLite ignores a failed sync of the folder; no answer waits for the history.
            may_go_on = may_go_on or (boundary.call, boundary.path) == ("fdatasync", str(scene.data))
            may_go_on = may_go_on or "/history.db" in str(boundary.path)
            expect(end.code == EXIT_DATA or (may_go_on and end.code == 0), f"it ended with {end}")
            expect(end.line or end.code == 0, "it ended without a line that says why")
    expect(not_reached <= len(chosen) * NOT_REACHED_SHARE_MAX, f"{not_reached} of {len(chosen)} errors did not happen")
    return f"{scene.name}: EIO at {len(chosen) - not_reached} of {len(everything)} calls"


def run_no_space(options):
    folder, trace = options.folder / "no-space", options.folder / "trace-no-space"
    wal = Boundary("pwrite64", folder / "data" / "ledger.db-wal", ENOSPC_FROM, False)

    with Server(options.anteroom, folder, injecting(trace, wal, "error=ENOSPC", until="+")) as server:
        outage = Outage(server)
        # Without its tracer the server goes on, and its calls work.
        refused = outage.endure(lambda: None, lambda: os.kill(tracer_of(server), signal.SIGTERM))
        server.kill()
    with Server(options.anteroom, folder) as server:
        outage.resume(server)
        server.stop()
    return refused


def run_without_space_in_background(options, cases):
    """A snapshot that cannot be entered into the ledger, facts that cannot be pruned: it waits, and can be stopped."""
    scene = Telling(options)
    everything = scene.boundaries()
    last_snapshot = max(i for i, b in enumerate(everything) if b.call == "rename")
    later = [b for b in everything[last_snapshot:] if (b.call, b.path) == ("pwrite64", f"{scene.data}/ledger.db-wal")]

    def play(story):
        tell_until_snapshot(story)
        wait_until(lambda: failures(scene.trace), "a call that fails")
        time.sleep(1)  # Long enough to see it try again and again.

    scene.play = play
    # Which of them meets the snapshot and which the pruning depends on the ticks before.
    for boundary in later[:6:2]:
        with cases.case(f"no space at {describe(boundary, scene.data)}"):
            begun = time.monotonic()
            story, end = scene.run(injecting(scene.trace, boundary, "error=ENOSPC", until="+"))
            seconds, attempts = time.monotonic() - begun, failures(scene.trace)
            expect(attempts < RETRIES_PER_SECOND_MAX * seconds, f"{attempts} attempts in {seconds:.1f} s")
            expect(end.code == 0, f"told to stop, it ended with {end}")
            scene.check(story)


def tracer_of(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        tracer = next(int(line.split()[1]) for line in status if line.startswith("TracerPid:"))
    expect(tracer != 0, "the tracer is gone")
    return tracer
