"""Fields of measures: the base class that reads them off a class, and checks of their values."""

from __future__ import annotations

import dataclasses
import inspect
import math
from functools import cache
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from skgraded import _core
from skgraded._support import arguments as _params


class _SignatureOfFields:
    """The signature of a class, which help and completion show: its fields."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None:  # which is called to score
            raise AttributeError("__signature__")
        constructor = inspect.getattr_static(owner, "__init__")
        if constructor is not Fields.__init__:
            given = inspect.signature(constructor)
            return given.replace(parameters=list(given.parameters.values())[1:])
        fields = dataclasses.fields(owner) if dataclasses.is_dataclass(owner) else ()
        return inspect.Signature(list(map(_parameter, fields)))


def _parameter(field: dataclasses.Field[Any]) -> inspect.Parameter:
    is_needed = field.default is dataclasses.MISSING
    default = inspect.Parameter.empty if is_needed else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=field.type
    )


@dataclass_transform(eq_default=False, kw_only_default=True, frozen_default=True)
class Fields:
    """Base class whose subclasses are immutable and have keyword-only fields.

    A name with an annotation is a field, and its value is the default. A value without an
    annotation changes the default of a parent's field.
    """

    _n_by_position: ClassVar[int] = 0
    __signature__ = _SignatureOfFields()

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        parents = filter(dataclasses.is_dataclass, reversed(cls.__mro__[1:]))
        inherited = {
            field.name: field for parent in parents for field in dataclasses.fields(parent)
        }
        annotations = inspect.get_annotations(cls)
        for name, field in inherited.items():
            default = getattr(cls, name, dataclasses.MISSING)
            if name in annotations or default is field.default:
                continue
            if hasattr(default, "__get__"):
                raise TypeError(
                    f"{name} must be a value in {cls.__name__}, the default of a field of its base "
                    f"class, got a method or property."
                )
            annotations[name] = field.type
        cls.__annotations__ = annotations
        # Python compiles the methods of a frozen dataclass one by one, which takes half a
        # millisecond a class: more than all else that is imported.
        dataclasses.dataclass(init=False, kw_only=True, eq=False, repr=False)(cls)

    def __new__(cls, *args: object, **fields: object) -> Self:
        """Refuse positional arguments: fields are keyword-only; call the instance to score."""
        if len(args) > cls._n_by_position:
            raise TypeError(
                f"The fields of {cls.__name__} are keyword-only, such as {cls.__name__}(k=10). To "
                f"score, call an instance: {cls.__name__}()(y_true, y_score)."
            )
        known = names_of(cls)  # type: ignore[arg-type]
        for name in fields:
            if name not in known:
                raise TypeError(
                    f"{cls.__name__} has no field {name!r}; its fields are {', '.join(known)}."
                    f"{_params.closest(name, known)}"
                )
        return super().__new__(cls)

    def __init__(self, **fields: Any) -> None:
        values = vars(self)
        values.update(_defaults_of(type(self)))  # type: ignore[arg-type]
        values.update(fields)
        for name, value in values.items():
            if value is dataclasses.MISSING:
                raise TypeError(f"{type(self).__name__} needs the field {name!r}.")
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the fields."""

    def __setattr__(self, name: str, value: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


@cache
def names_of(kind: type[Fields]) -> tuple[str, ...]:
    """Return the names of the fields of a class."""
    return tuple(each.name for each in dataclasses.fields(kind))  # type: ignore[arg-type]


@cache
def _defaults_of(kind: type[Fields]) -> dict[str, Any]:
    """Return the fields of a class in order, with their defaults."""
    return {each.name: each.default for each in dataclasses.fields(kind)}  # type: ignore[arg-type]


def check_cutoff(k: Any) -> int | None:
    """Return k as an int, or None for the whole list."""
    cutoff = _params.integer_or_none("k", k, 1, "the whole list")
    if cutoff is not None and cutoff > _core.last_rank(None):
        raise ValueError(f"k must be below 2**63, or None for the whole list, got {k!r}.")
    return cutoff


def check_empty(empty: Any) -> float:
    """Return the value of queries without relevant documents: a finite number or nan."""
    if not _params.is_number(empty) or math.isinf(empty):
        raise ValueError(
            "empty must be a finite number, the value of queries without relevant documents, or "
            f"nan to leave them out of the mean, got {empty!r}."
        )
    return float(empty)


def numbers_by_grade(field: str, values: Any) -> tuple[float, ...]:
    """Return a field with one number per grade as a tuple of floats."""
    if type(values) is tuple and set(map(type, values)) == {float}:
        numbers = values
    else:
        entries = np.asarray(values, dtype=object)
        if entries.ndim != 1 or len(entries) == 0 or not all(map(_params.is_number, entries)):
            raise ValueError(f"{field} must hold one number per grade 1, 2, ..., got {values!r}.")
        numbers = tuple(map(float, entries))
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"{field} must hold finite numbers, got {values!r}.")
    return numbers
