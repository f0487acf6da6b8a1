"""What is made or imported on first use: names of a package, kept properties, and pandas."""

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - the name of its base
        """Without the lock that Python dropped in 3.12: a microsecond a property."""

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


def on_first_use(
    package: str, names_in: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package, from the names that its modules hold."""
    home_of = {name: home for home, names in names_in.items() for name in names}
    modules = {home for home in names_in if not home.startswith("_")}

    def of_name(name: str) -> Any:
        if name in home_of:
            value = getattr(import_module(f"{package}.{home_of[name]}"), name)
            setattr(sys.modules[package], name, value)
            return value
        if name in modules:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of, *modules})

    return of_name, names


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
