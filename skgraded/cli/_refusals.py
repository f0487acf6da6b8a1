"""Which options cannot stand together: one table for all commands."""

from __future__ import annotations

import argparse

# The options that would have no effect beside another one, or would contradict it.
_REFUSED = {
    "--as trec_eval": "--average --complete --format --letor --negative --order --sort --ties",
    "--judge": "--letor --cluster",
    "--profile": "--measure --judge --population --test --correction --margin --better --as "
    "--resamples --seed",
}
_REASONS = {"--as trec_eval": ", which decides it"}
_NEEDED = {"--as trec_eval": "-c -n -l -J -M"}


def refuse_beside(arguments: argparse.Namespace, option: str) -> None:
    """Raise an error if an option is given that cannot stand beside another one."""
    for each in _REFUSED[option].split():
        if arguments.parser.is_given(each, arguments):
            name = arguments.parser.name_of(each)
            reason = _REASONS.get(option, "")
            raise ValueError(f"{name} cannot be given with {option}{reason}.")


def refuse_without(arguments: argparse.Namespace, option: str) -> None:
    """Raise an error if an option is given that has no meaning without another one."""
    for each in _NEEDED[option].split():
        if arguments.parser.is_given(each, arguments):
            raise ValueError(f"{arguments.parser.name_of(each)} needs {option}.")
