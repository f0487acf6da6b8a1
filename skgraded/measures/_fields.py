"""Fields of measures: the base class that reads them off a class, and checks of their values."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, NamedTuple, dataclass_transform

import numpy as np

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded.measures._field_docs import DocOfFields

# The default of a field that has none.
NEEDED = inspect.Parameter.empty


class Field(NamedTuple):
    """A field of a class: its default, if there is one, its check, and its annotation.

    The check takes the name and the value, and returns the value to keep.
    """

    default: Any = NEEDED
    check: Callable[[str, Any], Any] = lambda _, value: value
    annotation: Any = NEEDED


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

        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=field.annotation,
            )
            for name, field in owner._fields.items()
        ]
        return inspect.Signature(parameters)


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

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._fields = _fields_of(cls)
        for name, field in cls._fields.items():
            if isinstance(getattr(cls, name, NEEDED), Field):
                setattr(cls, name, field.default)
        if cls.__doc__ and cls.__init__ is Fields.__init__:
            cls.__doc__ = DocOfFields(cls.__doc__)  # type: ignore[assignment]

    def __init__(self, *args: object, **values: Any) -> None:
        kind = type(self)
        if args:
            raise TypeError(
                f"The fields of {kind.__name__} are keyword-only, such as {kind.__name__}(k=10). "
                f"To score, call an instance: {kind.__name__}()(y_true, y_score)."
            )

        unknown_names = values.keys() - kind._fields.keys()
        if unknown_names:
            name = min(unknown_names)
            raise TypeError(
                f"{kind.__name__} has no field {name!r}; its fields are {', '.join(kind._fields)}."
                f"{_params.closest(name, kind._fields)}"
            )

        attributes = vars(self)  # faster than attributes that refuse to be set
        for name, (default, check, _) in kind._fields.items():
            value = values.get(name, default)
            if value is NEEDED:
                raise TypeError(f"{kind.__name__} needs the field {name!r}.")
            attributes[name] = check(name, value)
        self._check()

    def _check(self) -> None:
        """Check what fields must have in common."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


def _fields_of(kind: type[Fields]) -> dict[str, Field]:
    """Return the fields that a class inherits and states, with the defaults that it has."""
    fields: dict[str, Field] = {}
    for base in reversed(kind.__mro__[1:]):
        fields |= vars(base).get("_fields", {})
    for name, annotation in inspect.get_annotations(kind).items():
        if not name.startswith("_") and "ClassVar" not in str(annotation):
            inherited = fields.get(name, Field())
            fields[name] = inherited._replace(annotation=annotation)

    for name, field in fields.items():
        stated = getattr(kind, name, NEEDED)
        if isinstance(stated, Field):
            fields[name] = stated._replace(annotation=field.annotation)
        else:
            _require_default(kind, name, stated)
            fields[name] = field._replace(default=stated)
    return fields


def _require_default(kind: type[Fields], name: str, value: Any) -> None:
    """Raise where a value that stands in a class cannot be the default of a field."""
    if hasattr(value, "__get__") and value is not NEEDED:
        raise TypeError(
            f"{name} must be a value in {kind.__name__}, the default of a field of its base "
            f"class, got a method or property."
        )
    if type(value).__hash__ is None:
        raise ValueError(
            f"mutable default {type(value)} for field {name} of {kind.__name__}: write a tuple."
        )


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


def numbers_by_grade(name: str, values: Any) -> tuple[float, ...]:
    """Return a field with one number per grade as a tuple of floats."""
    if type(values) is tuple and set(map(type, values)) == {float}:
        numbers = values
    else:
        entries = np.asarray(values, dtype=object)
        is_list = entries.ndim == 1 and len(entries) > 0
        if not is_list or not all(map(_params.is_number, entries)):
            raise ValueError(
                f"{name} must hold one number per grade 1, 2, ..., got {values!r}."
            )
        numbers = tuple(map(float, entries))

    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"{name} must hold finite numbers, got {values!r}.")
    return numbers
