"""Files that were cut or have a flipped bit: the server refuses to start, or everything is as it was."""

import concurrent.futures
import contextlib
import os
import random
import shutil
import sqlite3
import threading

from cases import Cases, expect
from process import EXIT_DATA, Gone, NoHistory, Refused
from server import Server
from story import Story, prepare, tell

CASES_SHORT, CASES_LONG = 120, 6_000
SMALL_TABLE_FLIPS_SHORT = 16
WEIGHTS = {"ledger.db": 6, "ledger.db-wal": 6, "ledger.head": 2, "keys.json": 2}
EXIT_CONFIG = 2
PAGE = 4096
FRAME = PAGE + 24
WAL_HEAD = 32
LEAF_HEAD = 8
SMALL_TABLES = {"rooms", "rooms_by_id", "snapshots", "meta"}
# The token is a word for people, who may write another one into the file; the lock is empty.
NOT_DAMAGED = {"admin-token", "lock"}


class Source:
    """A data folder that a real server left, and what it shows after a start."""

    def __init__(self, options, name, leave):
        self.name = name
        self.story = Story()
        folder = options.folder / name
        with Server(options.anteroom, folder) as server:
            prepare(self.story.begin(server))
            tell(self.story)
            leave(server)
            self.data = server.data
        files = [path for path in self.data.rglob("*") if path.is_file() and path.name not in NOT_DAMAGED]
        self.sizes = {str(path.relative_to(self.data)): path.stat().st_size for path in sorted(files)}
        places = self.story.book.places
        self.tickets = [p for p in places if p.states != {"called"}][:: len(places) // 8]
        self.names = [p for p in places if p.is_live()][::2]

    def picture(self, talk):
        rooms = talk.rooms()
        return {
            "rooms": rooms,
            "visitors": visitors_of(talk, rooms),
            "audit": talk.audit(),
            "tickets": [standing(talk.look(place.room, place.ticket)) for place in self.tickets],
            "names": [standing(talk.join(place.room, place.visitor)) for place in self.names],
        }


def visitors_of(talk, rooms):
    try:
        return {room: talk.visitors(room) for room in rooms}
    except NoHistory:
        return None


def standing(answer):
    fields = ("room", "number", "state", "ticket")
    return [answer.status, *(answer.json().get(name) for name in fields)] if answer.status < 400 else [answer.status]


class Damage:
    def __init__(self, source, file, cut=None, byte=None, bit=None):
        self.source, self.file, self.cut, self.byte, self.bit = source, file, cut, byte, bit

    def __str__(self):
        what = f"cut to {self.cut}" if self.bit is None else f"byte {self.byte} bit {self.bit}"
        what = "gone" if self.cut == -1 else what
        return f"{self.source.name}: {self.file} {what}"

    def make(self, data):
        path = data / self.file
        if self.cut == -1:
            path.unlink()
        elif self.bit is None:
            os.truncate(path, self.cut)
        else:
            with open(path, "r+b") as file:
                file.seek(self.byte)
                value = file.read(1)[0] ^ 1 << self.bit
                file.seek(self.byte)
                file.write(bytes([value]))


def cuts(size, file, source, count):
    """Ends and borders first, then anywhere."""
    unit, head = (FRAME, WAL_HEAD) if file.endswith("-wal") else (PAGE, 0)
    borders = [at + by for at in range(head, size, unit) for by in (0, 1, -1)]
    lengths = [size - 1, 0, -1, size // 2, *source.sample(borders, min(len(borders), count // 2))]
    lengths += source.sample(range(size), min(size, count))
    return list(dict.fromkeys(at for at in lengths if -1 <= at < size))[:count]


def flips(path, source, count):
    """Page by page, and half of them where there is something: most of a database is zero."""
    content = path.read_bytes()
    for i in range(count):
        page = source.randrange(0, len(content), PAGE)
        size = min(PAGE, len(content) - page)
        written = [page + at for at in range(size) if content[page + at]]
        byte = source.choice(written) if i % 2 and written else page + source.randrange(size)
        yield byte, source.randrange(8)


def flips_of_small_tables(path):
    """Every bit that is not in free space: few rows, on which everything depends."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as ledger:
        tables = ledger.execute("SELECT name, rootpage FROM sqlite_schema").fetchall()
    content = path.read_bytes()
    for root in (root for name, root in tables if name in SMALL_TABLES):
        page = (root - 1) * PAGE
        cells = int.from_bytes(content[page + 3 : page + 5])
        cells_at = int.from_bytes(content[page + 5 : page + 7])
        for at in [*range(LEAF_HEAD + 2 * cells), *range(cells_at, PAGE)]:
            yield from ((page + at, bit) for bit in range(8))


def all_damage(sources, source, count, is_long):
    """A share for every file, the larger ones for those that matter most; half cuts, half flips."""
    files = [(origin, file, size) for origin in sources for file, size in origin.sizes.items() if size]
    total = sum(WEIGHTS.get(file, 1) for _, file, _ in files)
    found = []
    for origin, file, size in files:
        share = max(2, count * WEIGHTS.get(file, 1) // total)
        lengths = cuts(size, file, source, share // 2)
        if file == "keys.json" and -1 in lengths:
            lengths.remove(-1)  # Who deletes it wants new keys.
        found += [Damage(origin, file, cut=at) for at in lengths]
        found += [Damage(origin, file, byte=at, bit=bit) for at, bit in flips(origin.data / file, source, share // 2)]
    bits = list(flips_of_small_tables(sources[0].data / "ledger.db"))
    chosen = bits if is_long else source.sample(bits, SMALL_TABLE_FLIPS_SHORT)
    return found + [Damage(sources[0], "ledger.db", byte=at, bit=bit) for at, bit in chosen]


def difference(wanted, found, path=""):
    """Where two pictures begin to differ."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        pairs = [(key, wanted.get(key, "nothing"), found.get(key, "nothing")) for key in {**wanted, **found}]
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = [(i, *pair) for i, pair in enumerate(zip(wanted, found))]
    else:
        return f"{path}: {str(wanted)[:200]} became {str(found)[:200]}"
    return next(difference(one, other, f"{path}/{key}") for key, one, other in pairs if one != other)


@contextlib.contextmanager
def or_refused(server):
    """Damage may also be noticed later, if the server then ends and says so."""
    try:
        yield
    except Gone:
        raise Refused(server.wait(), server.log()) from None


class Judge:
    """Starts servers on damaged copies, each thread in its own folder."""

    def __init__(self, options, sources):
        self.anteroom, self.folder = options.anteroom, options.folder
        self.refused = self.same = 0
        self.changed = threading.Lock()
        self.expected = {}
        for source in sources:
            first, second = self._pictures(source, self._copy(source)), self._pictures(source, self._copy(source))
            expect(first == second, f"{source.name}: an undamaged folder differs: {difference(first, second)}")
            self.expected[source.name] = first

    def judge(self, damage):
        """Returns when all is well."""
        copy = self._copy(damage.source)
        damage.make(copy / "data")
        expected = self.expected[damage.source.name]
        if damage.file.startswith("history.db"):
            # Rooms do not depend on it, but the list of visitors shows what it says.
            expected = [{part: value for part, value in of.items() if part != "visitors"} for of in expected]
        try:
            self._pictures(damage.source, copy, expected)
        except Refused as refused:
            self._check_refusal(damage, refused)
            with self.changed:
                self.refused += 1
            return
        with self.changed:
            self.same += 1

    def keep(self, damage):
        """Once more, untouched by a server."""
        folder = self.folder / "failed" / str(damage).replace("/", "-").replace(" ", "-")
        shutil.copytree(damage.source.data, folder / "data", dirs_exist_ok=True)
        damage.make(folder / "data")

    def _copy(self, source):
        folder = self.folder / f"copy-{threading.get_ident()}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source.data, folder / "data")
        return folder

    def _pictures(self, source, folder, expected=(None, None)):
        """What a first start shows, and what a second one after somebody new has come."""
        with Server(self.anteroom, folder) as server, or_refused(server):
            talk = server.talk()
            first = self._compare(expected[0], source.picture(talk))
            answer = talk.join("hall", "somebody new")
            expect(answer.status == 201, f"a join answered {answer}")
            server.stop()
        with Server(self.anteroom, folder) as server, or_refused(server):
            second = source.picture(server.talk())
            for visitors in (second["visitors"] or {}).values():
                for visitor in visitors.values():
                    visitor.pop("joined_at", None)  # Of who has come now; the others' were compared before.
            return first, self._compare(expected[1], second)

    def _compare(self, wanted, found):
        for part, value in (wanted or {}).items():
            if found[part] != value:
                expect(False, f"silently different: {difference(value, found[part], part)}")
        return found

    def _check_refusal(self, damage, refused):
        codes = {EXIT_DATA, EXIT_CONFIG} if damage.file == "keys.json" else {EXIT_DATA}
        expect(refused.end.code in codes, f"it ended with {refused}")
        is_clear = "ledger" in refused.end.line or "/data/" in refused.end.line  # A file by its name.
        expect(is_clear, f"it is not clear what is damaged: {refused}")


def run(options):
    source = random.Random(options.seed)
    sources = [Source(options, "stopped", Server.stop), Source(options, "killed", Server.kill)]
    judge, cases = Judge(options, sources), Cases(options.only)
    everything = all_damage(sources, source, CASES_LONG if options.long else CASES_SHORT, options.long)
    chosen = cases.choose(everything, str)

    def attend(damage):
        with cases.case(damage):
            try:
                judge.judge(damage)
            except BaseException:
                judge.keep(damage)
                raise

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(attend, damage) for damage in chosen]:
            done.result()
    cases.finish()
    flipped = sum(damage.bit is not None for damage in chosen)
    counts = f"{len(chosen) - flipped} cuts and {flipped} flips in {sum(len(s.sizes) for s in sources)} files"
    return f"{counts}: {judge.refused} refused, {judge.same} as before"
