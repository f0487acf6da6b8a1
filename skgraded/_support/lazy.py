"""What is made or imported on first use: names, properties, pandas."""

import functools
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")
K = TypeVar("K")

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


def on_first_use(
    package: str,
    names: Sequence[str],
    homes: Sequence[str],
    modules: Sequence[str] = (),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports what is asked for.

    A name is that of the first home that has it; homes and other modules are attributes, too.
    """

    def of_name(name: str) -> Any:
        if name in homes or name in modules:
            return import_module(f"{package}.{name}")
        if name in names:
            for home in (import_module(f"{package}.{each}") for each in homes):
                if hasattr(home, name):
                    value = getattr(home, name)
                    setattr(sys.modules[package], name, value)
                    return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return of_name, lambda: sorted(
        {*vars(sys.modules[package]), *names, *homes, *modules}
    )


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
