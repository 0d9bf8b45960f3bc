"""The contestants: Anteroom, nginx that returns a constant, and a bare loop that does."""

import http.client
import json
import socket

from processes import SERVER_CORE, BenchError, children_of, wait_for

ROOM = "bench"
POLL_PATH = f"/v1/rooms/{ROOM}/ticket"
JOIN_PATH = f"/v1/rooms/{ROOM}/tickets"
EVENTS_PATH = f"/v1/rooms/{ROOM}/events"

# Somebody is called all the time, so that there is a waiting time to tell, but hardly anybody: the line stays long.
ANTEROOM_CONFIG = """\
[server]
listen = "127.0.0.1:0"
threads = 1
trusted_proxies = ["127.0.0.0/8"]
connections_per_address = 20000
[store]
{store}
[log]
level = "warning"
[defaults]
capacity = 1000000
admit_batch = 20
admit_interval = "1s"
idle = "1h"
"""

NGINX_CONFIG = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    server_tokens off;
    keepalive_requests 1000000000;
    default_type application/json;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{upstream}
    server {{
        listen 127.0.0.1:{port};
        add_header Cache-Control no-store;
        add_header X-Request-ID 0123456789abcdef;
        location / {{ {answer} }}
    }}
}}
"""


class Server:
    def __init__(self, name, process, pid, port):
        self.name = name
        self.process = process
        self.pid = pid  # Whose CPU time counts.
        self.port = port
        self.others = []  # Whose does, too.


def listening_port(children, name, process):
    """The program says it in its first line: `listening PORT` or `listening http://ADDRESS:PORT`."""
    words = process.stdout.readline().split()
    if len(words) != 2 or words[0] != "listening":
        raise BenchError(f"{name} did not start: {children.log_of(name).strip()}")
    return int(words[1].rpartition(":")[2])


def start_anteroom(children, build, name="anteroom", store="embedded", more="", whole_store=False,
                   config=ANTEROOM_CONFIG, core=SERVER_CORE, changes=None, under=()):
    """`store`: its scheme, or all lines about it. `more`: what the configuration says besides. `core`: None: any.
    `changes`: other lines for some of the usual ones. `under`: the command that runs it."""
    folder = children.folder / name
    folder.mkdir(exist_ok=True)
    file = folder / "anteroom.toml"
    lines = store if whole_store else f'url = "{store}:{folder}/data"'
    text = config.format(store=lines) + more
    for usual, other in (changes or {}).items():
        text = text.replace(usual, other)
    file.write_text(text)
    process = children.start(name, [*under, build / "anteroom", "serve", "--config", file], core)
    return Server(name, process, process.pid, listening_port(children, name, process))


def start_bare(children, build, mode, size):
    name = "bare" if mode == "--bytes" else "bare-streams"
    process = children.start(name, [build / "anteroom-bench-bare", mode, size], SERVER_CORE)
    return Server(name, process, process.pid, listening_port(children, name, process))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_nginx(children, program, answer, name="nginx", upstream="", core=SERVER_CORE):
    """`answer`: what its one location says."""
    folder = children.folder / name
    folder.mkdir(exist_ok=True)
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(NGINX_CONFIG.format(folder=folder, port=port, answer=answer, upstream=upstream))
    command = [program, "-p", folder, "-c", config, "-e", "stderr"]
    process = children.start(name, command, core)

    def worker():
        if process.poll() is not None:
            raise BenchError(f"{name} did not start: {children.log_of(name).strip()}")
        return children_of(process.pid)

    pid = wait_for(worker, f"{name} has no worker")[0]
    return Server(name, process, pid, port)


def returning(body):
    """The answer of an nginx that says always the same."""
    return f"return 200 '{body}';"


class Talk:
    """A few requests in a row on one connection, outside of what is measured."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def ask(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body=body, headers=headers or {})
        response = self.connection.getresponse()
        text = response.read()
        if response.status not in (200, 201, 202):
            raise BenchError(f"{method} {path} was answered with {response.status}: {text[:200]!r}")
        return response, text

    def ticket_of(self, visitor):
        """Who joins a second time gets the same place."""
        _, text = self.ask("POST", JOIN_PATH, json.dumps({"visitor": visitor}))
        return json.loads(text)["ticket"]

    def waiting(self):
        _, text = self.ask("GET", f"/v1/rooms/{ROOM}")
        return json.loads(text)["waiting"]

    def close(self):
        self.connection.close()
