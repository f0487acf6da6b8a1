"""Docstrings of classes with fields, to which the fields of their base classes are added."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skgraded.measures._fields import Field, Fields

# The text before the section Parameters, the entries in it, and the sections behind it.
_SECTIONS = r"(?s)\A(.*?)(?:\n\nParameters\n-+\n(.*?))?(\n\n[A-Z][\w ]*\n---.*|\s*)\Z"


class DocOfFields:
    """The docstring of a class, to which fields are added that only base classes document.

    It is composed where it is read, since that of all measures takes 6 ms.
    """

    def __init__(self, written: str) -> None:
        self._written = written

    def _sections(self) -> tuple[str, str, str]:
        """Return the text before the entries, the entries, and the text behind them."""
        ((before, entries, after),) = re.findall(
            _SECTIONS, inspect.cleandoc(self._written)
        )
        return before, entries, after

    def _entry_by_field(self) -> dict[str, str]:
        """Return what the entries say behind the name of each field."""
        _, entries, _ = self._sections()

        entry_by_field = {}
        for entry in re.split(r"\n(?=\S)", entries):
            names, _, description = entry.partition(" : ")
            for name in names.split(", "):
                entry_by_field[name] = description
        return entry_by_field

    def __get__(self, instance: object, owner: type[Fields]) -> str:
        inherited: dict[str, str] = {}
        for base in owner.__mro__[1:]:
            doc = vars(base).get("__doc__")
            if isinstance(doc, DocOfFields):
                for name, entry in doc._entry_by_field().items():
                    inherited.setdefault(name, entry)

        names = self._entry_by_field().keys()
        added = [
            f"{name} : {_describe(owner._fields[name], entry)}"
            for name, entry in inherited.items()
            if name in owner._fields and name not in names
        ]
        before, entries, after = self._sections()
        if entries:
            added = [entries, *added]
        section = "\n".join(added)
        return f"{before}\n\nParameters\n----------\n{section}{after}\n"


def _describe(field: Field, entry: str) -> str:
    """Return what a base class says of a field, with the default that it now has."""
    typed, line_end, meaning = entry.partition("\n")
    typed = re.sub(", (optional|default=.*)$", "", typed)
    if field.default is None:
        typed += ", optional"
    elif field.default is not inspect.Parameter.empty:
        typed += f", default={field.default!r}".replace("'", '"')
    return typed + line_end + meaning
