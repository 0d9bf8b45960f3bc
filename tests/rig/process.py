"""The server as a process, and a connection to it.

Everything waits for an event (a line, an answer, the end of the process) with a deadline that only a hang can miss.
"""

import contextlib
import http.client
import json
import os
import pathlib
import select
import signal
import subprocess
import time

from cases import Failed, expect

DEADLINE_SECONDS = 60
SNAPSHOT_FACTS = 100  # The least that the server takes: snapshots and pruning are part of every rig.
EXIT_CONFIG, EXIT_DATA = 2, 3
# Of rooms in which time does nothing.
LONG_SPANS = {"lease": "2h", "lease_max": "4h", "claim_window": "1h", "idle": "4h", "presence": "4h", "ended_memory": "240h"}
OPERATOR = {"X-User-Id": "operator", "X-User-Role": "admin"}  # Believed from loopback.


class Gone(Exception):
    """The server went away before it answered."""


class End:
    """How a server ended: the exit code (negative: the signal) and the line for people, if there was one."""

    def __init__(self, code, log):
        self.code = code
        self.line = next((line for line in log.splitlines() if line.startswith("anteroom: ")), "")

    def __str__(self):
        return f"exit code {self.code}{', ' + self.line if self.line else ''}"


class NoHistory(Exception):
    """The server says that its history cannot be read."""


class Refused(Exception):
    """The server ended before it listened."""

    def __init__(self, code, log):
        self.end = End(code, log)
        super().__init__(f"{self.end}" if self.end.line else f"{self.end}: {log.strip()}")


def wait_until(condition, what):
    """Polls for a condition without an event: a file that appears, the state of a room."""
    end = time.monotonic() + DEADLINE_SECONDS
    while not (found := condition()):
        expect(time.monotonic() < end, f"in vain waited for {what}")
        time.sleep(0.01)
    return found


class Process:
    """A running server with a folder for its log; `wrapper`: a command that runs it in its own place (strace -D)."""

    def __init__(self, anteroom, folder, config, wrapper=(), log="log", environment=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log_path = self.folder / log
        path = self.folder / "anteroom.toml"
        path.write_text(config)
        command = [*wrapper, str(anteroom), "serve", "--config", str(path)]
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("ANTEROOM_")}
        with open(self.log_path, "wb") as errors:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, env={**inherited, **(environment or {})}
            )
        try:
            self.host, port = self._first_line().strip().rsplit("/", 1)[1].rsplit(":", 1)
            self.port = int(port)
        except BaseException:
            self.close()
            raise

    def _first_line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], DEADLINE_SECONDS)
        expect(ready, f"the server neither listens nor ends; its log: {self.log()}")
        line = self.process.stdout.readline().decode()
        if line.startswith("listening "):
            return line
        raise Refused(self.wait(), self.log())

    def log(self):
        return self.log_path.read_text(errors="replace")

    def wait(self):
        """The exit code, once it has ended; negative: the signal."""
        try:
            return self.process.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"the server does not end; its log: {self.log()}") from None

    def kill(self):
        self.process.kill()
        self.wait()

    @contextlib.contextmanager
    def frozen(self):
        """Stops the process (SIGSTOP) meanwhile; it keeps its files and locks."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.wait()
        expect(code == 0, f"the server stopped with exit code {code}: {self.log()}")

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def talk(self, timeout=DEADLINE_SECONDS):
        return Talk(self.port, timeout, self.host)


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    def __str__(self):
        return f"{self.status} {self.body.decode(errors='replace')}"


class Talk:
    """One connection. Every method is one question and its answer; `Gone` when there is none."""

    def __init__(self, port, timeout, host="127.0.0.1"):
        self.connection = http.client.HTTPConnection(host, port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None):
        try:
            content = json.dumps(body) if isinstance(body, dict) else body
            while True:
                self.connection.request(method, path, content, headers or {})
                answer = self.connection.getresponse()
                answer = Answer(answer.status, answer.headers, answer.read())
                if answer.status != 408:  # This machine is too slow for its own questions: nothing was done.
                    return answer
                self.connection.close()
        except TimeoutError:
            self.connection.close()
            raise
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise Gone(str(error)) from None

    def close(self):
        self.connection.close()

    # Visitors.

    def join(self, room, visitor):
        return self.ask("POST", f"/v1/rooms/{room}/tickets", {"visitor": visitor})

    def with_ticket(self, method, room, ticket, action=""):
        return self.ask(method, f"/v1/rooms/{room}/ticket{action}", headers={"Authorization": f"Bearer {ticket}"})

    def look(self, room, ticket):
        return self.with_ticket("GET", room, ticket)

    def claim(self, room, ticket):
        return self.with_ticket("POST", room, ticket, "/claim")

    def finish(self, room, ticket):
        return self.with_ticket("POST", room, ticket, "/finish")

    def leave(self, room, ticket):
        return self.with_ticket("DELETE", room, ticket)

    def verify(self, room, entry):
        return self.ask("GET", f"/v1/verify?room={room}", headers={"Authorization": f"Bearer {entry}"})

    # Operators.

    def configure(self, room, settings, spaces=0):
        """`spaces`: make the request longer, and what the audit keeps of it."""
        return self.ask("PUT", f"/v1/admin/rooms/{room}", json.dumps(settings) + " " * spaces, OPERATOR)

    def operate(self, room, action, count=None):
        body = None if count is None else {"count": count}
        return self.ask("POST", f"/v1/admin/rooms/{room}/{action}", body, OPERATOR)

    def delete_room(self, room):
        return self.ask("DELETE", f"/v1/admin/rooms/{room}", headers=OPERATOR)

    def rooms(self):
        """Every room by its id, without what is of the moment."""
        answer = self.ask("GET", "/v1/admin/rooms", headers=OPERATOR)
        expect(answer.status == 200, f"the rooms cannot be listed: {answer}")
        rooms = {room["room"]: room for room in answer.json()["rooms"]}
        for room in rooms.values():
            del room["streams"]
        return rooms

    def visitors(self, room):
        """Everybody in the room, by number: what the room says of them, without what only the history knows."""
        found, after = {}, 0
        while after is not None:
            page = self._page(f"/v1/admin/rooms/{room}/visitors?limit=1000&after={after}")
            for visitor in page["visitors"]:
                number, is_live = visitor["number"], "ahead" in visitor
                expect(number not in found, f"number {number} twice in {room}")
                fields = ("number", "state", "lane", "ahead", "joined_at") if is_live else ("number", "state")
                found[number] = {name: visitor[name] for name in fields}
            after = page["next_after"]
        return found

    def _page(self, path):
        """The list needs the history, which is made or brought up to date when the server already listens."""

        def ask():
            answer = self.ask("GET", path, headers=OPERATOR)
            if answer.status == 503 and self._history_fails(answer):
                raise NoHistory(str(answer))
            return answer if answer.status != 503 else None

        answer = wait_until(ask, "a list of visitors")
        expect(answer.status == 200, f"{path}: {answer}")
        return answer.json()

    def _history_fails(self, answer):
        metrics = self.ask("GET", "/metrics").body
        return b'anteroom_history_failing{sink="file"} 1' in metrics or b"is damaged" in answer.body

    def audit(self):
        answer = self.ask("GET", "/v1/admin/audit?limit=1000", headers=OPERATOR)
        expect(answer.status == 200, f"the audit cannot be read: {answer}")
        return answer.json()["entries"]
