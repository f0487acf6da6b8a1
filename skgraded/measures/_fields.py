"""Fields of measures: the base class that reads them off a class, and checks of their values."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, NamedTuple, Self, dataclass_transform

import numpy as np

from skgraded import _core
from skgraded._support import arguments as _params

_NEEDED = inspect.Parameter.empty


class Field(NamedTuple):
    """A field of a class: its default, if there is one, its check, and its annotation.

    The check takes the name and the value, and returns the value to keep.
    """

    default: Any = _NEEDED
    check: Callable[[str, Any], Any] = lambda _, value: value
    annotation: Any = _NEEDED


def field(default: Any, check: Callable[[str, Any], Any]) -> Any:
    """State the default of a field, and the check of its values."""
    return Field(default, check)


def number(default: float, **bounds: Any) -> Any:
    """State a field that takes numbers within bounds."""
    return Field(default, lambda name, value: _params.number(name, value, **bounds))


def choice(default: str, known: Iterable[str]) -> Any:
    """State a field that takes one of some words."""
    return Field(default, lambda name, value: _params.choice(name, value, known))


class _SignatureOfFields:
    """The signature of a class, which help and completion show: its fields."""

    def __get__(self, instance: object, owner: type[Fields]) -> inspect.Signature:
        # An instance is called to score, and a class may have a constructor of its own.
        if instance is not None or owner.__init__ is not Fields.__init__:
            raise AttributeError("__signature__")
        kind = inspect.Parameter.KEYWORD_ONLY
        fields = [
            inspect.Parameter(
                name, kind, default=each.default, annotation=each.annotation
            )
            for name, each in owner._fields.items()
        ]
        return inspect.Signature(fields)


# The text before the section Parameters, the entries in it, and the sections behind it.
_SECTIONS = r"(?s)\A(.*?)(?:\n\nParameters\n-+\n(.*?))?(\n\n[A-Z][\w ]*\n---.*|\s*)\Z"


class _DocOfFields:
    """The docstring of a class, to which fields are added that only base classes document.

    It is composed where it is read, since that of all measures takes 6 ms.
    """

    def __init__(self, written: str) -> None:
        self._written = written

    def _read(self) -> tuple[str, str, str, dict[str, str]]:
        """Return the sections, and what the entries say behind the name of each field."""
        ((before, section, after),) = re.findall(
            _SECTIONS, inspect.cleandoc(self._written)
        )
        entries = [each.partition(" : ") for each in re.split(r"\n(?=\S)", section)]
        said = {name: rest for names, _, rest in entries for name in names.split(", ")}
        return before, section, after, said

    def __get__(self, instance: object, owner: type[Fields]) -> str:
        before, section, after, own = self._read()
        inherited: dict[str, str] = {}
        for parent in owner.__mro__[1:]:
            doc = vars(parent).get("__doc__")
            if isinstance(doc, _DocOfFields):
                for name, said in doc._read()[-1].items():
                    inherited.setdefault(name, said)
        added = [
            f"{name} : {_described(owner._fields[name], entry)}"
            for name, entry in inherited.items()
            if name in owner._fields and name not in own
        ]
        entries = "\n".join([section, *added] if section else added)
        return f"{before}\n\nParameters\n----------\n{entries}{after}\n"


def _described(field: Field, entry: str) -> str:
    """Return what a base class says of a field, with the default that it now has."""
    typed, line_end, meaning = entry.partition("\n")
    typed = re.sub(", (optional|default=.*)$", "", typed)
    if field.default is None:
        typed += ", optional"
    elif field.default is not _NEEDED:
        typed += f", default={field.default!r}".replace("'", '"')
    return typed + line_end + meaning


@dataclass_transform(eq_default=False, kw_only_default=True, frozen_default=True)
class Fields:
    """Base class whose subclasses are immutable and have keyword-only fields.

    A name with an annotation is a field, and its value is the default, or says by `field`,
    `number` or `choice` what is checked, too. A value without an annotation changes the default of
    a parent's field.

    A docstring describes the fields that its class states, in the section Parameters. The entries
    of the base classes are added there, with the defaults of the class.
    """

    _fields: ClassVar[dict[str, Field]] = {}
    __signature__ = _SignatureOfFields()

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        fields: dict[str, Field] = {}
        for parent in reversed(cls.__mro__[1:]):
            fields |= vars(parent).get("_fields", {})
        for name, annotation in inspect.get_annotations(cls).items():
            if not (name.startswith("_") or "ClassVar" in str(annotation)):
                fields[name] = fields.get(name, Field())._replace(annotation=annotation)
        for name, inherited in fields.items():
            stated = getattr(cls, name, _NEEDED)
            if isinstance(stated, Field):
                fields[name] = stated._replace(annotation=inherited.annotation)
                setattr(cls, name, stated.default)
            else:
                fields[name] = inherited._replace(
                    default=_checked_default(cls, name, stated)
                )
        cls._fields = fields
        if cls.__doc__ and cls.__init__ is Fields.__init__:
            cls.__doc__ = _DocOfFields(cls.__doc__)  # type: ignore[assignment]

    def __init__(self, *args: object, **given: Any) -> None:
        kind = type(self)
        if args:
            raise TypeError(
                f"The fields of {kind.__name__} are keyword-only, such as {kind.__name__}(k=10). "
                f"To score, call an instance: {kind.__name__}()(y_true, y_score)."
            )
        for name in given.keys() - kind._fields.keys():
            raise TypeError(
                f"{kind.__name__} has no field {name!r}; its fields are {', '.join(kind._fields)}."
                f"{_params.closest(name, kind._fields)}"
            )
        values = vars(self)
        for name, (default, check, _) in kind._fields.items():
            value = given.get(name, default)
            if value is _NEEDED:
                raise TypeError(f"{kind.__name__} needs the field {name!r}.")
            values[name] = check(name, value)
        self._check()

    def _check(self) -> None:
        """Check what fields must have in common."""

    def _replace(self, **fields: Any) -> Self:
        """Return a copy with other values of some fields."""
        return type(self)(
            **{**{name: getattr(self, name) for name in self._fields}, **fields}
        )

    def __replace__(self, **fields: Any) -> Self:
        """Return what `copy.replace` returns, from Python 3.13 on."""
        return self._replace(**fields)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


def _checked_default(kind: type[Fields], name: str, default: Any) -> Any:
    """Return a default as it stands in a class; raise where it cannot be one."""
    if hasattr(default, "__get__") and default is not _NEEDED:
        raise TypeError(
            f"{name} must be a value in {kind.__name__}, the default of a field of its base "
            f"class, got a method or property."
        )
    if type(default).__hash__ is None:
        raise ValueError(
            f"mutable default {type(default)} for field {name} of {kind.__name__}: write a tuple."
        )
    return default


def check_cutoff(name: str, k: Any) -> int | None:
    """Return k as an int, or None for the whole list."""
    cutoff = _params.integer_or_none(name, k, 1, "the whole list")
    if cutoff is not None and cutoff > _core.LAST_RANK:
        raise ValueError(
            f"{name} must be below 2**63, or None for the whole list, got {k!r}."
        )
    return cutoff


def check_empty(name: str, empty: Any) -> float:
    """Return the value of queries without relevant documents: a finite number or nan."""
    if not _params.is_number(empty) or math.isinf(empty):
        raise ValueError(
            f"{name} must be a finite number, the value of queries without relevant documents, or "
            f"nan to leave them out of the mean, got {empty!r}."
        )
    return float(empty)


def numbers_by_grade(field: str, values: Any) -> tuple[float, ...]:
    """Return a field with one number per grade as a tuple of floats."""
    if type(values) is tuple and set(map(type, values)) == {float}:
        numbers = values
    else:
        entries = np.asarray(values, dtype=object)
        if (
            entries.ndim != 1
            or len(entries) == 0
            or not all(map(_params.is_number, entries))
        ):
            raise ValueError(
                f"{field} must hold one number per grade 1, 2, ..., got {values!r}."
            )
        numbers = tuple(map(float, entries))
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"{field} must hold finite numbers, got {values!r}.")
    return numbers
