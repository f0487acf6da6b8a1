"""A parser of command lines that suggests the nearest word and names options in messages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from skgraded._support.arguments import ArgumentError, closest

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
        # Python 3.14 suggests choices, too, but no options.
        self.suggest_on_error = False

    def parse_known_args(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse words; unlike argparse, report unknown ones instead of returning them."""
        words = sys.argv[1:] if args is None else list(args)
        # Before argparse complains of a missing file, or a command of what it does not expect.
        has_commands = self._subparsers is not None
        if has_commands:
            self._refuse_unknown_options(words[:1], "-")
        else:
            self._refuse_unknown_options(words, "--")

        options, unknown = super().parse_known_args(words, namespace)
        if unknown:
            self._refuse_unknown_options(unknown, "-")
            self.error(
                f"unrecognized arguments: {' '.join(unknown)}. Files must stand together, and not "
                "on both sides of an option."
            )
        return options, unknown

    def refuse(self, options: argparse.Namespace, names: str, why: str) -> None:
        """Raise an error for the first of several options that is given, by its value."""
        for name in names.split():
            action = self._option_string_actions[name]
            if getattr(options, action.dest) != self.get_default(action.dest):
                raise ValueError(f"{'/'.join(action.option_strings)} {why}.")

    def in_words_of_options(self, error: Exception | str) -> str:
        """Return the text of an error or a warning, with the option in place of the argument."""
        text = str(error)
        if isinstance(error, ArgumentError):
            argument_error = error
        else:  # its text begins with the argument, if it is about one
            name, _, rule = text.partition(" ")
            argument_error = ArgumentError(name, rule)

        option = self._option_of(argument_error.name)
        if option is not None:
            text = str(argument_error.renamed(option))
        return text.replace(" in y_true", " in the qrels")

    def _option_of(self, argument: str) -> str | None:
        """Return the option or the file that sets an argument, or None."""
        dest = argument.removeprefix("n_")
        if argument in _RUNS:
            dest = "runs"
        for action in self._actions:
            if action.dest == dest:
                return (action.option_strings or [dest])[-1]
        return None

    def file_in_words(self, error: OSError, options: argparse.Namespace) -> str:
        """Name the option or argument of a file that the system refused."""
        for action in self._actions:
            value = getattr(options, action.dest, None)
            paths = value if isinstance(value, list) else [value]
            if value and error.filename in paths:
                names = action.option_strings or [str(action.metavar or action.dest)]
                return (
                    f"{names[-1]} must name a file that can be opened, got {error.filename!r} "
                    f"({str(error.strerror).lower()})."
                )
        return str(error)

    def _refuse_unknown_options(self, words: Sequence[str], dashes: str) -> None:
        """Stop at words that begin with dashes, stand before two dashes alone, and are unknown."""
        if "--" in words:
            words = words[: words.index("--")]

        options = list(self._option_string_actions)
        unknown = []
        for word in words:
            name, _, _ = word.partition("=")
            is_known = any(option.startswith(name) for option in options)
            if word.startswith(dashes) and not is_known:
                unknown.append(word)

        if unknown:
            first_name, _, _ = unknown[0].partition("=")
            self.error(
                f"unrecognized arguments: {' '.join(unknown)}.{closest(first_name, options)}"
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
