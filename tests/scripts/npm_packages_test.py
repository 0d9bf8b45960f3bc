#!/usr/bin/env python3
"""scripts/npm-packages against a registry of its own: what it fetches, what it refuses."""

import base64
import hashlib
import http.server
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/npm-packages"


def archive(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def integrity(content):
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


class Registry(http.server.BaseHTTPRequestHandler):
    files, asked = {}, []

    def do_GET(self):
        self.asked.append(self.path)
        content = self.files.get(self.path)
        self.send_response(200 if content else 404)
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_):
        pass


class NpmPackages(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="npm-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
        threading.Thread(target=self.server.serve_forever).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.axe = archive({"package/axe.js": "axe", "package/lib/a.js": "a", "package/../../evil.js": "evil"})
        Registry.files = {"/axe/-/axe-1.2.3.tgz": self.axe, "/@org/box/-/box-4.0.0.tgz": archive({"box/index.js": "box"})}
        Registry.asked = []
        self.lock(integrity(self.axe))

    def lock(self, axe_integrity, version=3):
        box = integrity(Registry.files["/@org/box/-/box-4.0.0.tgz"])
        packages = {
            "": {"name": "tests"},
            "node_modules/axe": {"version": "1.2.3", "integrity": axe_integrity},
            "node_modules/@org/box": {"version": "4.0.0", "integrity": box},
            "node_modules/elsewhere": {"version": "1.0.0", "optional": True},
        }
        (self.folder / "package-lock.json").write_text(json.dumps({"lockfileVersion": version, "packages": packages}))

    def fetch(self, registry=None):
        address = registry or f"http://127.0.0.1:{self.server.server_address[1]}/"
        return subprocess.run([sys.executable, SCRIPT, self.folder], capture_output=True, text=True, timeout=60,
                              env={"npm_config_registry": address, "no_proxy": "*"})  # fmt: skip

    def expect_one_line(self, done, text):
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertFalse((self.folder / "node_modules/.npm-packages").exists())

    def test_fetches_what_the_lock_file_names(self):
        done = self.fetch()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        modules = self.folder / "node_modules"
        self.assertEqual((modules / "axe/axe.js").read_text(), "axe")
        self.assertEqual((modules / "axe/lib/a.js").read_text(), "a")
        self.assertEqual((modules / "@org/box/index.js").read_text(), "box")
        self.assertEqual(list(self.folder.rglob("evil.js")), [])

    def test_fetches_once_per_lock_file(self):
        self.fetch()
        self.fetch()
        self.assertEqual(len(Registry.asked), 2)
        self.axe = Registry.files["/axe/-/axe-1.2.3.tgz"] = archive({"package/new.js": "new"})
        self.lock(integrity(self.axe))
        self.fetch()
        self.assertFalse((self.folder / "node_modules/axe/axe.js").exists())
        self.assertTrue((self.folder / "node_modules/axe/new.js").exists())

    def test_refuses_another_archive_than_the_lock_file_names(self):
        self.lock(integrity(b"another"))
        self.expect_one_line(self.fetch(), "its sum is another one")

    def test_refuses_an_archive_without_a_sum(self):
        self.lock("")
        self.expect_one_line(self.fetch(), "its sum is another one")

    def test_a_package_that_is_gone(self):
        del Registry.files["/axe/-/axe-1.2.3.tgz"]
        self.expect_one_line(self.fetch(), "axe-1.2.3.tgz")

    def test_no_registry(self):
        self.expect_one_line(self.fetch("http://127.0.0.1:1"), "Connection refused")

    def test_another_form_of_lock_file(self):
        self.lock(integrity(self.axe), version=1)
        self.expect_one_line(self.fetch(), "only version 3")

    def test_no_lock_file(self):
        (self.folder / "package-lock.json").unlink()
        self.expect_one_line(self.fetch(), "No such file")


if __name__ == "__main__":
    unittest.main()
