"""A parser of command lines that suggests the nearest word and names options in messages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from skgraded._support.arguments import closest

# What functions call the runs, which on the command line are files.
_RUNS = ("rankers", "scores")


class Parser(argparse.ArgumentParser):
    """A parser that reports a misspelled word where it stands, and the word that is nearest.

    Subcommands report unknown words themselves, with their own usage. An option has the name of the
    argument that it sets, without ``n_``, and so is found where a message begins with that.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        self.suggest_on_error = (
            False  # Python 3.14 suggests choices, too, but no options
        )

    def parse_known_args(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse words; unlike argparse, report unknown ones instead of returning them."""
        words = sys.argv[1:] if args is None else list(args)
        # Before argparse complains of a missing file, or a command of what it does not expect.
        has_commands = self._subparsers is not None
        self._refuse_unknown_options(
            *((words[:1], "-") if has_commands else (words, "--"))
        )
        found, unknown = super().parse_known_args(words, namespace)
        if unknown:
            self._refuse_unknown_options(unknown, "-")
            self.error(
                f"unrecognized arguments: {' '.join(unknown)}. Files must stand together, and not "
                "on both sides of an option."
            )
        return found, unknown

    def refuse(self, chosen: argparse.Namespace, options: str, why: str) -> None:
        """Raise an error for the first of several options that is given, by its value."""
        for option in options.split():
            action = self._option_string_actions[option]
            if getattr(chosen, action.dest) != self.get_default(action.dest):
                raise ValueError(f"{'/'.join(action.option_strings)} {why}.")

    def in_words_of_options(self, message: str) -> str:
        """Name the option where a message begins with the argument that it sets."""
        message = message.replace(" in y_true", " in the qrels")
        name, _, rest = message.partition(" ")
        dest = "runs" if name in _RUNS else name.removeprefix("n_")
        for action in self._actions:
            if action.dest == dest:
                return f"{(action.option_strings or [dest])[-1]} {rest}"
        return message

    def file_in_words(self, error: OSError, chosen: argparse.Namespace) -> str:
        """Name the option or argument of a file that the system refused."""
        for action in self._actions:
            given = getattr(chosen, action.dest, None)
            if given and error.filename in (
                given if isinstance(given, list) else [given]
            ):
                name = (action.option_strings or [str(action.metavar or action.dest)])[
                    -1
                ]
                told = f"{error.filename!r} ({str(error.strerror).lower()})"
                return f"{name} must name a file that can be opened, got {told}."
        return str(error)

    def _refuse_unknown_options(self, words: Sequence[str], dashes: str) -> None:
        """Stop at words that begin with dashes, stand before two dashes alone, and are unknown."""
        known = self._option_string_actions
        before = words[: words.index("--")] if "--" in words else words
        named = [
            (word, word.partition("=")[0]) for word in before if word.startswith(dashes)
        ]
        unknown = [
            (w, n) for w, n in named if not any(each.startswith(n) for each in known)
        ]
        if unknown:
            told = " ".join(word for word, _ in unknown)
            self.error(
                f"unrecognized arguments: {told}.{closest(unknown[0][1], known)}"
            )

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            nearest = closest(str(value), map(str, action.choices or ()))
            raise argparse.ArgumentError(action, f"{error.message}.{nearest}") from None


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell with the words that may come next, in any case, and end."""
    try:
        import argcomplete
    except ImportError:
        return
    argcomplete.autocomplete(
        parser, validator=lambda word, prefix: word.lower().startswith(prefix.lower())
    )


def complete_measures(**_: Any) -> list[str]:
    """List the measures."""
    from skgraded.measures import catalogue

    return list(catalogue())
