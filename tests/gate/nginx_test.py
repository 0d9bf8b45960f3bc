#!/usr/bin/env python3
"""nginx_test.py ANTEROOM: the example for nginx with a real nginx, a real Anteroom and a site that tells what it got."""

import base64
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
EVENT = "11111111-2222-3333-4444-555555555555"
SECRET = "a-secret-of-the-sites-own-login-0123456789"
ADMIN = "an-admin-token-for-this-test"


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.count += 1
        body = json.dumps({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def access_token(user):
    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    claims = {"sub": user, "userId": user, "role": "user", "type": "access", "exp": int(time.time()) + 600}
    text = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    return (text + b"." + part(hmac.new(SECRET.encode(), text, hashlib.sha256).digest())).decode()


class Ask:
    def __init__(self, port):
        self.port = port

    def __call__(self, method, path, headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, dict((k.lower(), v) for k, v in response.getheaders()), text


def start_anteroom(binary, folder):
    environment = dict(os.environ, ANTEROOM_SERVER_LISTEN="127.0.0.1:0", ANTEROOM_STORE_URL=f"embedded:{folder}/data",
                       ANTEROOM_AUTH_JWT_SECRET=SECRET, ANTEROOM_AUTH_ADMIN_TOKEN=ADMIN)
    process = subprocess.Popen([binary, "serve"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    return process, int(process.stdout.readline().rsplit(":", 1)[1])


def start_nginx(folder, anteroom, site):
    port = free_port()
    text = (EXAMPLES / "nginx.conf").read_text()
    for old, new in (("server anteroom:8080", f"server 127.0.0.1:{anteroom}"),
                     ("server site:8081", f"server 127.0.0.1:{site}"), ("listen 80;", f"listen 127.0.0.1:{port};")):
        assert old in text, old
        text = text.replace(old, new)
    shutil.copy(EXAMPLES / "anteroom_headers.conf", folder)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    config = pathlib.Path(folder) / "nginx.conf"
    config.write_text(f"daemon off;\nworker_processes 1;\npid {folder}/nginx.pid;\nevents {{}}\n"
                      f"http {{\naccess_log off;\n{temporary}{text}\n}}\n")
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    process = subprocess.Popen([program, "-p", folder, "-c", config, "-e", f"{folder}/error.log"])
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process, port
        if process.poll() is not None:
            break
        time.sleep(0.05)  # There is no event to wait for: nginx does not say that it listens.
    raise SystemExit("nginx did not start: " + pathlib.Path(f"{folder}/error.log").read_text())


def expect(got, wanted, what):
    if got != wanted:
        raise SystemExit(f"nginx_test: {what}: {got!r} instead of {wanted!r}")


def check(ask, anteroom, site):
    user = {"Authorization": f"Bearer {access_token('user-1')}"}
    admin = {"Authorization": f"Bearer {ADMIN}"}
    seats, page = f"/api/v1/seats/events/{EVENT}", f"/events/{EVENT}"

    status, _, text = ask("GET", "/shop?x=1", {"X-User-Id": "boss", "X-User-Role": "admin"})
    expect(status, 200, "an open page")
    got = json.loads(text)
    expect(got["path"], "/shop?x=1", "the path of an open page")
    expect(got["headers"].get("x-user-id", ""), "", "a user by a header from outside")

    before = site.count
    status, _, text = ask("GET", seats, user)
    expect((status, json.loads(text)["error"]), (403, "Queue entry token required"), "seats without a pass")
    expect(site.count, before, "requests that reached the site")

    status, headers, text = ask("POST", f"/api/v1/queue/check/{EVENT}", user)
    expect(status, 200, "a check")
    token = json.loads(text)["entryToken"]
    status, _, text = ask("GET", seats, {**user, "Cookie": f"urr-entry-token={token}"})
    expect(status, 200, "seats with a pass")
    expect(json.loads(text)["headers"]["x-user-id"], "user-1", "the verified user")
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
    expect(ask("GET", "/v1/openapi.json")[0], 200, "the API behind nginx")


def main():
    binary = sys.argv[1]
    processes = []
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    site.count = 0
    threading.Thread(target=site.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="anteroom-nginx-") as folder:
        try:
            anteroom, port = start_anteroom(binary, folder)
            processes.append(anteroom)
            nginx, front = start_nginx(folder, port, site.server_port)
            processes.append(nginx)
            check(Ask(front), Ask(port), site)
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=20)
    print("nginx_test: all is well")


if __name__ == "__main__":
    main()
