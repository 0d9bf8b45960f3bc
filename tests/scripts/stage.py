"""A folder with a copy of a script and a path of its own: doubles of the programs that must not run, links to the others."""

import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("awk bash cat chmod cut df dirname env flock grep head mkdir mktemp nproc paste printf rm sed sleep sort tail tr true").split()


class Stage:
    def __init__(self, test, *scripts):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stage-"))
        test.addCleanup(shutil.rmtree, self.folder)
        self.programs = self.folder / "programs"
        (self.folder / "temporary").mkdir()
        (self.folder / "scripts").mkdir()
        self.programs.mkdir()
        for script in scripts:
            shutil.copy(ROOT / "scripts" / script, self.folder / "scripts" / script)
        for tool in TOOLS:
            (self.programs / tool).symlink_to(shutil.which(tool))

    def double(self, name, *bodies):
        """A program whose n-th call runs the n-th body, the last one again and again; calls() lists its arguments."""
        for number, body in enumerate(bodies, 1):
            (self.folder / f"{name}.{number}").write_text(body)
        double = self.programs / name
        double.unlink(missing_ok=True)
        double.write_text(
            f"#!/usr/bin/env bash\n"
            f'printf "%s\\n" "{name} $*" >>"{self.folder}/calls"\n'
            f'n=$(grep -c "^{name} " "{self.folder}/calls")\n'
            f"[ $n -le {len(bodies)} ] || n={len(bodies)}\n"
            f'. "{self.folder}/{name}.$n"\n'
        )
        double.chmod(0o755)

    def calls(self, name=""):
        file = self.folder / "calls"
        return [call for call in (file.read_text().splitlines() if file.exists() else []) if call.startswith(name)]

    def environment(self, variables):
        # The same for everybody: nothing of the caller's environment is seen.
        return {"PATH": str(self.programs), "TMPDIR": str(self.folder / "temporary"), "HOME": str(self.folder), **variables}

    def start(self, script, *words, **variables):
        return subprocess.Popen(
            [str(self.folder / "scripts" / script), *words], env=self.environment(variables), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=os.sep)  # fmt: skip

    def run(self, script, *words, **variables):
        process = self.start(script, *words, **variables)
        process.output, process.errors = process.communicate(timeout=60)
        return process
