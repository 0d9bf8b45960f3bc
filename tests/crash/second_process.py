"""A second server on the same folder is refused, and the first one goes on."""

from cases import expect
from process import EXIT_DATA, Refused
from server import Server


def run(options):
    with Server(options.anteroom, options.folder) as first:
        talk = first.talk()
        before = talk.join("hall", "ann").json()
        attempts = 3
        with first.frozen():  # A change in the folder now is not by the first server.
            data = files_of(first.data)
            for _ in range(attempts):
                refuse_second(options)
            expect(files_of(first.data) == data, "the second one changed the folder")
        after = talk.join("hall", "ben").json()
        expect(after["number"] == before["number"] + 1, f"the first one gave {before} and then {after}")
        first.kill()
    with Server(options.anteroom, options.folder) as again:
        numbers = {visitor["number"] for visitor in again.talk().visitors("hall").values()}
        expect(numbers == {before["number"], after["number"]}, f"afterwards there are {numbers}")
        again.stop()
    return f"{attempts} refused, the first one went on"


def files_of(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def refuse_second(options):
    try:
        with Server(options.anteroom, options.folder, log="log-of-the-second"):
            pass
    except Refused as refused:
        expect(refused.end.code == EXIT_DATA, f"the second one ended with {refused}")
        expect("is in use by process" in refused.end.line, f"the second one said {refused}")
        return
    expect(False, "two servers write to one folder")
