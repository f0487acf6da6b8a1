"""A parser of command lines that suggests the nearest command, option or choice."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from skgraded._support.arguments import closest


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help whose usage names the files alone; the options are listed below it."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """Add the usage; without options it is the start of that of subcommands."""
        given = list(actions)
        shown = [each for each in given if not each.option_strings]
        if len(shown) < len(given):
            shown.insert(0, argparse.Action([], "options", metavar="[options]"))
            groups = []
        super().add_usage(usage, shown, groups, prefix)


class Parser(argparse.ArgumentParser):
    """A parser that reports a misspelled word where it stands, and the word that is nearest.

    Subcommands report unknown words themselves, with their own usage.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"formatter_class": _Formatter} | kwargs)
        self.suggest_on_error = False  # Python 3.14 suggests choices, too, but no options

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse words; unlike argparse, report unknown ones instead of returning them."""
        words = sys.argv[1:] if args is None else list(args)
        if self._subparsers is None:
            # Before argparse complains of a missing file, which the unknown option may precede.
            self._refuse(list(filter(self._is_unknown_option, _before_two_dashes(words))))
        found, unknown = super().parse_known_args(words, namespace)
        self._refuse(unknown)
        return found, unknown

    def is_given(self, option: str, chosen: argparse.Namespace) -> bool:
        """Whether an option has another value than the one by default."""
        name = self._option_string_actions[option].dest
        return bool(getattr(chosen, name) != self.get_default(name))

    def name_of(self, option: str) -> str:
        """Return the words by which an option is called, such as ``-m/--measure``."""
        return "/".join(self._option_string_actions[option].option_strings)

    def _is_unknown_option(self, word: str) -> bool:
        name = word.partition("=")[0]
        is_prefix = (each.startswith(name) for each in self._option_string_actions)
        return word.startswith("--") and not any(is_prefix)

    def _refuse(self, unknown: Sequence[str]) -> None:
        options = [word for word in unknown if word.startswith("-")]
        if options:
            nearest = closest(options[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}.{nearest}")
        if unknown:
            self.error(
                f"unrecognized arguments: {' '.join(unknown)}. Files must stand together, and not "
                "on both sides of an option."
            )

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            nearest = closest(str(value), map(str, action.choices or ()))
            raise argparse.ArgumentError(action, f"{error.message}.{nearest}") from None


def _before_two_dashes(words: Sequence[str]) -> Sequence[str]:
    """Return the words that may be options: those before a word of two dashes alone."""
    return words[: words.index("--")] if "--" in words else words
