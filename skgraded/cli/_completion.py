"""Completion of words by the shell, if argcomplete is installed."""

from __future__ import annotations

import argparse
import os
from typing import Any


def is_completing() -> bool:
    """Whether the shell asks for the words that may come next."""
    return "_ARGCOMPLETE" in os.environ


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell with the words that may come next, and end; do nothing for other calls."""
    if not is_completing():
        return
    try:
        import argcomplete
    except ImportError:
        return
    argcomplete.autocomplete(parser, validator=_starts_with)


def complete_measures(**_: Any) -> list[str]:
    """List the measures."""
    from skgraded.measures import catalogue

    return list(catalogue())


def _starts_with(word: str, prefix: str) -> bool:
    """Whether a word may complete a prefix, in any case."""
    return word.lower().startswith(prefix.lower())
