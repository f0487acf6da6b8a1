"""``skgraded`` and ``python -m skgraded``: the command line as a process."""
# PYTHON_ARGCOMPLETE_OK - argcomplete's global completion looks for this word.

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
import time
from typing import NoReturn

_INTERRUPTED = 128 + signal.SIGINT
_TIME_TO_CLEAN_UP = 0.3  # seconds


def run() -> NoReturn:
    """Run the command of this process's command line, and end the process with its status.

    After an interrupt (Ctrl-C) the process ends within a second with status 130, whatever its
    threads are doing.
    """
    _take_closed_files()
    _end_soon_after_an_interrupt()
    try:
        from skgraded.cli import main

        status = main()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write("skgraded: interrupted\n")
            sys.stderr.flush()
        # Without the end of Python, which waits for all threads.
        os._exit(_INTERRUPTED)
    sys.exit(status)


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


def _end_soon_after_an_interrupt() -> None:
    """Let the main thread clean up after an interrupt, and then end the process.

    The main thread may be waiting for others, which read and score without a look at signals.
    """
    signals, interpreter = os.pipe()
    os.set_blocking(interpreter, False)
    # Python writes the number of a signal there as soon as it comes.
    signal.set_wakeup_fd(interpreter, warn_on_full_buffer=False)

    def watch() -> None:
        while os.read(signals, 1) != bytes([signal.SIGINT]):
            pass
        time.sleep(_TIME_TO_CLEAN_UP)
        os._exit(_INTERRUPTED)

    threading.Thread(target=watch, name="interrupts", daemon=True).start()


if __name__ == "__main__":
    run()
