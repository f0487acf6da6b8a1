"""The command line: ``skgraded demo`` and what comes after it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from skgraded import __version__
from skgraded.cli import _demo

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``skgraded``; by default those that the process was started with.

    Returns
    -------
    int
        Exit status: 0, or 2 where the input is at fault.

    Examples
    --------
    >>> from skgraded.cli import main
    >>> main(["demo", "--data", "no such file"])
    2
    """
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if not hasattr(chosen, "run"):
        parser.print_help()
        return 2
    try:
        chosen.run(chosen)
    except (OSError, ValueError) as error:
        print(f"skgraded {chosen.command}: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skgraded", description="Select and train ranking models on graded relevance."
    )
    parser.add_argument("--version", action="version", version=f"skgraded {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    _demo.add_command(commands)
    return parser
