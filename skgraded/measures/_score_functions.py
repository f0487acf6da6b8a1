"""gap_score, xgap_score and egap_score: functions like those of sklearn.metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import NoneType
from typing import Any, Protocol

from numpy.typing import ArrayLike

from skgraded.measures._thresholds import ThresholdName
from skgraded.measures.average_precision import GAP, eGAP, xGAP
from skgraded.rankings import Ties

__all__ = ["egap_score", "gap_score", "xgap_score"]

_DOCSTRING = """Return the mean {definition}.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,)
        Grades: 0 is judged not relevant, NaN is unjudged.
    y_score : array-like of shape (n_documents,)
        Scores; the document with the highest score ranks first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order. Without it all rows form one query.
    g : sequence of float, {{"uniform", "linear"}}, optional
        Probabilities of the thresholds 1..c. ``"linear"`` is g_j proportional to j. None is
        ``"uniform"``; a named distribution covers the grades up to the highest in `y_true`.
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the whole list.
    ties : {{"expected", "row_order", "pessimistic", "optimistic"}}, default="expected"
        Order of tied documents, as in `Measure`.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.

    Returns
    -------
    float
        The mean over queries.

    See Also
    --------
    {measure} : The formula and all options.

    Examples
    --------
    >>> from skgraded import {name}
    >>> round({name}([1, 2, 0], [.9, .8, .7], g=(.1, .9)), 4){remark}
    {value}
    """


class _ScoreFunction(Protocol):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        qid: ArrayLike | None = None,
        g: Sequence[float] | ThresholdName | None = None,
        k: int | None = None,
        ties: Ties = "expected",
        sample_weight: ArrayLike | None = None,
    ) -> float: ...


def _measure_of(kind: Any, g: Any, k: Any, ties: Any) -> Any:
    """Make a measure; measures are immutable, so that those of plain fields are kept."""
    numbers = type(g) in (list, tuple) and set(map(type, g)) == {float}
    are_plain = (numbers or type(g) is str) and type(k) in (int, NoneType) and type(ties) is str
    if are_plain:  # equal fields of other types, such as k=True, may be invalid
        try:
            return _kept(kind, tuple(g) if numbers else g, k, ties)
        except ValueError:  # which is raised again below and shows the fields as they were given
            pass
    return kind(g=g, k=k, ties=ties)


@lru_cache(maxsize=64)
def _kept(kind: Any, g: Any, k: Any, ties: Any) -> Any:
    return kind(g=g, k=k, ties=ties)


def _score_function(
    kind: type[GAP | xGAP | eGAP], definition: str, value: float, remark: str = ""
) -> _ScoreFunction:
    """Make the function of a measure; value and remark complete its docstring's example."""

    def score(
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        qid: ArrayLike | None = None,
        g: Sequence[float] | ThresholdName | None = None,
        k: int | None = None,
        ties: Ties = "expected",
        sample_weight: ArrayLike | None = None,
    ) -> float:
        chosen: GAP | xGAP | eGAP = _measure_of(kind, "uniform" if g is None else g, k, ties)
        return chosen(y_true, y_score, qid=qid, sample_weight=sample_weight)

    name = f"{kind.__name__.lower()}_score"
    score.__name__ = score.__qualname__ = name  # pickle looks the function up by this name
    score.__doc__ = _DOCSTRING.format(
        definition=definition, measure=kind.__name__, name=name, value=value, remark=remark
    )
    return score


gap_score = _score_function(
    GAP,
    "graded average precision (Robertson, Kanoulas and Yilmaz 2010)",
    0.5909,
    "  # biased: the low grade came first",
)
xgap_score = _score_function(
    xGAP, "extended graded average precision (Ferrante, Ferro and Maistro 2014, Eq. 5)", 0.5725
)
egap_score = _score_function(
    eGAP, "expected graded average precision (Ferrante, Ferro and Maistro 2014, Eq. 6)", 0.55
)
