"""Two servers on one Redis: the silent are known to one of them, the living to the other."""

import contextlib

import house
from redis_servers import Single
from town import Town


def run(options):
    with contextlib.ExitStack() as stack:
        town = Town(stack, options, Single(stack, options.folder), count=2, replicas=0)
        said = house.run(*town.servers, town.make_room)
        town.stop()
    return f"through two servers, {said}"
