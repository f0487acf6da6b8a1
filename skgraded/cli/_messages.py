"""Messages of the library in the words of the command line: options instead of arguments."""

from __future__ import annotations

import re

__all__ = ["in_words_of_options"]

_OPTIONS = {
    "baseline": "--baseline",
    "by_grade": "--by-grade",
    "complete": "--complete",
    "confidence": "--confidence",
    "correction": "--correction",
    "judge": "--judge",
    "length": "--length",
    "max_rank": "--max-rank",
    "n_folds": "--folds",
    "n_splits": "--folds",
    "n_repeats": "--repeats",
    "n_resamples": "--resamples",
    "n_steps": "--steps",
    "n_threads": "--threads",
    "n_trials": "--trials",
    "negative": "--negative",
    "nested": "--nested",
    "order": "--order",
    "rates": "--rates",
    "ratio": "--ratio",
    "target": "--target",
    "test": "--test",
    "tests": "--test",
    "tool": "--as",
}
# An argument and its value, as in test="tukey", or an argument that must be something.
_ARGUMENT = re.compile(rf'(?<![\w.-])({"|".join(_OPTIONS)})(?:=("[^"]*"|\w*)|(?= must ))')
_WORDS = {
    "rankers must hold ": "The runs must hold ",
    "scores must hold ": "The runs must hold ",
    "systems must keep ": "The study must keep ",
    " in y_true": " in the qrels",
    ", or None for one thread": "",
    "skgraded.catalogue() lists all measures; skgraded.conventions.measure_as accepts the names "
    "that other tools use.": "'skgraded measures' lists all measures; --as TOOL takes the names of "
    "another tool.",
    " If these are scores, swap the arguments: y_true comes first, and then y_score.": "",
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
    return f"{_OPTIONS[name]} {value}".rstrip()
