#!/usr/bin/env python3
"""scripts/install-packages on machines that are in order, and on those that are not."""

import unittest

from stage import ROOT, Stage

LIST = """# A comment.
run         g++             # Compiles.
run         cmake cmake     # Configures.
test,bench  redis-server    # Is talked to.
check       clang-tidy      # Complains.
"""
INSTALLED = 'for package in "${@:3}"; do case "$package" in %s) echo "installed $package";; esac; done'
DONE = 'echo "0 upgraded, 7 newly installed, 0 to remove."; echo "Need to get 12.5 MB of archives."'
UPDATED = 'echo "Get:1 http://mirror bookworm InRelease [151 kB]"'
NO_LISTS = 'echo "E: Unable to locate package g++"; exit 100'
LOCKED = """echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (apt-get)"
echo "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?"
exit 100"""


class InstallPackages(unittest.TestCase):
    def setUp(self):
        self.stage = Stage(self, "install-packages")
        self.list(LIST)
        self.stage.double("id", "echo 0")
        self.stage.double("dpkg-query", INSTALLED % "none")
        self.stage.double("dpkg", "")
        self.stage.double("apt-get", DONE)

    def list(self, text):
        (self.stage.folder / "scripts/packages.txt").write_text(text)

    def install(self, *purposes, **variables):
        return self.stage.run("install-packages", *purposes, **variables)

    def verbs(self):
        """What apt was asked to do, without options and packages."""
        words = {"install", "update", "--fix-broken"}
        return [" ".join(word for word in call.split() if word in words) for call in self.stage.calls("apt-get")]

    def expect_one_line(self, process, *texts):
        self.assertEqual(process.returncode, 1, process.errors)
        self.assertEqual(len(process.errors.splitlines()), 1, process.errors)
        for text in texts:
            self.assertIn(text, process.errors)

    def test_without_a_purpose_it_lists_the_purposes(self):
        done = self.install()
        self.assertEqual(done.returncode, 2)
        for purpose in "run test long peers check bench dist".split():
            self.assertIn(purpose, done.errors)

    def test_an_unknown_purpose_is_refused(self):
        self.expect_one_line(self.install("run", "fly"), "no purpose 'fly'")

    def test_a_list_with_an_unknown_purpose_is_refused(self):
        self.list(LIST + "run,tset  gdb  # Looks.\n")
        self.expect_one_line(self.install("run"), "packages.txt:6", "no purpose 'tset'")

    def test_a_list_with_a_line_of_another_form_is_refused(self):
        for line in ("gdb", "run gdb", "run gdb gdb gdb # Looks.", "run # Looks."):
            self.list(LIST + line + "\n")
            self.expect_one_line(self.install("check"), "packages.txt:6")

    def test_the_list_of_the_tree_is_well_formed(self):
        self.list((ROOT / "scripts/packages.txt").read_text())
        self.stage.double("dpkg-query", INSTALLED % "*")
        self.assertEqual(self.install("run").errors, "")

    def test_says_nothing_when_nothing_is_missing(self):
        self.stage.double("dpkg-query", INSTALLED % "g++'|'cmake".replace("'", ""))
        done = self.install("run")
        self.assertEqual((done.returncode, done.output, done.errors), (0, "", ""))
        self.assertEqual(self.stage.calls("apt-get"), [])

    def test_installs_the_asked_purposes_only(self):
        self.assertEqual(self.install("run", "bench").returncode, 0)
        (call,) = self.stage.calls("apt-get")
        self.assertTrue(call.endswith("install g++ cmake redis-server"), call)
        self.assertIn("--no-install-recommends", call)
        self.assertIn("--no-remove", call)

    def test_a_command_from_elsewhere_makes_its_package_unnecessary(self):
        self.stage.double("cmake", "")
        self.install("run")
        self.assertTrue(self.stage.calls("apt-get")[0].endswith("install g++"))

    def test_a_package_that_is_only_half_there_is_missing(self):
        self.stage.double("dpkg-query", 'echo "half-configured g++"; echo "config-files cmake"')
        self.install("run")
        self.assertTrue(self.stage.calls("apt-get")[0].endswith("install g++ cmake"))

    def test_says_what_it_installs_and_how_long_it_took(self):
        done = self.install("run")
        self.assertIn("installing 2", done.output)
        self.assertRegex(done.output, r"packages: done, 7 newly installed, 12.5 MB, in \d+ s\n$")

    def test_neither_root_nor_sudo(self):
        self.stage.double("id", "echo 1000")
        done = self.install("run")
        self.expect_one_line(done, "neither root nor sudo", "apt-get install --no-install-recommends g++ cmake")
        self.assertEqual(done.output, "")
        self.assertEqual(self.stage.calls("apt-get"), [])

    def test_sudo_wants_a_password_and_there_is_no_terminal(self):
        self.stage.double("id", "echo 1000")
        self.stage.double("sudo", 'echo "sudo: a password is required" >&2; exit 1')
        self.expect_one_line(self.install("run"), "password", "run: sudo apt-get install", "g++ cmake")

    def test_sudo_without_a_password_installs(self):
        self.stage.double("id", "echo 1000")
        self.stage.double("sudo", '[ "$1" = -n ] && shift; exec "$@"')
        self.assertEqual(self.install("run").returncode, 0)
        self.assertEqual(self.verbs(), ["install"])

    def test_no_apt(self):
        (self.stage.programs / "apt-get").unlink()
        self.expect_one_line(self.install("run"), "no apt", "g++ cmake", "ANTEROOM_SKIP_PACKAGES=1")

    def test_a_prepared_machine_is_left_alone(self):
        self.assertEqual(self.install("run", ANTEROOM_SKIP_PACKAGES="1").returncode, 0)
        self.assertEqual(self.stage.calls(), [])

    def test_package_lists_are_fetched_only_when_they_are_needed(self):
        self.stage.double("apt-get", NO_LISTS, UPDATED, DONE)
        self.assertEqual(self.install("run").returncode, 0)
        self.assertEqual(self.verbs(), ["install", "update", "install"])

    def test_old_package_lists_are_fetched_again(self):
        self.stage.double("apt-get", 'echo "E: Failed to fetch http://mirror/g++.deb  404  Not Found"; exit 100', UPDATED, DONE)
        self.assertEqual(self.install("run").returncode, 0)
        self.assertEqual(self.verbs(), ["install", "update", "install"])

    def test_no_network(self):
        update = """echo "W: Failed to fetch http://mirror/InRelease  Temporary failure resolving 'mirror'"
echo "W: Some index files failed to download." """
        self.stage.double("apt-get", NO_LISTS, update)
        self.expect_one_line(self.install("run"), "g++ cmake", "Temporary failure resolving 'mirror'",
                             "log: build/install-packages.log")  # fmt: skip
        self.assertIn("Some index files", (self.stage.folder / "build/install-packages.log").read_text())
        self.assertEqual(self.verbs(), ["install", "update"])

    def test_one_server_of_several_cannot_be_reached(self):
        self.stage.double("apt-get", NO_LISTS, UPDATED + '; echo "W: Failed to fetch http://other/InRelease  Refused"', DONE)
        self.assertEqual(self.install("run").returncode, 0)
        self.stage.double("apt-get", *[NO_LISTS] * 3, NO_LISTS, UPDATED + '; echo "W: Failed to fetch http://other/InRelease  Refused"', NO_LISTS)
        self.expect_one_line(self.install("run"), "Failed to fetch http://other/InRelease  Refused")

    def test_no_space_left(self):
        reason = "E: You don't have enough free space in /var/cache/apt/archives/."
        self.stage.double("apt-get", f'echo "{reason}"; exit 100')
        self.expect_one_line(self.install("run"), reason.removeprefix("E: "))
        self.assertEqual(self.verbs(), ["install"])

    def test_a_package_that_cannot_be_configured_is_named(self):
        self.stage.double("apt-get", """echo "dpkg: error processing package redis-server (--configure):"
echo " installed redis-server package post-installation script subprocess returned error exit status 1"
echo "E: Sub-process /usr/bin/dpkg returned an error code (1)"; exit 100""")
        self.expect_one_line(self.install("run"), "redis-server", "post-installation script")

    def test_a_silent_failure_is_still_a_line(self):
        self.stage.double("apt-get", "exit 100")
        self.expect_one_line(self.install("run"), "g++ cmake", "without a word")

    def test_an_interrupted_dpkg_is_finished(self):
        interrupted = "echo \"E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem.\"; exit 100"
        self.stage.double("apt-get", interrupted, DONE)
        done = self.install("run")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn("dpkg --configure -a", done.output)
        self.assertEqual(len(self.stage.calls("dpkg --")), 1)

    def test_a_dpkg_that_stays_interrupted_is_a_line(self):
        interrupted = "echo \"E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem.\"; exit 100"
        self.stage.double("apt-get", interrupted)
        self.expect_one_line(self.install("run"), "dpkg was interrupted")

    def test_broken_dependencies_are_repaired(self):
        broken = "echo \"E: Unmet dependencies. Try 'apt --fix-broken install' with no packages (or specify a solution).\"; exit 100"
        self.stage.double("apt-get", broken, DONE, DONE)
        done = self.install("run")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertEqual(self.verbs(), ["install", "install --fix-broken", "install"])

    def test_broken_dependencies_that_stay_are_a_line(self):
        broken = "echo \"E: Unmet dependencies. Try 'apt --fix-broken install' with no packages (or specify a solution).\"; exit 100"
        self.stage.double("apt-get", broken)
        self.expect_one_line(self.install("run"), "Unmet dependencies")

    def test_waits_for_another_package_manager_and_says_so(self):
        self.stage.double("apt-get", LOCKED, DONE)
        done = self.install("run")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn("waiting", done.output)
        self.assertIn("process 4711 (apt-get)", done.output)
        self.assertEqual(self.verbs(), ["install", "install"])

    def test_does_not_wait_for_ever(self):
        self.stage.double("apt-get", LOCKED)
        self.expect_one_line(self.install("run", ANTEROOM_APT_PATIENCE="0"), "process 4711 (apt-get)")

    def test_a_build_folder_that_cannot_be_written(self):
        (self.stage.folder / "build").write_text("no folder")
        self.stage.double("apt-get", 'echo "E: Broken pipe"; exit 100')
        done = self.install("run")
        self.assertIn("build/ cannot be written", done.output)
        self.expect_one_line(done, "Broken pipe", str(self.stage.folder / "temporary"))


if __name__ == "__main__":
    unittest.main()
