"""What an answer says: by the places that the table names."""

import http.cookies
import json

from processes import BenchError


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body  # `headers`: pairs.
        self._json = None

    @classmethod
    def parse(cls, wire):
        """Of head and body as they came."""
        head, _, body = wire.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = [line.partition(":")[::2] for line in lines]
        return cls(int(first.split(" ", 2)[1]), [(name, value.strip()) for name, value in pairs], body)

    @property
    def is_good(self):
        return self.status < 400

    def value(self, where, visitor=None):
        """A text; None when the answer does not say it."""
        found = {
            "visitor": lambda: visitor,
            "status": lambda: self.status,
            "json": lambda: self._in_json(where.path),
            "header": lambda: self._header(where.path),
            "cookie": lambda: self._cookie(where.path),
        }[where.kind]()
        return None if found is None else str(found)

    def _in_json(self, path):
        if self._json is None:
            try:
                self._json = json.loads(self.body)
            except ValueError:
                raise BenchError(f"an answer is not JSON: {self}") from None
        found = self._json
        for part in path.split("."):
            if isinstance(found, list) and part.isdigit() and int(part) < len(found):
                found = found[int(part)]
            elif isinstance(found, dict):
                found = found.get(part)
            else:
                return None
        return found

    def _header(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def _cookie(self, name):
        for key, value in self.headers:
            if key.lower() == "set-cookie" and name in (cookies := http.cookies.SimpleCookie(value)):
                return cookies[name].value
        return None

    def __str__(self):
        return f"{self.status} {self.body[:200].decode(errors='replace')}"
