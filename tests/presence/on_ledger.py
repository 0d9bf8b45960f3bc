"""One server with a ledger."""

import house
from cases import expect
from server import Server
from town import with_talk


def run(options):
    with Server(options.anteroom, options.folder) as server:

        def make_room(room, settings):
            answer = with_talk(server, lambda talk: talk.configure(room, settings))
            expect(answer.status == 201, f"{room} cannot be made: {answer}")

        said = house.run(server, server, make_room)
        server.stop()
    return said
