"""The reservation service behind system T's gateway: asks whether a reservation token is good before it reserves.

usage: origin.py FILE, where FILE will hold the URL of the waiting room. Prints its own.
"""

import http.server
import json
import pathlib
import sys
import urllib.error
import urllib.request


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        room = pathlib.Path(sys.argv[1]).read_text().strip()
        # As the visitor showed it, and with the body as it came: it names the event.
        ask = urllib.request.Request(f"{room}/api/v1/queue/verify", json.dumps(body).encode(),
                                     {"Authorization": self.headers["Authorization"] or ""})
        try:
            with urllib.request.urlopen(ask):
                status, said = 201, {"reservation_id": "r1", "status": "PENDING", "event_id": body["event_id"]}
        except urllib.error.HTTPError as refused:
            status, said = refused.code, json.load(refused)
        text = json.dumps(said, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
