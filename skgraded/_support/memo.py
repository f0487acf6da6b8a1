"""What is computed once for some labels, and kept with them."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")

_MOST_SHORT = 64
_MOST_LONG = 8  # results with a number for every document


class Memo:
    """The newest results of every kind, which threads may share."""

    def __init__(self) -> None:
        self._results: defaultdict[type, dict[Hashable, Any]] = defaultdict(dict)

    def get(
        self,
        kind: type,
        key: Hashable,
        compute: Callable[[], T],
        *,
        is_long: bool = False,
    ) -> T:
        """Return the result of a key, which is computed if it is not there.

        Parameters
        ----------
        kind : type
            What the results are, or are of; each kind has a drawer.
        key : hashable
            What the result depends on, beside the labels.
        compute : callable
            Called without arguments. Two threads that ask at once may both compute.
        is_long : bool, default=False
            Whether results have a number for every document: 8 of them are kept, else 64.

        Returns
        -------
        object
            The result.

        Examples
        --------
        >>> from skgraded._support.memo import Memo
        >>> memo = Memo()
        >>> memo.get(float, 2.0, lambda: 2.0**0.5) == memo.get(float, 2.0, lambda: 0.0)
        True
        """
        results = self._results[kind]
        try:
            return results[key]
        except KeyError:
            result = results[key] = compute()

        most = _MOST_LONG if is_long else _MOST_SHORT
        if len(results) > most:
            for oldest in list(results)[:-most]:
                results.pop(oldest, None)
        return result
