"""Functions in scikit-learn's manner, one for each measure of the GAP family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from numpy.typing import ArrayLike

from skgraded.measures.average_precision import GAP, eGAP, xGAP
from skgraded.rankings import Ties

__all__ = ["egap_score", "gap_score", "xgap_score"]

_DOCSTRING = """Mean {definition}.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,)
        Grades, 0 = judged not relevant, NaN = unjudged.
    y_score : array-like of shape (n_documents,)
        Scores; the highest comes first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order. Without it all rows are one query.
    g : sequence of float, {{"uniform", "linear"}}, optional
        Probability of each threshold 1..c; None is uniform over the grades up to the highest.
    k : int, optional
        Cut-off: only the ranks n <= k count.
    ties : {{"expected", "row_order", "pessimistic", "optimistic"}}, default="expected"
        Value of tied documents.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.

    Returns
    -------
    float
        The mean over queries.

    See Also
    --------
    {measure} : The formula, and all options.

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
        g: Sequence[float] | str | None = None,
        k: int | None = None,
        ties: Ties = "expected",
        sample_weight: ArrayLike | None = None,
    ) -> float: ...


def _score_function(
    kind: type[GAP | xGAP | eGAP], definition: str, value: float, remark: str = ""
) -> _ScoreFunction:
    """Make the function of a measure; value and remark belong to the example in its docstring."""

    def score(
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        qid: ArrayLike | None = None,
        g: Sequence[float] | str | None = None,
        k: int | None = None,
        ties: Ties = "expected",
        sample_weight: ArrayLike | None = None,
    ) -> float:
        chosen = kind(g="uniform" if g is None else g, k=k, ties=ties)
        return chosen(y_true, y_score, qid=qid, sample_weight=sample_weight)

    name = f"{kind.__name__.lower()}_score"
    score.__name__ = score.__qualname__ = name  # so that it can be pickled
    score.__doc__ = _DOCSTRING.format(
        definition=definition, measure=kind.__name__, name=name, value=value, remark=remark
    )
    return score


gap_score = _score_function(
    GAP,
    "graded average precision (Robertson, Kanoulas and Yilmaz 2010)",
    0.5909,
    "  # its bias: a low grade came first",
)
xgap_score = _score_function(
    xGAP, "extended graded average precision (Ferrante, Ferro and Maistro 2014, Eq. 5)", 0.5725
)
egap_score = _score_function(
    eGAP, "expected graded average precision (Ferrante, Ferro and Maistro 2014, Eq. 6)", 0.55
)
