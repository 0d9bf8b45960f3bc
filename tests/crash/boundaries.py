"""kill -9 at each call by which something gets onto the disk: in a first start, a story of commands, a checkpoint."""

import signal

from cases import Cases, expect
from scenes import NOT_REACHED_SHARE_MAX, Checkpoint, FirstStart, Telling
from strace import describe, injecting, sample

SHORT = {"first start": 8, "story": 26, "checkpoint": 3}
LONG = {"checkpoint": 60}  # Of thousands that are alike; of the others all.


def run(options):
    cases = Cases(options.only)
    scenes = (FirstStart(options), Telling(options), Checkpoint(options))
    summaries = [run_scene(scene, options, cases) for scene in scenes]
    cases.finish()
    return "; ".join(summaries)


def run_scene(scene, options, cases):
    def name(boundary):
        return f"{scene.name}, a kill at {describe(boundary, scene.data)}"

    everything = scene.boundaries()
    count = (LONG if options.long else SHORT).get(scene.name, len(everything))
    chosen = cases.choose(everything if options.only else sample(everything, count), name)
    not_reached = []
    for boundary in chosen:
        with cases.case(name(boundary)):
            story, end = scene.run(injecting(scene.trace, boundary, "signal=KILL"))
            expect(end.code in (0, -signal.SIGKILL), f"it ended with {end}")
            not_reached += [name(boundary)] if end.code == 0 else []
            scene.check(story)
    few = len(chosen) * NOT_REACHED_SHARE_MAX
    expect(len(not_reached) <= few, f"{len(not_reached)} of {len(chosen)} kills did not happen: {not_reached}")
    commands = f" of {scene.commands} commands" if scene.commands else ""
    return f"{scene.name}{commands}: {len(chosen) - len(not_reached)} kills at {len(everything)} boundaries"
