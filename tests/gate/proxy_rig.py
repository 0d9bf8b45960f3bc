"""What the tests of the example configurations share: a site that tells what it got, a real Anteroom, and what must be so
whichever proxy stands before them."""

import base64
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

DEADLINE_SECONDS = 60  # Only a hang takes so long.
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
EVENT = "11111111-2222-3333-4444-555555555555"
SECRET = "a-secret-of-the-sites-own-login-0123456789"
ADMIN = "an-admin-token-for-this-test"
FORGED = ("X-User-Id", "X-User-Role", "X-User-Email", "X-Anteroom-Room", "X-Anteroom-Number", "X_User_Id",
          "X_Anteroom_Room", "X_CloudFront_Verified")
EDGE = "a-secret-of-the-edge-in-front-0123456789"


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.count += 1
        got = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        body = json.dumps({"path": self.path, "body": got,
                           "headers": {k.lower(): v for k, v in self.headers.items()}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


class SiteServer(http.server.ThreadingHTTPServer):
    count = 0

    def handle_error(self, *_):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # The proxy ends while it keeps a connection.
            super().handle_error(*_)


def free_port():
    """Proxies do not take port 0. Below the ports that the kernel hands out to clients: between now and the start nobody
    gets it by chance."""
    source = random.SystemRandom()
    while True:
        port = source.randrange(23_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=")


def stamp(method, host, target):
    """The stamp that an edge with a key puts on a request."""
    seconds = int(time.time())
    text = f"v1\n{seconds}\n{method}\n{host}\n{target}"
    return f"v1.{seconds}." + part(hmac.new(EDGE.encode(), text.encode(), hashlib.sha256).digest()).decode()


def access_token(user):
    claims = {"sub": user, "userId": user, "role": "user", "type": "access", "exp": int(time.time()) + 600}
    text = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    return (text + b"." + part(hmac.new(SECRET.encode(), text, hashlib.sha256).digest())).decode()


class Ask:
    def __init__(self, port):
        self.port = port

    def __call__(self, method, path, headers=None, body=None):
        while True:
            stamped = {"X-CloudFront-Verified": stamp(method, f"127.0.0.1:{self.port}", path)}
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_SECONDS)
            connection.request(method, path, body, {**stamped, **(headers or {})})
            response = connection.getresponse()
            text = response.read().decode()
            connection.close()
            if response.status != 408:  # This machine is too slow for its own questions: nothing was done.
                break
        return response.status, dict((k.lower(), v) for k, v in response.getheaders()), text


def host_at_site(port):
    """Which host the site is asked for when a client names two; nothing: it is not asked."""
    target, host = "/shop", f"127.0.0.1:{port}"
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_SECONDS) as client:
        client.sendall(f"GET http://elsewhere.example{target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
                       f"X-CloudFront-Verified: {stamp('GET', host, target)}\r\n\r\n".encode())
        response = http.client.HTTPResponse(client)
        response.begin()
        text = response.read().decode()
    return json.loads(text)["headers"]["host"] if response.status == 200 else None


def start_anteroom(binary, folder):
    environment = dict(os.environ, ANTEROOM_SERVER_LISTEN="127.0.0.1:0", ANTEROOM_STORE_URL=f"embedded:{folder}/data",
                       ANTEROOM_AUTH_JWT_SECRET=SECRET, ANTEROOM_AUTH_ADMIN_TOKEN=ADMIN, ANTEROOM_GATE_EDGE_KEY=EDGE)
    process = subprocess.Popen([binary, "serve"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    return process, int(process.stdout.readline().rsplit(":", 1)[1])


def expect(got, wanted, what):
    if got != wanted:
        raise SystemExit(f"{what}: {got!r} instead of {wanted!r}")


def check(ask, anteroom, site):
    user = {"Authorization": f"Bearer {access_token('user-1')}"}
    admin = {"Authorization": f"Bearer {ADMIN}"}
    seats, page = f"/api/v1/seats/events/{EVENT}", f"/events/{EVENT}"

    status, _, text = ask("GET", "/shop?x=1", {name: "boss" for name in FORGED})
    expect(status, 200, "an open page")
    got = json.loads(text)
    expect(got["path"], "/shop?x=1", "the path of an open page")
    for name in (*FORGED, "X-CloudFront-Verified"):
        expect(got["headers"].get(name.lower(), ""), "", f"{name} from outside")

    before = site.count
    for wrong in ("", "x", stamp("POST", f"127.0.0.1:{ask.port}", "/shop?x=1"), stamp("GET", "shop.example", "/shop?x=1"),
                  stamp("GET", f"127.0.0.1:{ask.port}", "/shop")):
        status, _, text = ask("GET", "/shop?x=1", {"X-CloudFront-Verified": wrong})
        expect((status, json.loads(text)["error"]), (403, "Edge signature required"), "a wrong stamp")
    for lie in ("X-Original-URI", "X-Forwarded-Uri", "X-Original-Method", "X-Forwarded-Method"):
        expect(ask("GET", seats, {**user, lie: "/shop"})[0], 403, f"{lie} from outside")
    status, _, text = ask("GET", seats, user)
    expect((status, json.loads(text)["error"]), (403, "Queue entry token required"), "seats without a pass")
    expect(site.count, before, "requests that reached the site")

    expect(host_at_site(ask.port) in (None, f"127.0.0.1:{ask.port}"), True, "the host that was decided about at the site")
    status, _, text = ask("GET", "/api/admin/x")
    expect((status, json.loads(text)["error"]), (401, "Authentication required"), "nobody")

    status, headers, text = ask("POST", f"/api/v1/queue/check/{EVENT}", user)
    expect(status, 200, "a check")
    token = json.loads(text)["entryToken"]
    status, _, text = ask("GET", seats, {**user, "Cookie": f"urr-entry-token={token}"})
    expect(status, 200, "seats with a pass")
    expect(json.loads(text)["headers"]["x-user-id"], "user-1", "the verified user")
    expect(json.loads(text)["headers"]["x-anteroom-room"], EVENT, "the event of the pass")
    status, _, text = ask("POST", "/api/v1/seats/reserve", {**user, "Cookie": f"urr-entry-token={token}"}, '{"a":1}')
    expect((status, json.loads(text)["body"]), (200, '{"a":1}'), "a body on its way to the site")
    other = {"Authorization": f"Bearer {access_token('user-2')}", "Cookie": f"urr-entry-token={token}"}
    expect(ask("GET", seats, other)[0], 403, "another user's pass")

    expect(anteroom("POST", f"/api/admin/vwr/activate/{EVENT}", admin)[0], 200, "the activation")
    status, headers, _ = ask("GET", page)
    expect((status, headers.get("location", "").endswith(f"/vwr/{EVENT}")), (302, True), "an event behind tier 1")
    status, _, text = ask("POST", f"/vwr-api/vwr/assign/{EVENT}", {"Content-Type": "application/json"},
                          '{"userId":"anon-1"}')
    request = json.loads(text)["requestId"]
    anteroom("POST", f"/api/admin/vwr/advance/{EVENT}", admin)
    pass_ = json.loads(ask("GET", f"/vwr-api/vwr/check/{EVENT}/{request}")[2])["token"]
    expect(ask("GET", page, {"Cookie": f"urr-vwr-token={pass_}"})[0], 200, "an event with the outer pass")
    expect(ask("GET", "/v1/openapi.json")[0], 200, "the API behind the proxy")


def await_listening(process, port, log):
    for _ in range(1200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.05)  # There is no event to wait for: proxies do not say that they listen.
    raise SystemExit("the proxy did not start: " + pathlib.Path(log).read_text())


def run_with(name, binary, start):
    """start(folder, port of Anteroom, port of the site): the proxy's process, its port and its log."""
    processes = []
    site = SiteServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix=f"anteroom-{name}-") as folder:
        try:
            anteroom, port = start_anteroom(binary, folder)
            processes.append(anteroom)
            proxy, front, log = start(folder, port, site.server_port)
            processes.append(proxy)
            await_listening(proxy, front, log)
            check(Ask(front), Ask(port), site)
            anteroom.send_signal(signal.SIGTERM)
            anteroom.wait(timeout=DEADLINE_SECONDS)
            before = site.count
            expect(Ask(front)("GET", "/shop")[0] >= 500, True, "a failure when Anteroom is away")
            expect(site.count, before, "requests that reached the site then")
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=DEADLINE_SECONDS)
    print(f"{name}_test: all is well")
