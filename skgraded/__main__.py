"""``skgraded`` and ``python -m skgraded``: the command line as a process."""
# PYTHON_ARGCOMPLETE_OK - argcomplete's global completion looks for this word.

from __future__ import annotations

import io
import os
import signal
import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run the command of this process's command line, and end the process with its status.

    An interrupt (Ctrl-C) ends it at once, as it ends programs that do not ask for it: there is
    nothing to clean up, and threads that read and score do not look at signals.
    """
    _take_closed_files()
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # not if it is ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from skgraded.cli import main

    sys.exit(main())


def _take_closed_files() -> None:
    """Open the standard files that are closed, lest the next file be taken for one of them.

    Those that are open take any bytes, as ids have them that are not UTF-8.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="surrogateescape")


if __name__ == "__main__":
    run()
