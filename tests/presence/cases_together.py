"""Cases that mostly wait, side by side."""

import threading
import traceback

from cases import Cases, Failed


def run_together(cases):
    """`cases`: name to function. Raises after the last one has ended, when one of them went wrong; returns what each says."""
    book, said = Cases(""), {}

    def run(name, function):
        with book.case(name):
            try:
                said[name] = function()
            except Failed:
                raise
            except Exception:
                raise Failed(traceback.format_exc()) from None

    threads = [threading.Thread(target=run, args=pair) for pair in cases.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    book.finish()
    return said
