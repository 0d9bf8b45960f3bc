#!/usr/bin/env python3
"""Where scripts/fresh-machine gets its Debian: every way in which a machine writes down its apt sources."""

import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from apt_settings import AptSettings, SettingsError, deb822_sources, one_line_sources  # noqa: E402

DEB822 = """# Written by an installer.
Types: deb deb-src
# A comment between fields.
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates bookworm-backports
Components: main contrib
Signed-By: /usr/share/keyrings/mirror.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://tools.example/apt
Suites: stable
Components: main
"""
ONE_LINE = """# deb http://off.example/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/mirror.gpg] https://mirror.example/debian bookworm main # Here.
deb-src http://mirror.example/debian bookworm main
deb http://mirror.example/debian bookworm contrib
deb [trusted=yes] http://own.example/debian bookworm-updates main
"""


class Sources(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="apt-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_reads_deb822(self):
        settings = AptSettings(deb822_sources(DEB822), {})
        self.assertEqual([(source.uri, source.suites) for source in settings.sources],
                         [("http://mirror.example/debian", ("bookworm", "bookworm-updates")),
                          ("http://mirror.example/debian-security", ("bookworm-security",))])  # fmt: skip
        self.assertEqual(settings.mirror(), "http://mirror.example/debian")
        self.assertFalse(settings.needs_certificates())

    def test_reads_lines(self):
        settings = AptSettings(one_line_sources(ONE_LINE), {})
        self.assertEqual([(source.uri, source.signed_by, source.is_trusted) for source in settings.sources],
                         [("https://mirror.example/debian", "/usr/share/keyrings/mirror.gpg", False),
                          ("http://own.example/debian", "", True)])  # fmt: skip
        self.assertTrue(settings.needs_certificates())

    def test_a_list_of_mirrors_gives_the_first(self):
        mirrors = self.folder / "mirrors"
        mirrors.write_text("# Ours.\nhttp://first.example/debian\tpriority:1\nhttp://second.example/debian\n")
        settings = AptSettings(one_line_sources(f"deb mirror+file:{mirrors} bookworm main"), {})
        self.assertEqual(settings.mirror(), "http://first.example/debian")

    def test_a_machine_without_debian_12_is_refused(self):
        for line in ("deb http://mirror.example/debian trixie main", "deb cdrom:[Debian]/ bookworm main", ""):
            with self.assertRaisesRegex(SettingsError, "bookworm"):
                AptSettings(one_line_sources(line), {})

    def test_writes_what_apt_reads_back(self):
        key = self.folder / "key.gpg"
        key.write_text("key")
        settings = AptSettings(one_line_sources(f"deb [signed-by={key}] http://mirror.example/debian bookworm main"),
                               {"Acquire::http::Proxy": "http://proxy.example:3128"})  # fmt: skip
        tree = self.folder / "tree"
        for part in ("sources.list.d", "apt.conf.d"):
            (tree / "etc/apt" / part).mkdir(parents=True)
        settings.write_into(tree)
        again = AptSettings(deb822_sources((tree / "etc/apt/sources.list.d/debian.sources").read_text()), {})
        self.assertEqual(again.sources, settings.sources)
        self.assertEqual((tree / str(key).lstrip("/")).read_text(), "key")
        self.assertEqual((tree / "etc/apt/apt.conf.d/50proxy").read_text(),
                         'Acquire::http::Proxy "http://proxy.example:3128";\n')  # fmt: skip
        self.assertEqual(settings.proxy_environment(), {"http_proxy": "http://proxy.example:3128"})


if __name__ == "__main__":
    unittest.main()
