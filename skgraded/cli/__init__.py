"""The command line: ``skgraded evaluate``, ``compare``, ``measures``, ``study`` and ``demo``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from skgraded import __version__
from skgraded.cli._parser import Parser, complete

__all__ = ["main", "make_parser"]

_COMMANDS = {
    "demo": "train two rankers on made-up data, and see for whom each is better",
    "evaluate": "score TREC runs by any measure",
    "compare": "test which TREC runs differ significantly",
    "measures": "list the measures, or explain one",
    "study": "study which measures to trust on your runs",
}
_EPILOG = """\
completion of words with the TAB key in bash and zsh:
  pip install "skgraded[completion]"
  eval "$(register-python-argcomplete skgraded)"
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``skgraded``; by default those of the command line of this process.

    Returns
    -------
    int
        Exit status: 0, or 2 if the input is at fault. ``compare --margin`` ends with 1 if the
        margin fails, and with 3 if that is undecided.

    Examples
    --------
    >>> from skgraded.cli import main
    >>> main(["evaluate", "no such file", "bm25.run"])
    2
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if "_ARGCOMPLETE" in os.environ:  # the shell asks for the words that may come next
        complete(make_parser())

    command = words[:1]
    names = command if _COMMANDS.keys() & command else _COMMANDS
    parser = _parser_with(names, command)
    options = parser.parse_args(words)
    if not hasattr(options, "run"):
        parser.print_help()
        return 2

    try:
        with warnings.catch_warnings():
            warnings.showwarning = partial(_show_warning, options)
            return options.run(options) or 0
    except BrokenPipeError:  # the reader of the output, such as head, has closed it
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - Python flushes it at its end
        return 0
    except OSError as error:
        _tell(options, options.parser.file_in_words(error, options))
    except (ImportError, ValueError) as error:
        _tell(options, options.parser.in_words_of_options(error))
    except MemoryError as error:
        _tell(options, f"the memory does not suffice. {error}".strip())
    return 2


def _show_warning(
    options: argparse.Namespace, message: Warning | str, *_: Any, **__: Any
) -> None:
    """Show a warning as a message of the command."""
    _tell(options, f"warning: {options.parser.in_words_of_options(message)}")


def _tell(options: argparse.Namespace, message: str) -> None:
    if sys.stderr is not None:  # the process was started without it
        command = f"{options.command} {getattr(options, 'study', '')}".strip()
        print(f"skgraded {command}: {message}", file=sys.stderr)


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of the command line.

    Returns
    -------
    argparse.ArgumentParser
        The parser. The namespace that it returns has the attribute ``run``, a function that takes
        the namespace and runs the command.

    Examples
    --------
    >>> from skgraded.cli import make_parser
    >>> arguments = make_parser().parse_args(["evaluate", "qrels.txt", "bm25.run", "-m", "AP"])
    >>> arguments.measures
    ['AP']
    """
    return _parser_with(_COMMANDS, _COMMANDS)


def _parser_with(
    names: Iterable[str], called: Collection[str]
) -> argparse.ArgumentParser:
    """Make a parser of commands, and import only those that are called: others may need SciPy."""
    parser = Parser(
        prog="skgraded",
        description="Evaluate, select and train rankers on graded relevance.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--version", action="version", version=f"skgraded {__version__}"
    )
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", prog=parser.prog
    )

    for name in names:
        command = commands.add_parser(name, help=_COMMANDS[name])
        if name in called:
            command.set_defaults(parser=command)
            import_module(f"skgraded.cli._{name}").set_up(command)
    return parser
