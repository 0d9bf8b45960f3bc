#!/usr/bin/env python3
"""scripts/build before a compiler runs: an old CMake, a folder that cannot be written, two builds at once."""

import os
import unittest

from stage import Stage

NOT_FOUND = "GTest_DIR:PATH=GTest_DIR-NOTFOUND\n"
FOUND = "GTest_DIR:PATH=/usr/lib/cmake/GTest\n"


def cmake(version="3.25.1", configure="", build=""):
    return f"""case "$1" in
--version) echo "cmake version {version}"; echo; echo "CMake suite maintained and supported by Kitware";;
--preset) mkdir -p build/$2; echo rules >build/$2/build.ninja; {configure};;
--build) {build};;
esac"""


class Build(unittest.TestCase):
    def setUp(self):
        self.stage = Stage(self, "build")
        (self.stage.folder / "CMakePresets.json").write_text("{}")
        os.utime(self.stage.folder / "CMakePresets.json", (1, 1))
        self.release = self.stage.folder / "build/release"
        self.stage.double("cmake", cmake())

    def build(self, *words):
        return self.stage.run("build", *words)

    def steps(self):
        return [call.split()[1] for call in self.stage.calls("cmake") if "--version" not in call]

    def configured(self, cache):
        self.release.mkdir(parents=True)
        (self.release / "CMakeCache.txt").write_text(cache)
        (self.release / "build.ninja").write_text("rules\n")

    def expect_one_line(self, process, *texts):
        self.assertEqual(process.returncode, 1, process.errors)
        self.assertEqual(len(process.errors.splitlines()), 1, process.errors)
        for text in texts:
            self.assertIn(text, process.errors)

    def test_configures_once_and_builds_the_targets(self):
        self.stage.double("cmake", cmake(configure=f"printf '{FOUND}' >build/$2/CMakeCache.txt"))
        self.assertEqual(self.build("release", "one", "two").returncode, 0)
        self.assertEqual(self.build("release").returncode, 0)
        self.assertEqual(self.steps(), ["--preset", "--build", "--build"])
        self.assertIn("--target one two", self.stage.calls("cmake --build")[0])
        self.assertNotIn("--target", self.stage.calls("cmake --build")[1])

    def test_new_presets_are_configured_again(self):
        self.configured(FOUND)
        os.utime(self.release / "build.ninja", (0, 0))
        self.build("release")
        self.assertEqual(self.steps(), ["--preset", "--build"])

    def test_without_googletest_programs_are_built_as_they_are_configured(self):
        self.configured(NOT_FOUND)
        self.build("release", "anteroom", "anteroom-bench-sse-clients")
        self.assertEqual(self.steps(), ["--build"])

    def test_without_googletest_anything_else_is_configured_again(self):
        self.configured(NOT_FOUND)
        self.build("release")
        self.build("release", "anteroom", "anteroom_api_testing")
        self.assertEqual(self.steps(), ["--preset", "--build", "--preset", "--build"])

    def test_the_exit_code_is_that_of_the_build(self):
        self.stage.double("cmake", cmake(build="exit 3"))
        self.assertEqual(self.build("release").returncode, 3)

    def test_an_older_cmake(self):
        for version in ("3.24.9", "3.5.0", "2.8"):
            self.stage.double("cmake", cmake(version))
            self.expect_one_line(self.build("release"), "needs CMake 3.25 or newer", f"has {version}")
        self.assertEqual(self.steps(), [])

    def test_a_newer_cmake(self):
        for version in ("3.25.0", "3.100.0", "4.0.1"):
            self.stage.double("cmake", cmake(version))
            self.assertEqual(self.build("release").returncode, 0)

    def test_no_cmake(self):
        (self.stage.programs / "cmake").unlink()
        self.expect_one_line(self.build("release"), "cmake is missing")

    def test_no_preset(self):
        self.expect_one_line(self.build(), "usage")

    def test_a_build_folder_that_cannot_be_made(self):
        (self.stage.folder / "build").write_text("no folder")
        self.expect_one_line(self.build("release"), "build/release cannot be written")
        self.assertEqual(self.steps(), [])

    def test_a_full_disk(self):
        self.stage.double("head", 'echo "head: error writing: No space left on device" >&2; exit 1')
        self.expect_one_line(self.build("release"), "build/release cannot be written: No space left on device")
        self.assertEqual(self.steps(), [])

    def test_a_disk_that_becomes_full(self):
        self.stage.double("head", 'exec cat', 'echo "head: error writing: No space left on device" >&2; exit 1')
        self.stage.double("cmake", cmake(build="exit 1"))
        self.expect_one_line(self.build("release"), "cannot be written any more", "free")

    def test_a_second_build_waits_for_the_first(self):
        go_on = self.stage.folder / "go_on"
        os.mkfifo(go_on)
        self.stage.double("cmake", cmake(build=f'read -r _ <"{go_on}"'))
        first = self.stage.start("build", "release")
        with go_on.open("w") as word:  # Opens when the first build reads.
            second = self.stage.start("build", "release")
            line = second.stdout.readline()
            self.assertEqual(line, f"build: build/release is being built by process {first.pid}; waiting …\n")
            self.assertEqual(self.steps().count("--build"), 1)
            word.write("go\n")
        first.communicate(timeout=60)
        with go_on.open("w") as word:
            word.write("go\n")
        second.communicate(timeout=60)
        self.assertEqual((first.returncode, second.returncode), (0, 0))

    def test_builds_of_two_folders_do_not_wait(self):
        go_on = self.stage.folder / "go_on"
        os.mkfifo(go_on)
        self.stage.double("cmake", cmake(build=f'[ "$2" != build/release ] || read -r _ <"{go_on}"'))
        first = self.stage.start("build", "release")
        with go_on.open("w") as word:
            self.assertEqual(self.build("dev").output, "")
            word.write("go\n")
        first.communicate(timeout=60)
        self.assertEqual(first.returncode, 0)


if __name__ == "__main__":
    unittest.main()
