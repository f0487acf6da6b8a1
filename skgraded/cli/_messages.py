"""Messages of the library in the words of the command line: options instead of arguments."""

from __future__ import annotations

import argparse
import ast
import re

_OPTIONS = {
    "baseline": "--baseline",
    "better": "--better",
    "by_grade": "--by-grade",
    "complete": "--complete",
    "confidence": "--confidence",
    "correction": "--correction",
    "judge": "--judge",
    "length": "--length",
    "margin": "--margin",
    "max_rank": "--max-rank",
    "n_repeats": "--repeats",
    "n_resamples": "--resamples",
    "n_steps": "--steps",
    "n_threads": "--threads",
    "negative": "--negative",
    "nested": "--nested",
    "order": "--order",
    "population": "--population",
    "rates": "--rates",
    "ratio": "--ratio",
    "target": "--target",
    "test": "--test",
    "tests": "--test",
    "tool": "--as",
}
# What Python says of a file, such as [Errno 2] No such file or directory: 'qrels.txt'.
_OF_FILE = re.compile(r"""^\[Errno \d+\] (.+?): (['"].*['"])$""", re.MULTILINE)
# An argument and its value, as in test="tukey", or an argument that must be something.
_ARGUMENT = re.compile(rf'(?<![\w.-])({"|".join(_OPTIONS)})(?:=("[^"]*"|\w*)|(?= must | cannot ))')
_WORDS = {
    "rankers must hold ": "The runs must hold ",
    "scores must hold ": "The runs must hold ",
    "systems must keep ": "The study must keep ",
    " in y_true": " in the qrels",
    ", or None for one thread": "",
    "skgraded.catalogue() lists all measures; skgraded.conventions.measure_as accepts the names "
    "that other tools use.": "'skgraded measures' lists all measures; --as TOOL takes the names of "
    "another tool.",
}


def in_words_of_options(message: str) -> str:
    """Name the options of the command line where a message names arguments of functions.

    Parameters
    ----------
    message : str
        The message of an error.

    Returns
    -------
    str
        The message with options, such as ``--resamples``.
    """
    for words_of_python, words in _WORDS.items():
        message = message.replace(words_of_python, words)
    return _ARGUMENT.sub(_option, message)


def _option(found: re.Match[str]) -> str:
    name, value = found.group(1), (found.group(2) or "").strip('"')
    return f"{_OPTIONS[name]} {value}".removesuffix(" True").rstrip()


def in_words_of_files(message: str, chosen: argparse.Namespace) -> str:
    """Name the arguments whose files the system refused.

    Parameters
    ----------
    message : str
        The message of an error, of which each line may be about another file.
    chosen : Namespace
        The arguments, and as ``parser`` the parser that read them.

    Returns
    -------
    str
        The message with the arguments, such as ``qrels`` and ``--judge``.
    """

    def words(found: re.Match[str]) -> str:
        name = _argument_of(ast.literal_eval(found.group(2)), chosen)
        reason = found.group(1).lower()
        return f"{name} must name a file that can be opened, got {found.group(2)} ({reason})."

    return _OF_FILE.sub(words, message)


def _argument_of(path: str, chosen: argparse.Namespace) -> str:
    for action in getattr(chosen, "parser", argparse.ArgumentParser())._actions:
        given = getattr(chosen, action.dest, None)
        if path in (given if isinstance(given, list) else [given]):
            names = action.option_strings or [str(action.metavar or action.dest)]
            return names[-1]
    return "An argument"
