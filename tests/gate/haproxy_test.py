#!/usr/bin/env python3
"""haproxy_test.py ANTEROOM: the example for HAProxy with a real HAProxy, a real Anteroom and a site that tells what it got."""

import pathlib
import shutil
import subprocess
import sys

from proxy_rig import EXAMPLES, free_port, run_with


def replaced(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def start_haproxy(folder, anteroom, site):
    port = free_port()
    # An Anteroom that sleeps for some seconds is no failure here.
    question, lua = (EXAMPLES / "anteroom.lua").read_text(), pathlib.Path(folder) / "anteroom.lua"
    lua.write_text(replaced(question, "timeout = 5000", "timeout = 60000"))
    text = (EXAMPLES / "haproxy.cfg").read_text()
    for old, new in (("http://anteroom:8080", f"http://127.0.0.1:{anteroom}"),
                     ("server anteroom anteroom:8080", f"server anteroom 127.0.0.1:{anteroom}"),
                     ("server site site:8081", f"server site 127.0.0.1:{site}"), ("bind :80", f"bind 127.0.0.1:{port}"),
                     ("lua-load anteroom.lua", f"lua-load {lua}"), ("timeout connect 5s", "timeout connect 60s"),
                     ("timeout http-request 10s", "timeout http-request 60s")):
        text = replaced(text, old, new)
    config = pathlib.Path(folder) / "haproxy.cfg"
    config.write_text(text)
    program = shutil.which("haproxy") or "/usr/sbin/haproxy"
    with open(f"{folder}/haproxy.log", "wb") as log:
        return subprocess.Popen([program, "-db", "-f", config], stdout=log, stderr=log), port, f"{folder}/haproxy.log"


if __name__ == "__main__":
    run_with("haproxy", sys.argv[1], start_haproxy)
