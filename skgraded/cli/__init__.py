"""The command line: ``skgraded demo`` and what comes after it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from skgraded import __version__
from skgraded.cli import _demo, _evaluate

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
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = _parser(with_studies="study" in words)
    chosen = parser.parse_args(words)
    if not hasattr(chosen, "run"):
        parser.print_help()
        return 2
    try:
        chosen.run(chosen)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for the flush at the end
        return 0
    except (ImportError, OSError, ValueError) as error:
        print(f"skgraded {chosen.command}: {error}", file=sys.stderr)
        return 2
    return 0


def _parser(with_studies: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skgraded", description="Select and train ranking models on graded relevance."
    )
    parser.add_argument("--version", action="version", version=f"skgraded {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    _demo.add_command(commands)
    _evaluate.add_commands(commands)
    if with_studies:  # they import SciPy and scikit-learn, which takes a second
        from skgraded.cli._study import add_commands

        add_commands(commands)
    else:
        commands.add_parser("study", help="tell which measures to trust on your runs")
    return parser
