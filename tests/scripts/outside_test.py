#!/usr/bin/env python3
"""bench/outside: which tables of systems it takes, what it refuses, and what it understands of answers."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTSIDE = ROOT / "bench/outside"
sys.path[:0] = [str(OUTSIDE), str(ROOT / "bench/http_bench")]

import description  # noqa: E402
from answers import Answer  # noqa: E402
from description import DescriptionError, Reader, Value, loopback_address  # noqa: E402
from load import visitor  # noqa: E402
from processes import BenchError  # noqa: E402
from report import Figures  # noqa: E402
from system import System  # noqa: E402

RUNNING = """
name = "other"
address = "127.0.0.1:9"
pids = [4711]
[join]
method = "POST"
path = "/join"
body = '{"id":"{visitor}"}'
ticket = "json:token"
state = "json:state"
[poll]
path = "/poll/{ticket}"
state = "json:state"
[states]
inside = ["in"]
"""
# A waiting room of one answer: the process that it is, and what it was told.
DOUBLE = """
import http.server, json, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, {"state": "waiting", "pid": os.getpid(), "path": self.path})
    def do_PUT(self):
        with open("tries", "a+") as file:
            file.write("x")
            file.seek(0)
            is_early = len(file.read()) < 3
        self.answer(503 if is_early else 200, {})
    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(429 if said["id"] == "too-many" else 201, {"token": "t-" + said["id"], "state": "waiting"})
    def answer(self, status, body):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())
    def log_message(self, *_):
        pass

with open(sys.argv[2]) as file:
    assert file.read() == "port " + sys.argv[1]
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
STARTED = """
name = "other"
[[process]]
name = "web"
command = ["%s", "{build}/double.py", "{port}", "{folder}/settings"]
ready = "/"
files = { settings = "port {port.web}" }
[[prepare]]
method = "PUT"
path = "/rooms/{room}?capacity={capacity}"
"""


def read(text):
    return Reader("other.toml").read(tomllib.loads(text))


class Tables(unittest.TestCase):
    def refused(self, text, *parts):
        with self.assertRaises(DescriptionError) as caught:
            read(text)
        for part in ("other.toml", *parts):
            self.assertIn(part, str(caught.exception))
        self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def test_takes_a_system_that_runs(self):
        found = read(RUNNING)
        self.assertFalse(found.is_startable)
        self.assertEqual((found.through, found.pids), ((("127.0.0.1", 9),), (4711,)))
        self.assertEqual(found.requests["join"].values["ticket"], Value("json", "token"))

    def test_takes_our_own(self):
        for name in ("anteroom.toml", "anteroom_redis.toml"):
            found = description.load(OUTSIDE / name)
            self.assertTrue({"join", "poll", "leave", "finish", "room", "stream"} <= set(found.requests))
            self.assertTrue(found.inside and found.gone)
        self.assertEqual(found.through, ("one", "two"))

    def test_takes_the_example_of_the_document(self):
        (example,) = re.findall(r"```toml\n(.*?)```", (ROOT / "bench/peers.md").read_text(), re.DOTALL)
        found = read(example)
        self.assertEqual([process.counts for process in found.processes], [False, True])
        self.assertEqual(found.through, ("web",))

    def test_refuses_unknown_keys_wherever_they_are(self):
        self.refused('colour = "red"\n' + RUNNING, "colour: unknown", "there are", "address")
        self.refused(RUNNING.replace('ticket = "json:token"', 'tiket = "json:token"'), "join.tiket: unknown", "ticket")
        self.refused(RUNNING + 'outside = ["x"]\n', "states.outside: unknown")
        self.refused(STARTED % "x" + 'ports = "x"\n', "prepare 1.ports: unknown")

    def test_refuses_what_is_not_on_loopback(self):
        for address in ("192.0.2.1:80", "0.0.0.0:80", "[2001:db8::1]:80", "10.0.0.1:8080"):
            self.refused(RUNNING.replace("127.0.0.1:9", address), "address", "not on loopback")
        for address in ("localhost:80", "shop.example:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:x", "127.0.0.1:65536", ""):
            self.refused(RUNNING.replace("127.0.0.1:9", address), "address")
        self.assertEqual(loopback_address("here", "[::1]:80"), ("::1", 80))
        self.assertEqual(loopback_address("here", "127.9.9.9:1"), ("127.9.9.9", 1))

    def test_a_path_cannot_lead_elsewhere(self):
        for path in ("http://192.0.2.1/join", "join", ""):
            self.refused(RUNNING.replace('"/join"', f'"{path}"'), "join.path", "must begin with /")

    def test_a_request_cannot_smuggle_another_one(self):
        self.refused(RUNNING.replace('"/join"', '"/join\\r\\nHost: elsewhere"'), "join", "cannot be in the head")
        self.refused(RUNNING.replace('method = "POST"', 'headers = { A = "b\\nC: d" }'), "join", "cannot be in the head")

    def test_refuses_what_is_missing(self):
        self.refused(RUNNING.replace("pids = [4711]", ""), "pids: is missing")
        self.refused(RUNNING.replace('address = "127.0.0.1:9"', ""), "address: is missing")
        self.refused(RUNNING.replace('ticket = "json:token"', ""), "join.ticket: is missing")
        self.refused(RUNNING.replace('[states]\ninside = ["in"]', ""), "states: is missing")
        self.refused(RUNNING.replace('inside = ["in"]', ""), "states.inside: is missing")
        self.refused(RUNNING.split("[poll]")[0] + '[states]\ninside = ["in"]', "poll: is missing")

    def test_refuses_wrong_types_and_words(self):
        self.refused(RUNNING.replace("[4711]", '["4711"]'), "pids")
        self.refused(RUNNING.replace("[4711]", "[1]"), "pids")
        self.refused(RUNNING.replace('"other"', '"Other Queue"'), "name")
        self.refused(RUNNING.replace('"POST"', '"STEAL"'), "join.method", "STEAL")
        self.refused(RUNNING.replace('"json:token"', '"xml:token"'), "join.ticket", "xml:token")
        self.refused(RUNNING.replace('"json:token"', '"json:"'), "join.ticket")
        self.refused(RUNNING.replace('"json:token"', "7"), "join.ticket", "must be a text")

    def test_refuses_unknown_placeholders(self):
        self.refused(RUNNING.replace("{visitor}", "{person}"), "join", "{person}", "visitor")
        self.refused(RUNNING.replace('"/join"', '"/join/{ticket}"'), "join", "{ticket}")  # There is none yet.
        self.refused((STARTED % "x").replace("{port.web}", "{port.db}"), "process web", "{port.db}")

    def test_refuses_processes_beside_an_address(self):
        table = STARTED % "x" + RUNNING.split("[join]")[1].join(["[join]", ""])
        self.assertTrue(read(table).is_startable)
        self.refused('address = "127.0.0.1:9"\n' + table, "address", "runs already")
        self.refused("pids = [4711]\n" + table, "pids", "runs already")
        self.refused('through = ["db"]\n' + table, "through", "db")
        self.refused(table.replace('name = "web"', 'name = "../web"'), "process")
        self.refused(table.replace("files = { settings", 'files = { "../settings"'), "files", "without a folder")

    def test_a_file_that_is_no_table(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "broken.toml"
            for content in (b"name = ", b"\xff\xfe"):
                file.write_bytes(content)
                with self.assertRaisesRegex(DescriptionError, "broken.toml"):
                    description.load(file)
            with self.assertRaisesRegex(DescriptionError, "none.toml: No such file"):
                description.load(file.with_name("none.toml"))

    def test_writes_requests(self):
        wire = read(RUNNING).requests["join"].wire("127.0.0.1:9", visitor="ann")
        head, body = wire.split(b"\r\n\r\n")
        self.assertEqual(body, b'{"id":"ann"}')
        self.assertEqual(head.split(b"\r\n"), [b"POST /join HTTP/1.1", b"Host: 127.0.0.1:9", b"Content-Length: 12"])

    def test_names_have_36_characters_and_are_different(self):
        names = {visitor(number) for number in (*range(1000), 599_999, 9_999_999)}
        self.assertEqual(len(names), 1002)
        self.assertEqual({len(name) for name in names}, {36})


class Answers(unittest.TestCase):
    def test_finds_values(self):
        answer = Answer.parse(
            b"HTTP/1.1 201 Created\r\nRetry-After: 5\r\nSet-Cookie: other=1\r\nset-cookie: entry=abc; Path=/; HttpOnly\r\n\r\n"
            b'{"entry":{"place":[7,8],"state":"in","none":null}}'
        )
        for where, wanted in (("json:entry.state", "in"), ("json:entry.place.1", "8"), ("json:entry.place.2", None),
                              ("json:entry.none", None), ("json:entry.state.x", None), ("header:retry-after", "5"),
                              ("header:x", None), ("cookie:entry", "abc"), ("cookie:x", None), ("status", "201"),
                              ("visitor", "ann")):  # fmt: skip
            self.assertEqual(answer.value(Value.parse("here", where), "ann"), wanted, where)
        self.assertTrue(answer.is_good)

    def test_an_answer_that_is_not_json_is_named(self):
        with self.assertRaisesRegex(BenchError, "not JSON: 200 <html>"):
            Answer.parse(b"HTTP/1.1 200 OK\r\n\r\n<html>").value(Value("json", "a"))


class Systems(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="outside-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "double.py").write_text(DOUBLE)
        self.table = STARTED % sys.executable + RUNNING.split("[join]")[1].join(["[join]", ""])

    def system(self, table):
        return System(read(table), self.folder, self.folder / "run", capacity=3)

    def test_starts_asks_kills_and_starts_again(self):
        with self.system(self.table) as system:
            self.assertEqual((self.folder / "run/tries").read_text(), "xxx")  # Prepared, although it said "later" twice.
            join, poll = system.request("join"), system.request("poll")
            ticket = system.ask(join, visitor="ann").value(join.values["ticket"])
            self.assertEqual(ticket, "t-ann")
            with self.assertRaisesRegex(BenchError, "other: POST /join is answered with 429"):
                system.ask(join, visitor="too-many")
            first = int(system.ask(poll, ticket=ticket).value(Value("json", "pid")))
            self.assertEqual(system.pids(), [first])
            self.assertGreater(system.resident_bytes(), 1_000_000)
            self.assertGreater(system.cpu_seconds(), 0)
            system.kill()
            with self.assertRaisesRegex(BenchError, "other: GET"):
                system.ask(poll, ticket=ticket)
            system.start()
            second = int(system.ask(poll, ticket=ticket).value(Value("json", "pid")))
            self.assertNotEqual(first, second)
        for pid in (first, second):
            self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())
        self.assertFalse((self.folder / "run").exists())

    def test_a_process_that_ends_is_told_with_its_last_words(self):
        (self.folder / "double.py").write_text("import sys; sys.exit('no licence')")
        with self.assertRaisesRegex(BenchError, "other: web ended with 1: no licence"):
            self.system(self.table).__enter__()

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(BenchError, "no-such-program: No such file"):
            self.system(self.table.replace(sys.executable, "no-such-program")).__enter__()


class Program(unittest.TestCase):
    def run_outside(self, *words):
        return subprocess.run([sys.executable, OUTSIDE, *words], capture_output=True, text=True, timeout=60, check=False)

    def test_a_bad_table_is_one_line_and_nothing_is_started(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bad.toml"
            file.write_text(RUNNING.replace("127.0.0.1:9", "192.0.2.1:80"))
            done = self.run_outside(file)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "outside: bad.toml: address: 192.0.2.1:80 is not on loopback; nothing else is asked\n")

    def test_bounds_of_options(self):
        for words in (("--visitors", "10000001"), ("--silent", "0"), ("--patience", "3601"), ("--only", "x")):
            self.assertEqual(self.run_outside(*words).returncode, 2, words)

    def refused(self, table, *words):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "other.toml"
            file.write_text(table)
            done = self.run_outside(*words, file)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (1, "", 1), done.stderr)
        return done.stderr

    def test_what_cannot_be_measured_is_said_before_anything_is_started(self):
        self.assertIn("[finish] or [leave]", self.refused(RUNNING, "--only", "phone"))
        self.assertIn("is not killed", self.refused(RUNNING, "--only", "loss"))
        can_leave = RUNNING + '[leave]\npath = "/leave"\n'
        self.assertIn("one cell, at a time", self.refused(can_leave, "--only", "silent-head"))

    def test_two_systems_of_one_name(self):
        done = self.run_outside(OUTSIDE / "anteroom.toml", OUTSIDE / "anteroom.toml")
        self.assertEqual((done.returncode, done.stderr), (1, "outside: two descriptions have the same name\n"))


class Tabulated(unittest.TestCase):
    def test_says_what_is_over_and_what_never_happened(self):
        figures = Figures()
        figures.add("a", "told_s", 1.5, "s", at_most=2)
        figures.add("b", "told_s", 2.5, "s", at_most=2)
        figures.add("a", "called_s", None, "s", at_most=2)
        head, told, called = (line.split() for line in figures.table().splitlines())
        self.assertEqual(head, ["name", "a", "b", "unit"])
        self.assertEqual(told, ["told_s", "1.50", "2.50", "over", "s"])
        self.assertEqual(called, ["called_s", "never", "over", "-", "s"])

    def test_tabulates_silent_visitors_by_number_capacity_and_system(self):
        figures = Figures()
        self.assertEqual(figures.silent_table(), "")
        for capacity, silent in ((50, 20), (1, 1000), (1, 20)):
            figures.add("a", f"silent_{capacity}_{silent}_poll_called_s", capacity / 50, "s", at_most=0.5)
        rows = [line.strip("| ").split(" | ") for line in figures.silent_table().splitlines()[2:]]
        self.assertEqual(rows, [["20", "1", "a", "0.02", "-", "-"], ["20", "50", "a", "1 over", "-", "-"],
                                ["1,000", "1", "a", "0.02", "-", "-"]])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
