"""Where do I stand, as the clients of systems T, P and H ask it, against nginx."""

import json

from load import Crowd, answer_of, fill, measure_polls, median_of, progress, ratio_of
from servers import Talk, returning, start_anteroom, start_nginx

POLLS = 500
NO_LIMITS = "[tacos]\nlimit_per_second = 0\n"


def tacos_poll(talk, user):
    _, text = talk.ask("POST", "/api/v1/queue/join", json.dumps({"event_id": "bench", "user_id": f"user-{user}"}))
    return f"/api/v1/queue/status?token={json.loads(text)['waiting_token']}", "Accept", "application/json"


def portal_poll(talk, user):
    name = {"X-User-Id": f"user-{user}"}
    _, text = talk.ask("POST", "/queue/BENCH/1/enter", headers=name)
    return f"/queue/token/{json.loads(text)['data']['entryToken']}", "X-User-Id", name["X-User-Id"]


def hhplus_poll(talk, user):
    _, text = talk.ask("POST", "/api/v1/queues/token", headers={"userId": str(user)})
    return "/api/v1/queues/token/rank", "userId", str(user), "token", json.loads(text)["data"]["token"]


# What is measured, the room, how people come in, and how they ask.
DIALECTS = (
    ("tacos_status", "bench", "/api/v1/queue/join", "event_id bench", tacos_poll),
    ("portal_status", "BENCH:1", "/queue/BENCH/1/enter", "X-User-Id", portal_poll),
    ("hhplus_rank", "hhplus", "/api/v1/queues/token", "userId number", hhplus_poll),
)


def bench_dialects(figures, children, options, nginx):
    """A long line, and at its end those who ask."""
    for name, room, path, way, poll_of in DIALECTS:
        server = start_anteroom(children, options.build, f"anteroom-{name}", more=NO_LIMITS)
        talk = Talk(server)
        token = (children.folder / server.name / "data" / "admin-token").read_text().strip()
        talk.ask("PUT", f"/v1/admin/rooms/{room}", json.dumps({"admit_on_join": False, "dialect": name.split("_")[0]}),
                 {"Authorization": f"Bearer {token}"})
        talk.close()

        def waiting(talk, room=room):
            return json.loads(talk.ask("GET", f"/v1/rooms/{room}")[1])["waiting"]

        fill(children, server, options.visitors, Crowd(), path, way, waiting)
        talk = Talk(server)  # Filling takes longer than a connection may be idle.
        polls = [poll_of(talk, user) for user in range(10 ** 9, 10 ** 9 + POLLS)]
        talk.close()
        size, body = answer_of(server, polls[POLLS // 2])
        progress(f"{name}: an answer has {size} bytes, {len(body)} of them body")
        rival = start_nginx(children, nginx, returning(body))
        loads = measure_polls(children, (server, rival), polls, options.rounds, options.seconds)
        children.stop(rival.process)
        children.stop(server.process)
        figures.add(f"{name}_us_cpu", median_of(loads[server.name], "us_cpu"), "us")
        figures.add(f"{name}_vs_nginx", ratio_of(loads[rival.name], loads[server.name]), "times")
