"""A described system that runs: its processes, what they cost, and questions to it one by one."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import time

from answers import Answer
from description import fill
from processes import SERVER_CORE, BenchError, children_of, cpu_seconds, environment, pinned, resident_bytes

READY_SECONDS = 120
ASK_SECONDS = 60
STOP_SECONDS = 15
ROOM = "outside"


class System:
    """Started anew in a folder of its own; ends with the `with` block. One that runs already is only asked."""

    def __init__(self, description, build, folder, capacity):
        self.description, self.build, self.folder = description, build.resolve(), folder
        self.name, self.capacity = description.name, capacity
        self.running = {}
        self.ports = {process.name: free_port() for process in description.processes}
        if description.is_startable:
            self.addresses = [("127.0.0.1", self.ports[name]) for name in description.through]
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        else:
            self.addresses = list(description.through)

    def __enter__(self):
        try:
            self.start()
            for address in self.addresses:
                for request in self.description.prepare:
                    self._prepare(request, address)
        except BaseException:
            self.stop()
            raise
        return self

    def _prepare(self, request, address):
        """A system that says "later" (5xx) may have a moment more to become itself."""
        end = time.monotonic() + READY_SECONDS
        while (answer := self.try_to_ask(request, address, capacity=self.capacity)).status >= 500 and time.monotonic() < end:
            time.sleep(0.1)
        if not answer.is_good:
            raise BenchError(f"{self.name}: {request.method} {request.path} is answered with {answer}")

    def __exit__(self, *_):
        self.stop()
        if self.description.is_startable:
            shutil.rmtree(self.folder, ignore_errors=True)

    # Processes.

    def start(self):
        for process in self.description.processes:
            words = {"build": self.build, "folder": self.folder, "port": self.ports[process.name]}
            words |= {f"port.{name}": port for name, port in self.ports.items()}
            for name, text in process.files.items():
                (self.folder / name).write_text(fill(text, words))
            command = [fill(word, words) for word in process.command]
            more = {name: fill(value, words) for name, value in process.environment.items()}
            with (self.folder / f"{process.name}.log").open("a") as log:
                try:
                    child = subprocess.Popen(command, preexec_fn=pinned(SERVER_CORE), stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, cwd=self.folder, env={**environment(), **more},
                                             start_new_session=True)  # fmt: skip
                except OSError as error:
                    raise BenchError(f"{self.name}: {command[0]}: {error.strerror}") from None
            self.running[process.name] = child
            self._wait_ready(process, child)

    def _wait_ready(self, process, child):
        address = "127.0.0.1", self.ports[process.name]
        end = time.monotonic() + READY_SECONDS
        while not is_ready(address, process.ready):
            if child.poll() is not None:
                raise BenchError(f"{self.name}: {process.name} ended with {child.returncode}: {self._log(process.name)}")
            if time.monotonic() > end:
                raise BenchError(f"{self.name}: {process.name} is not ready after {READY_SECONDS} s: {self._log(process.name)}")
            time.sleep(0.05)

    def _log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace").strip()[-500:]

    def kill(self):
        """kill -9 of every process at once, and of what they started."""
        for child in self.running.values():
            os.killpg(child.pid, signal.SIGKILL)  # It leads a group of its own.
        for child in self.running.values():
            child.wait()
        self.running.clear()

    def stop(self):
        for child in reversed(self.running.values()):
            child.terminate()
            try:
                child.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                pass
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        self.running.clear()

    def pids(self):
        if not self.description.is_startable:
            return list(self.description.pids)
        found = []
        for process in self.description.processes:
            if process.counts:
                found += family(self.running[process.name].pid)
        return found

    def cpu_seconds(self):
        return sum(cpu_seconds(pid) for pid in self.pids())

    def resident_bytes(self):
        return sum(resident_bytes(pid) for pid in self.pids())

    # Questions.

    def request(self, name):
        return self.description.requests.get(name)

    def ask(self, request, address=None, **words):
        """On a connection of its own; BenchError unless it is answered well."""
        answer = self.try_to_ask(request, address, **words)
        if not answer.is_good:
            raise BenchError(f"{self.name}: {request.method} {request.path} is answered with {answer}")
        return answer

    def try_to_ask(self, request, address=None, **words):
        host, port = address or self.addresses[-1]
        words = {"room": ROOM, **words}
        body = fill(request.body, words)
        headers = {name: fill(value, words) for name, value in request.headers.items()}
        connection = http.client.HTTPConnection(host, port, timeout=ASK_SECONDS)
        try:
            connection.request(request.method, fill(request.path, words), body or None, headers)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        except (OSError, http.client.HTTPException) as error:
            raise BenchError(f"{self.name}: {request.method} {request.path}: {error or type(error).__name__}") from None
        finally:
            connection.close()


def is_ready(address, path):
    try:
        if not path:
            socket.create_connection(address, timeout=1).close()
            return True
        connection = http.client.HTTPConnection(*address, timeout=5)
        connection.request("GET", path)
        status = connection.getresponse().status
        connection.close()
        return status < 400
    except (OSError, http.client.HTTPException):
        return False


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def family(pid):
    """The process and all that descend from it."""
    return [pid, *(each for child in children_of(pid) for each in family(child))]
