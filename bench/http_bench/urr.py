"""The polls of system U's clients: check in the outer line and status in the inner one, against nginx."""

import json

from load import Crowd, answer_of, fill, measure_polls, median_of, progress, ratio_of
from servers import Talk, returning, start_anteroom, start_nginx

OUTER_EVENT = "0a0a0a0a-0000-4000-8000-000000000001"
INNER_EVENT = "0b0b0b0b-0000-4000-8000-000000000002"
POLLS = 500
BOSS = {"X-User-Id": "boss", "X-User-Role": "admin"}


def outer_polls(children, server, visitors):
    """Everybody has a number, nobody's turn has come."""
    talk = Talk(server)
    room = json.dumps({"outer_batch": 1, "outer_interval": "1h"})
    token = (children.folder / server.name / "data" / "admin-token").read_text().strip()
    talk.ask("PUT", f"/v1/admin/rooms/{OUTER_EVENT}", room, {"Authorization": f"Bearer {token}"})
    talk.ask("POST", f"/api/admin/vwr/activate/{OUTER_EVENT}", headers=BOSS)
    path = f"/vwr/assign/{OUTER_EVENT}"
    crowd = Crowd()

    def waiting(talk):
        return json.loads(talk.ask("GET", f"/vwr/status/{OUTER_EVENT}")[1])["totalInQueue"]

    fill(children, server, visitors, crowd, path, "userId", waiting)
    polls = []
    for name in crowd.names(POLLS):
        answer = json.loads(talk.ask("POST", path, json.dumps({"userId": name}))[1])
        polls.append((f"/vwr/check/{OUTER_EVENT}/{answer['requestId']}", "Accept", "application/json"))
    talk.close()
    return polls


def inner_polls(children, server, visitors):
    talk = Talk(server)
    talk.ask("PUT", f"/api/queue/admin/threshold/{INNER_EVENT}?threshold=0", headers=BOSS)
    crowd = Crowd()

    def waiting(talk):
        return json.loads(talk.ask("GET", f"/api/queue/admin/{INNER_EVENT}", headers=BOSS)[1])["queueSize"]

    fill(children, server, visitors, crowd, f"/api/queue/check/{INNER_EVENT}", "X-User-Id", waiting)
    talk.close()
    return [(f"/api/queue/status/{INNER_EVENT}", "X-User-Id", name) for name in crowd.names(POLLS)]


def bench_urr(figures, children, options, nginx):
    server = start_anteroom(children, options.build, "anteroom-urr")
    for name, make in (("check", outer_polls), ("status", inner_polls)):
        polls = make(children, server, options.visitors)
        size, body = answer_of(server, polls[POLLS // 2])
        progress(f"{name}: an answer has {size} bytes, {len(body)} of them body")
        rival = start_nginx(children, nginx, returning(body))
        loads = measure_polls(children, (server, rival), polls, options.rounds, options.seconds)
        children.stop(rival.process)
        figures.add(f"urr_{name}_us_cpu", median_of(loads[server.name], "us_cpu"), "us")
        figures.add(f"urr_{name}_vs_nginx", ratio_of(loads[rival.name], loads[server.name]), "times", at_least=1.1)
    children.stop(server.process)
