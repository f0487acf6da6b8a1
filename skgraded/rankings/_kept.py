"""Results that are kept with the data that they are computed from, the newest ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")
K = TypeVar("K")


def keep(kept: dict[K, T], key: K, value: T, *, long: bool = False) -> T:
    """Keep a result, and forget the oldest ones.

    Parameters
    ----------
    kept : dict
        The results, which threads may share.
    key, value : object
        The result, and by what it is found.
    long : bool, default=False
        Whether the results have a number for every document, of which 8 are kept; else 64.

    Returns
    -------
    object
        The result.

    Examples
    --------
    >>> from skgraded.rankings import keep
    >>> kept = {}
    >>> for number in range(100):
    ...     square = keep(kept, number, number**2)
    >>> square, len(kept), min(kept)
    (9801, 64, 36)
    """
    kept[key] = value
    most = 8 if long else 64
    if len(kept) > most:
        for oldest in list(kept)[:-most]:
            kept.pop(oldest, None)
    return value


class Kept(dict[type, Any]):
    """Results that other packages compute from some data and keep with them.

    A package defines a class that holds its results as attributes. ``kept[cls]`` is the one object
    of that class, made without arguments on first use.
    """

    if TYPE_CHECKING:

        def __getitem__(self, kind: type[T]) -> T: ...

    def __missing__(self, kind: type[T]) -> T:
        made: T = self.setdefault(kind, kind())
        return made
