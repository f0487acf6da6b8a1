"""What is made or imported on first use: names, properties, fields, pandas."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")

if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - the name of its base
        """Without the lock that Python dropped in 3.12.

        All objects of a class share it, so that threads wait for each other, and a process that is
        forked while one of them holds it waits forever.
        """

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


class Lazy(Generic[T]):
    """A value that a function computes when it is asked for first."""

    def __init__(self, compute: Callable[[], T]) -> None:
        self._compute = compute

    @cached_property
    def value(self) -> T:
        return self._compute()


class LazyField(Generic[S, T]):
    """A field of a frozen dataclass that is computed when it is read first.

    The object holds what it was made from, the source of the field, which `vars` returns.

    Parameters
    ----------
    default : object
        The source of a field that is not given.
    value_of : callable
        Returns the value of a source.
    """

    def __init__(self, default: S, value_of: Callable[[S], T]) -> None:
        self._default = default
        self._value_of = value_of

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> T:
        if instance is None:  # dataclasses ask for the default
            return self._default  # type: ignore[return-value]
        return self._value_of(vars(instance)[self._name])

    def __set__(self, instance: object, source: S) -> None:
        vars(instance)[self._name] = source


_INTERNAL = frozenset(
    {"TYPE_CHECKING", "annotations", "on_first_use", "cached_property"}
)


def on_first_use(
    package: str,
    names: Sequence[str],
    homes: Sequence[str],
    modules: Sequence[str] = (),
    *,
    modules_of_libraries: Mapping[str, str] = MappingProxyType({}),
    refuse: Callable[[str], None] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports what is asked for.

    A name is that of the first home that has it; homes and other modules are attributes, too. Those
    of libraries are listed where the library is there. An unknown name may be refused with a
    message of its own.
    """

    def of_name(name: str) -> Any:
        if name in homes or name in modules or name in modules_of_libraries:
            return import_module(f"{package}.{name}")

        if name in names:
            for home in homes:
                module = import_module(f"{package}.{home}")
                if hasattr(module, name):
                    value = getattr(module, name)
                    setattr(sys.modules[package], name, value)
                    return value
        if refuse is not None:
            refuse(name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)

    def public_names() -> list[str]:
        attributes = vars(sys.modules[package])
        # What a package needs to define itself is nothing to be used.
        public = {name for name in attributes if name not in _INTERNAL}
        importable = {
            name for name, library in modules_of_libraries.items() if find_spec(library)
        }
        return sorted({*public, *names, *homes, *modules, *importable})

    return of_name, public_names


def import_pandas(
    otherwise: str = "the arrays of the result", *, needed_by: str = "to_frame"
) -> Any:
    """Import pandas; the error says how to install it and what to use instead."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            f"{needed_by} needs pandas: pip install pandas, or use {otherwise} instead."
        ) from error
    return pd
