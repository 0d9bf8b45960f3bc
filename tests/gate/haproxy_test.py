#!/usr/bin/env python3
"""haproxy_test.py ANTEROOM: the example for HAProxy with a real HAProxy, a real Anteroom and a site that tells what it got."""

import pathlib
import shutil
import subprocess
import sys

from proxy_rig import EXAMPLES, free_port, run_with


def start_haproxy(folder, anteroom, site):
    port = free_port()
    text = (EXAMPLES / "haproxy.cfg").read_text()
    for old, new in (("http://anteroom:8080", f"http://127.0.0.1:{anteroom}"),
                     ("server anteroom anteroom:8080", f"server anteroom 127.0.0.1:{anteroom}"),
                     ("server site site:8081", f"server site 127.0.0.1:{site}"), ("bind :80", f"bind 127.0.0.1:{port}"),
                     ("lua-load anteroom.lua", f"lua-load {EXAMPLES}/anteroom.lua")):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    config = pathlib.Path(folder) / "haproxy.cfg"
    config.write_text(text)
    program = shutil.which("haproxy") or "/usr/sbin/haproxy"
    with open(f"{folder}/haproxy.log", "wb") as log:
        return subprocess.Popen([program, "-db", "-f", config], stdout=log, stderr=log), port, f"{folder}/haproxy.log"


if __name__ == "__main__":
    run_with("haproxy", sys.argv[1], start_haproxy)
