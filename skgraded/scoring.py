"""Ranking measures as scikit-learn scorers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import MetadataRequest

from skgraded._exceptions import warn_if_grades_are_inferred
from skgraded._query_ids import resolve_query_ids, split_target
from skgraded.measures import Measure, evaluate, measure

__all__ = ["make_ranking_scorer"]


@dataclass(frozen=True)
class _RankingScorer:
    """A scorer in scikit-learn's sense, which asks for query ids by itself.

    Scorers of `sklearn.metrics.make_scorer` receive no ids while metadata routing is off, and want
    ``set_score_request`` while it is on. This one needs nothing but the protocol: a call with
    (estimator, X, y), and a routing request.
    """

    measures: tuple[tuple[str, Measure], ...]
    is_single: bool

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float | dict[str, float]:
        ids = resolve_query_ids(X, y, qid)
        grades, _ = split_target(y)
        measures = [each for _, each in self.measures]
        scores = evaluate(
            measures, grades, estimator.predict(X), qid=ids, sample_weight=sample_weight
        )
        if self.is_single:
            return scores[measures[0]]
        return {name: scores[each] for name, each in self.measures}

    def get_metadata_routing(self) -> MetadataRequest:
        request = MetadataRequest(owner=self)
        for name in ("qid", "sample_weight"):
            request.score.add_request(param=name, alias=True)
        return request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer in a dict of scorers while routing is off.
        return True

    def __repr__(self) -> str:
        if self.is_single:
            return f"make_ranking_scorer({str(self.measures[0][1])!r})"
        return f"make_ranking_scorer({ {name: str(each) for name, each in self.measures} })"


def make_ranking_scorer(
    measures: str | Measure | Iterable[str | Measure] | Mapping[str, str | Measure],
) -> _RankingScorer:
    """Make a scikit-learn scorer from one measure or several.

    Use it as ``scoring=`` in `GridSearchCV`, `cross_validate` and the like, with any estimator
    whose ``predict`` gives a score. It finds the query ids by itself: in the metadata ``qid`` where
    routing is on, in `query_target`, in a column or index level ``"qid"``; no
    ``set_score_request`` is needed. Several measures cost one ``predict`` and one sort.

    Parameters
    ----------
    measures : str, Measure, list or dict of them
        One measure makes a scorer that returns a number. Several make one that returns a dict,
        for multi-metric evaluation with ``refit="..."``: by the measures' strings, or by the keys
        of the dict.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, qid=None, sample_weight=None)``.

    Raises
    ------
    ValueError
        If no measure is given, or one is unknown.

    Warns
    -----
    InferredGradesWarning
        If a measure has g by name but no ``max_grade``: g would change with the grades of the fold.

    See Also
    --------
    QueryRanker : Its ``score`` is its measure, so that ``scoring`` can be left out.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import make_ranking_scorer
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=20, random_state=0)
    >>> ridge = Ridge().fit(X, y)
    >>> scorer = make_ranking_scorer("nDCG@10")
    >>> scorer
    make_ranking_scorer('nDCG@10')
    >>> value = scorer(ridge, X, y, qid=qid)
    >>> both = make_ranking_scorer({"ndcg": "nDCG@10", "xgap": "xGAP(max_grade=4)"})
    >>> both(ridge, X, y, qid=qid)["ndcg"] == value
    True
    """
    is_single = isinstance(measures, str | Measure)
    named = _named(measures)
    if not named:
        raise ValueError(f"measures must hold at least one measure, got {measures!r}.")
    warn_if_grades_are_inferred(named.values(), "make_ranking_scorer")
    return _RankingScorer(tuple(named.items()), is_single)


def _named(
    measures: str | Measure | Iterable[str | Measure] | Mapping[str, str | Measure],
) -> dict[str, Measure]:
    if isinstance(measures, Mapping):
        return {name: measure(each) for name, each in measures.items()}
    listed = [measures] if isinstance(measures, str | Measure) else measures
    return {str(each): each for each in map(measure, listed)}
