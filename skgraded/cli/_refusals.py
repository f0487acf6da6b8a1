"""Which options cannot stand together: one table for all commands."""

from __future__ import annotations

import argparse

__all__ = ["refuse_beside", "refuse_without"]

_OF_TESTS = "--test --correction --as --plot --sort"

# The options that would have no effect beside another one, or would contradict it.
_REFUSED = {
    "--as trec_eval": "--average --complete --format --letor --negative --order --sort --ties",
    "--best": f"--room --profile --judge --baseline --measure --margin {_OF_TESTS}",
    "--halves": "--plot --repeats",
    "--judge": "--letor --cluster",
    "--profile": "--measure --test --correction --margin --as --sort",
    "--profile --judge": "--plot --cluster",
    "--repeats": "--plot",
    "--room": f"--profile --judge --baseline --resamples {_OF_TESTS}",
}
_REASONS = {"--as trec_eval": ", which decides it"}
_NEEDED = {"--as trec_eval": "-c -n -l -J -M"}


def refuse_beside(arguments: argparse.Namespace, option: str, called: str = "") -> None:
    """Raise an error if an option is given that cannot stand beside another one."""
    for each in _REFUSED[option].split():
        if arguments.parser.is_given(each, arguments):
            name = arguments.parser.name_of(each)
            reason = _REASONS.get(option, "")
            raise ValueError(f"{name} cannot be given with {called or option}{reason}.")


def refuse_without(arguments: argparse.Namespace, option: str) -> None:
    """Raise an error if an option is given that has no meaning without another one."""
    for each in _NEEDED[option].split():
        if arguments.parser.is_given(each, arguments):
            raise ValueError(f"{arguments.parser.name_of(each)} needs {option}.")
