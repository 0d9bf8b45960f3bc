"""A waiting room as a table: how it is started, asked and understood. Whatever is wrong with the table is told in one line.

bench/peers.md has every key. Nothing that is not on loopback is ever asked: neither by mistake nor on purpose.
"""

import dataclasses
import ipaddress
import pathlib
import re
import tomllib

PLACEHOLDER = re.compile(r"\{([a-z_]+(?:\.[a-z_]+)?)\}")
# In requests, and in commands and files of processes (there also {port.NAME} of every process).
OF_REQUESTS = {"room", "visitor", "ticket", "capacity"}
OF_PROCESSES = {"build", "folder", "port"}
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
PROCESSES_MAX = 8
NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class DescriptionError(Exception):
    """One line that says where the table is wrong."""


def _refuse(where, what):
    raise DescriptionError(f"{where}: {what}")


@dataclasses.dataclass(frozen=True)
class Value:
    """Where something is said in an answer: json:PATH, header:NAME, cookie:NAME, status; or `visitor`: the id itself."""

    kind: str
    path: str

    KINDS = ("json", "header", "cookie")

    @classmethod
    def parse(cls, where, text):
        if text in ("visitor", "status"):
            return cls(text, "")
        kind, colon, path = text.partition(":")
        if not colon or kind not in cls.KINDS or not path:
            _refuse(where, f'"{text}" is neither json:PATH, header:NAME, cookie:NAME, status nor visitor')
        return cls(kind, path)


@dataclasses.dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict
    body: str
    values: dict  # ticket, state, position, number, poll_after, serving: to Value.
    event: str = ""  # Of a stream: the one that says "it is your turn".

    def wire(self, host, **words):
        """All its bytes."""
        body = fill(self.body, words).encode()
        lines = [f"{self.method} {fill(self.path, words)} HTTP/1.1", f"Host: {host}"]
        lines += [f"{name}: {fill(value, words)}" for name, value in self.headers.items()]
        if body or self.method in ("POST", "PUT", "PATCH"):
            lines.append(f"Content-Length: {len(body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


@dataclasses.dataclass(frozen=True)
class Process:
    name: str
    command: tuple
    files: dict
    environment: dict
    ready: str  # A path that is answered with less than 400; empty: the port takes connections.
    counts: bool  # Whether its CPU time and memory are the system's.


@dataclasses.dataclass(frozen=True)
class Description:
    name: str
    processes: tuple
    through: tuple  # Names of processes; or addresses, when it runs already.
    pids: tuple  # When it runs already.
    prepare: tuple
    requests: dict
    inside: frozenset
    gone: frozenset

    @property
    def is_startable(self):
        return bool(self.processes)


def fill(text, words):
    return PLACEHOLDER.sub(lambda found: str(words[found[1]]), text)


def load(path):
    path = pathlib.Path(path)
    try:
        table = tomllib.loads(path.read_text())
    except OSError as error:
        _refuse(path, error.strerror)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        _refuse(path, error)
    return Reader(path.name).read(table)


def loopback_address(where, text):
    """(host, port) of "127.0.0.1:8080" or "[::1]:8080". A name may be anybody's: only numbers are taken."""
    host, colon, port = text.rpartition(":")
    try:
        address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        _refuse(where, f'"{text}" is no address with a port, such as 127.0.0.1:8080')
    if not address.is_loopback:
        _refuse(where, f"{text} is not on loopback; nothing else is asked")
    if not colon or not port.isdigit() or not 0 < int(port) < 65536:
        _refuse(where, f'"{text}" has no port')
    return str(address), int(port)


class Reader:
    """Of one file; `file` is its name in messages."""

    TOP = {"name", "address", "pids", "through", "process", "prepare", "states", "join", "poll", "leave", "finish", "room",
           "stream"}  # fmt: skip
    VALUES = {
        "join": {"ticket", "state", "position", "number", "poll_after"},
        "poll": {"state", "position", "number", "poll_after"},
        "leave": set(),
        "finish": set(),
        "room": {"serving"},
        "stream": set(),
    }
    NEEDED = {"join": {"ticket", "state"}, "poll": {"state"}, "room": {"serving"}}

    def __init__(self, file):
        self.file = file

    def read(self, table):
        self.known(table, self.TOP, "")
        name = self.text(table, "name", "")
        if not NAME.fullmatch(name):
            _refuse(self.file, f'name: "{name}" is not made of a-z, 0-9 and _')
        processes = self.processes(table)
        return Description(
            name=name,
            processes=processes,
            through=self.through(table, processes),
            pids=self.pids(table, processes),
            prepare=tuple(self.prepare(table)),
            requests=self.requests(table),
            **self.states(table),
        )

    # Single things.

    def at(self, *path):
        return f"{self.file}: " + ".".join(str(part) for part in path if part != "")

    def known(self, table, names, where):
        for name in table:
            if name not in names:
                _refuse(self.at(where, name), f"unknown; there are {', '.join(sorted(names))}")

    def text(self, table, key, where, default=None):
        value = table.get(key, default)
        if value is None:
            _refuse(self.at(where, key), "is missing")
        if not isinstance(value, str):
            _refuse(self.at(where, key), "must be a text")
        return value

    def texts(self, table, key, where, default=()):
        value = table.get(key, list(default))
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            _refuse(self.at(where, key), "must be a list of texts")
        return tuple(value)

    def map(self, table, key, where):
        value = table.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
            _refuse(self.at(where, key), "must be a table of texts")
        return value

    def template(self, text, names, where):
        for found in PLACEHOLDER.finditer(text):
            if found[1] not in names:
                _refuse(where, f"unknown placeholder {found[0]}; there are {', '.join(sorted(names))}")
        return text

    # Parts.

    def processes(self, table):
        listed = table.get("process", [])
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            _refuse(self.at("process"), "must be written as [[process]]")
        if len(listed) > PROCESSES_MAX:
            _refuse(self.at("process"), f"there are {len(listed)}, at most {PROCESSES_MAX} are started")
        names = [self.text(each, "name", f"process {i + 1}") for i, each in enumerate(listed)]
        for name in names:
            if not NAME.fullmatch(name) or names.count(name) > 1:
                _refuse(self.at("process", name), "must be one name, made of a-z, 0-9 and _")
        placeholders = OF_PROCESSES | {f"port.{name}" for name in names}
        return tuple(self.process(each, name, placeholders) for each, name in zip(listed, names))

    def process(self, table, name, placeholders):
        where = f"process {name}"
        self.known(table, {"name", "command", "files", "environment", "ready", "counts"}, where)
        command = self.texts(table, "command", where)
        if not command:
            _refuse(self.at(where, "command"), "is missing")
        files, environment = self.map(table, "files", where), self.map(table, "environment", where)
        for text in (*command, *files.values(), *environment.values()):
            self.template(text, placeholders, self.at(where))
        for file in files:
            if pathlib.PurePath(file).name != file:
                _refuse(self.at(where, "files", file), "must be a name without a folder")
        counts = table.get("counts", True)
        if not isinstance(counts, bool):
            _refuse(self.at(where, "counts"), "must be true or false")
        return Process(name, command, files, environment, self.text(table, "ready", where, ""), counts)

    def through(self, table, processes):
        if not processes:
            if "through" in table:
                _refuse(self.at("through"), "names processes, and there are none")
            return (loopback_address(self.at("address"), self.text(table, "address", "")),)
        if "address" in table:
            _refuse(self.at("address"), "is of a system that runs already; this one has processes to start")
        names = self.texts(table, "through", "", (processes[-1].name,))
        unknown = set(names) - {process.name for process in processes}
        if unknown or not names:
            _refuse(self.at("through"), f"there is no process {', '.join(sorted(unknown)) or 'named'}")
        return names

    def pids(self, table, processes):
        pids = table.get("pids", [])
        if not isinstance(pids, list) or not all(isinstance(pid, int) and pid > 1 for pid in pids):
            _refuse(self.at("pids"), "must be a list of process ids")
        if processes and pids:
            _refuse(self.at("pids"), "are of a system that runs already; of processes that are started they are known")
        if not processes and not pids:
            _refuse(self.at("pids"), "is missing: whose CPU time and memory count")
        return tuple(pids)

    def prepare(self, table):
        listed = table.get("prepare", [])
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            _refuse(self.at("prepare"), "must be written as [[prepare]]")
        for i, each in enumerate(listed):
            yield self.request(each, f"prepare {i + 1}", set(), OF_REQUESTS - {"visitor", "ticket"})

    def requests(self, table):
        found = {}
        for name, values in self.VALUES.items():
            if name in table:
                if not isinstance(table[name], dict):
                    _refuse(self.at(name), f"must be written as [{name}]")
                placeholders = OF_REQUESTS - ({"ticket"} if name in ("join", "room") else set())
                found[name] = self.request(table[name], name, values, placeholders)
            elif name in ("join", "poll"):
                _refuse(self.at(name), "is missing")
        return found

    def request(self, table, where, values, placeholders):
        own = {"method", "path", "headers", "body"} | ({"event"} if where == "stream" else set())
        self.known(table, own | values, where)
        method = self.text(table, "method", where, "GET")
        if method not in METHODS:
            _refuse(self.at(where, "method"), f'"{method}" is none of {", ".join(sorted(METHODS))}')
        path = self.text(table, "path", where)
        if not path.startswith("/"):
            _refuse(self.at(where, "path"), "must begin with /: the address is elsewhere, and on loopback")
        headers = self.map(table, "headers", where)
        body = self.text(table, "body", where, "")
        for text in (path, body, *headers.values()):
            self.template(text, placeholders, self.at(where))
        for text in (path, *headers, *headers.values()):
            if not text.isprintable():
                _refuse(self.at(where), f"{text!r} cannot be in the head of a request")
        for missing in self.NEEDED.get(where, set()) - set(table):
            _refuse(self.at(where, missing), "is missing: where the answer says it")
        found = {key: Value.parse(self.at(where, key), self.text(table, key, where)) for key in values & set(table)}
        return Request(method, path, headers, body, found, self.text(table, "event", where, "called") if "event" in own else "")

    def states(self, table):
        states = table.get("states")
        if not isinstance(states, dict):
            _refuse(self.at("states"), "is missing: which words mean inside, and which mean gone")
        self.known(states, {"inside", "gone"}, "states")
        inside = self.texts(states, "inside", "states")
        if not inside:
            _refuse(self.at("states", "inside"), "is missing: the words for those who may go in")
        return {"inside": frozenset(inside), "gone": frozenset(self.texts(states, "gone", "states"))}
