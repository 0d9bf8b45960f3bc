"""The gate as a reverse proxy against nginx's proxy_pass, both with kept connections to the same origin."""

from load import measure_polls, median_of, ratio_of
from processes import CLIENT_CORE, SERVER_CORE
from servers import returning, start_anteroom, start_nginx

BODY = "x" * 500
PATHS = 50
PROXY = """\
    upstream origin {{ server 127.0.0.1:{port}; keepalive 128; keepalive_requests 1000000000; }}
"""
PROXY_LOCATION = """proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_set_header Host $host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $host;"""


def bench_gate(figures, children, options, nginx):
    # The origin is the client's neighbour: only the proxies are on the core that is measured.
    origin = start_nginx(children, nginx, returning(BODY), "origin", core=CLIENT_CORE)
    ours = start_anteroom(children, options.build, "anteroom-gate", "memory",
                          f'[gate]\norigin = "http://127.0.0.1:{origin.port}"\n')
    rival = start_nginx(children, nginx, PROXY_LOCATION, "nginx-proxy", upstream=PROXY.format(port=origin.port),
                        core=SERVER_CORE)
    polls = [(f"/shop/item/{i}?color=red", "Cookie", f"session={i:032d}") for i in range(PATHS)]
    loads = measure_polls(children, (ours, rival), polls, options.rounds, options.seconds)
    for server in (ours, rival, origin):
        children.stop(server.process)
    figures.add("gate_us_cpu", median_of(loads[ours.name], "us_cpu"), "us")
    figures.add("nginx_proxy_us_cpu", median_of(loads[rival.name], "us_cpu"), "us")
    figures.add("gate_vs_nginx_proxy", ratio_of(loads[rival.name], loads[ours.name]), "times", at_least=0.7)
