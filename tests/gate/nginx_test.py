#!/usr/bin/env python3
"""nginx_test.py ANTEROOM: the example for nginx with a real nginx, a real Anteroom and a site that tells what it got."""

import os
import pathlib
import shutil
import subprocess
import sys

from proxy_rig import EXAMPLES, free_port, run_with


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
    return process, port, f"{folder}/error.log"


if __name__ == "__main__":
    run_with("nginx", sys.argv[1], start_nginx)
