"""Data folders of earlier versions, and of this one: every later one reads them and finds everybody.

golden/README.md says how they were made. Time goes on for visitors: a room that time changes says for how many days
what is written there holds.
"""

import json
import pathlib
import shutil
import time

from cases import expect
from server import Server

GOLDEN = pathlib.Path(__file__).parent / "golden"


def run(options):
    versions = sorted(path for path in GOLDEN.iterdir() if path.is_dir())
    expect(versions, f"nothing in {GOLDEN}")
    return "; ".join(check_version(options, version) for version in versions)


def check_version(options, version):
    expected = json.loads((version / "expected.json").read_text())
    folder = options.folder / version.name
    shutil.copytree(version / "data", folder / "data")
    make_private(folder / "data")  # Git keeps no modes, and keys that others may read are refused.
    for _ in range(2):  # As it was found, and as this version writes it.
        with Server(options.anteroom, folder) as server:
            check(server.talk(), expected)
            server.stop()
    visitors = sum(len(room["visitors"]) for room in expected["rooms"].values())
    return f"{version.name}: {len(expected['rooms'])} rooms, {visitors} visitors, {len(expected['tickets'])} tickets"


def make_private(data):
    data.chmod(0o700)
    for path in data.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


def check(talk, expected):
    age_days = (time.time() - expected["made_at"]) / 86_400
    found = talk.rooms()
    expect(set(found) == set(expected["rooms"]), f"there are rooms {sorted(found)}")
    exact = {room for room, of in expected["rooms"].items() if of["days"] is None or age_days < of["days"]}
    for room in exact:
        compare(expected["rooms"][room]["room"], found[room], room)
        visitors = {str(number): visitor for number, visitor in talk.visitors(room).items()}
        compare(expected["rooms"][room]["visitors"], visitors, f"visitors of {room}")
    for ticket in expected["tickets"]:
        answer = talk.look(ticket["room"], ticket["ticket"])
        if ticket["room"] not in exact:
            expect(answer.status in (200, 410), f"{ticket} is answered with {answer}")
            continue
        expect(answer.status == 200, f"{ticket} is answered with {answer}")
        compare({"number": ticket["number"], "state": ticket["state"]}, answer.json(), ticket["visitor"])
        if ticket["is_live"]:
            joined = talk.join(ticket["room"], ticket["visitor"]).json()
            compare({"number": ticket["number"], "ticket": ticket["ticket"]}, joined, ticket["visitor"])


def compare(wanted, found, where):
    """Later versions may say more, but nothing else."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            expect(isinstance(found, dict) and key in found, f"{where}: no {key}")
            compare(value, found[key], f"{where}, {key}")
    else:
        expect(wanted == found, f"{where}: {wanted} became {found}")
