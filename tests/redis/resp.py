"""A connection to Redis: one command, one reply."""

import socket

from process import DEADLINE_SECONDS


class Error(Exception):
    """The server's own words: MOVED, NOAUTH, …"""


class Resp:
    """Texts are str; those that are not UTF-8 stay bytes."""

    def __init__(self, host, port, password=None, timeout=DEADLINE_SECONDS):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.file = self.socket.makefile("rb")
        if password:
            self.call("AUTH", password)

    def call(self, *words):
        wire = b"*%d\r\n" % len(words)
        for word in words:
            content = word if isinstance(word, bytes) else str(word).encode()
            wire += b"$%d\r\n%b\r\n" % (len(content), content)
        self.socket.sendall(wire)
        return self._reply()

    def _reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("Redis closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise Error(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else _text(self.file.read(int(rest) + 2)[:-2])
        if kind == b"*":
            return None if rest == b"-1" else [self._reply() for _ in range(int(rest))]
        return _text(rest)

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _text(content):
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content
