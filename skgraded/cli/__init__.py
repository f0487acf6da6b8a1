"""The command line: ``skgraded evaluate``, ``compare``, ``measures``, ``study`` and ``demo``."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from typing import Any

from skgraded import __version__
from skgraded.cli._completion import complete, is_completing
from skgraded.cli._messages import in_words_of_files, in_words_of_options
from skgraded.cli._parser import Parser
from skgraded.exceptions import SkgradedWarning

__all__ = ["main", "make_parser"]

_COMMANDS = {
    "demo": "choose a ranker by cross-validation, and see for whom it is better",
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
    >>> main(["demo", "--data", "no such file"])
    2
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    # Only the command that is called is imported: the others may need SciPy, which takes longer.
    called = next((word for word in words if not word.startswith("-")), "")
    parser = make_parser() if is_completing() else _parser_with([called])
    complete(parser)
    chosen = parser.parse_args(words)
    if not hasattr(chosen, "run"):
        parser.print_help()
        return 2
    try:
        with _warnings_in_words_of_options(chosen):
            return chosen.run(chosen) or 0
    except BrokenPipeError:  # the reader of the output, such as head, has closed it
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - Python flushes it at its end
        return 0
    except (ImportError, OSError, ValueError) as error:
        return _fail(chosen, in_words_of_options(in_words_of_files(str(error), chosen)))
    except MemoryError as error:
        return _fail(chosen, f"the memory does not suffice. {error}".strip())


@contextlib.contextmanager
def _warnings_in_words_of_options(chosen: argparse.Namespace) -> Iterator[None]:
    """Show warnings of the library as messages of the command."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def tell(
            message: Warning | str, category: type[Warning], *place: Any, **other: Any
        ) -> None:
            if issubclass(category, SkgradedWarning):
                _tell(chosen, f"warning: {in_words_of_options(str(message))}")
            else:
                show(message, category, *place, **other)

        warnings.showwarning = tell
        yield


def _fail(chosen: argparse.Namespace, message: str) -> int:
    _tell(chosen, message)
    return 2


def _tell(chosen: argparse.Namespace, message: str) -> None:
    if sys.stderr is not None:  # the process was started without it
        command = f"{chosen.command} {getattr(chosen, 'study', '')}".strip()
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
    return _parser_with(_COMMANDS)


def _parser_with(called: Collection[str]) -> argparse.ArgumentParser:
    """Make a parser that knows the options of some commands, and no more than the others' names."""
    parser = Parser(
        prog="skgraded",
        description="Evaluate, select and train rankers on graded relevance.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"skgraded {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for name, summary in _COMMANDS.items():
        if name in called:
            import_module(f"skgraded.cli._{name}").add_command(commands, summary)
        else:
            commands.add_parser(name, help=summary)
    return parser
