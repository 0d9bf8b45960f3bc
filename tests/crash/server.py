"""The server with its data folder."""

import pathlib

from process import SNAPSHOT_FACTS, Process


class Server(Process):
    def __init__(self, anteroom, folder, wrapper=(), log="log"):
        self.data = pathlib.Path(folder) / "data"
        config = (
            '[server]\nlisten = "127.0.0.1:0"\nthreads = 2\n'
            f'[store]\nurl = "embedded:{self.data}"\n'
            f"[ledger]\nsnapshot_facts = {SNAPSHOT_FACTS}\n"
        )
        super().__init__(anteroom, folder, config, wrapper, log)
