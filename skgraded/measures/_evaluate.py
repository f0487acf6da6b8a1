"""Evaluation by several measures at once, of one system or of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skgraded.measures._catalogue import Measures, measures_by_name
from skgraded.measures._judging import shares_of_judged
from skgraded.measures._measure import Measure, as_scores, rankings_for
from skgraded.measures._prefix import score_queries
from skgraded.measures._scales import warn_about_scales, warn_of_continuous_scale
from skgraded.rankings import (
    Judgments,
    Rankings,
    as_rankings,
    read_as,
    read_columns,
    replace_words,
    without_query_ids,
    words_of_grades,
)
from skgraded.results import JudgedShare, Scores, by_name, known_shares, side_by_side


def are_of_systems(y_score: Any) -> bool:
    """Whether scores are those of systems with names: a mapping or a DataFrame."""
    return isinstance(y_score, Mapping) or hasattr(y_score, "columns")


def rankings_of_systems(
    y_score: Any, y_true: Any, qid: Any, sample_weight: Any, n_threads: int | None
) -> Iterator[tuple[str, Rankings]]:
    """Yield the rankings of the same documents by the scores of one system after the other.

    The scores are a mapping or a DataFrame, whose column of query ids is not a system.
    """
    if isinstance(y_score, Mapping):
        systems = by_name(y_score)
        arguments = {f"y_score[{name!r}]": scores for name, scores in systems.items()}
    else:
        names = without_query_ids(y_score).columns
        systems = by_name({name: y_score[name] for name in names})
        arguments = {"y_score": y_score}

    judgments: Judgments | None = None
    if isinstance(y_true, Judgments):
        refuse_arrays("Judgments", qid=qid, sample_weight=sample_weight)
        judgments = y_true
        judgments.require_rows_of(**arguments)
    else:
        columns = read_columns(y_true, qid, **arguments, sample_weight=sample_weight)
        if qid is None:
            qid = columns.ids

    for system, scores in systems.items():
        try:
            if judgments is None:
                rankings = as_rankings(y_true, scores, qid, sample_weight, n_threads)
                judgments = rankings.judgments
            else:
                rankings = judgments.rank(scores, n_threads)
        except ValueError as error:
            if "y_score" not in str(error):
                raise
            raise ValueError(f"{error} (System {system!r}.)") from error
        yield system, rankings


def refuse_arrays(source: str, **arrays: Any) -> None:
    """Raise where there are arrays beside a source that has its own, such as Judgments."""
    for name, array in arrays.items():
        if array is not None:
            raise TypeError(
                f"{name} must be None with {source}, got {type(array).__name__}."
            )


def evaluate(
    measures: Measures,
    y_true: ArrayLike | Judgments | Rankings | Mapping[str, Rankings],
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    grades: Mapping[str, float] | None = None,
    n_threads: int | None = None,
) -> Scores:
    """Score rankings by several measures; the documents are sorted only once.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, such as ``["xGAP(g=[0.1,0.9])@10", nDCG(k=10)]``. The keys of a mapping are
        the names under which they are reported.
    y_true : array-like of shape (n_documents,), Judgments, Rankings, or mapping of str to Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Ordered categories of words are grades:
        the first is 0; categories that are numbers keep their values. Or `Judgments`, without `qid`
        and `sample_weight`; or a `Rankings`, or those of several systems by name, without
        `y_score`, either.
    y_score : array-like of shape (n_documents,), or mapping of str to them, optional
        Scores; the document with the highest score ranks first. Or the scores of several systems by
        name, as a mapping or a DataFrame with a column for each system.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order. Without it all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.
    grades : mapping of str to float, optional
        The grade of each word, such as ``{"E": 3, "S": 2, "C": 1, "I": 0}``, where `y_true` holds
        words.
    n_threads : int, optional
        Number of threads, which does not change the results. None is one thread, and -1 one per
        processor.

    Returns
    -------
    Scores
        The value of every measure for every query, and the means. Where systems have names, also
        if it is only one, the values have an axis of systems. A note tells the grades of words.

    Raises
    ------
    TypeError
        If the first argument holds no measures.
    ValueError
        If an array or a measure is invalid; the message names the argument, the rule and the
        value.

    See Also
    --------
    Judgments : Labels that are read once, to be scored many times.
    measure : The string form of measures.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> y_true, qid = [2, 0, 1, 0, 1, 0], ["a", "a", "a", "b", "b", "b"]
    >>> evaluate(["eGAP(g=[0.1,0.9])", "nDCG@2"], y_true, [3, 2, 1, 3, 2, 1], qid=qid)
    measure              mean   ideal
    eGAP(g=[0.1,0.9])  0.5167  0.5500
    nDCG@2             0.6956  1.0000
    Means over 2 queries.

    Two systems, and a measure with a name of its own:

    >>> systems = {"first": [3, 2, 1, 3, 2, 1], "second": [1, 2, 3, 1, 3, 2]}
    >>> evaluate({"users": "eGAP(g=[0.1,0.9])"}, y_true, systems, qid=qid)
    system   users
    first   0.5167
    second  0.2417
    2 systems; means over 2 queries.
    """
    try:
        by_measure = measures_by_name(measures)
    except (TypeError, ValueError):
        _refuse_measures_last(measures, y_true if y_score is None else y_score)
        raise

    words = words_of_grades(y_true)
    y_true = replace_words("y_true", y_true, grades)
    if y_score is None and isinstance(y_true, Mapping):
        refuse_arrays("Rankings", qid=qid, sample_weight=sample_weight)
        rankings_by_system = _require_rankings(y_true)
        _warn_of_continuous_scales(by_measure, rankings_by_system)
        return _score_systems(by_measure, rankings_by_system.items())

    if are_of_systems(y_score):
        systems = rankings_of_systems(y_score, y_true, qid, sample_weight, n_threads)
        scores = _score_systems(by_measure, systems, warns=True)
    else:
        rankings = rankings_for(
            by_measure.values(), y_true, y_score, qid, sample_weight, n_threads
        )
        scores = _score_system(by_measure, rankings)

    if not (grades or words):
        return scores
    meaning = grades or {word: grade for grade, word in enumerate(words)}
    return replace(scores, notes=(*scores.notes, read_as(meaning)))


def _score_system(measures: dict[str, Measure], rankings: Rankings) -> Scores:
    values_by_measure, n_empty = score_queries(measures.values(), rankings)
    values = np.ascontiguousarray(values_by_measure.T)
    share = None
    if rankings.judgments.has_unjudged:
        share = _share_of_judged(measures, rankings)
    return as_scores(measures, rankings.judgments, values, tuple(n_empty), share)


def _share_of_judged(measures: dict[str, Measure], rankings: Rankings) -> JudgedShare:
    """Return the share of judged documents among the first ones of each list, by measure."""
    shares = shares_of_judged(
        measures.values(),
        rankings.order,
        rankings.tied,
        rankings.indptr,
        rankings.judgments.are_judged,
    )
    return known_shares(shares[None])


def _score_systems(
    measures: dict[str, Measure],
    systems: Iterable[tuple[str, Rankings]],
    warns: bool = False,
) -> Scores:
    """Score the rankings of several systems, of which only one is in memory at a time."""
    scores: dict[str, Scores] = {}
    for system, rankings in systems:
        if warns and not scores:
            warn_about_scales(measures.values(), rankings.judgments)
        scores[system] = _score_system(measures, rankings)
    return side_by_side(scores)


def _require_rankings(y_true: Mapping[Any, Any]) -> dict[str, Rankings]:
    rankings_by_system = by_name(y_true)
    for system, rankings in rankings_by_system.items():
        if not isinstance(rankings, Rankings):
            raise TypeError(
                "A mapping in place of y_true must map names of systems to Rankings, got "
                f"{type(rankings).__name__} for {system!r}. skgraded.trec.evaluate(measures, "
                "qrels, runs) scores dicts of dicts."
            )
    return rankings_by_system


def _warn_of_continuous_scales(
    measures: dict[str, Measure], systems: dict[str, Rankings]
) -> None:
    judgments = [rankings.judgments for rankings in systems.values()]
    top_grades = [labels.top_grade for labels in judgments]
    are_fractional = any(labels.has_fractional_grades for labels in judgments)
    top = max(top_grades, default=0.0)
    warn_of_continuous_scale(measures.values(), top, are_fractional=are_fractional)


def _refuse_measures_last(measures: object, last_argument: object) -> None:
    """Raise where the measures came last, as in other packages, and not first."""
    last = last_argument
    if isinstance(last_argument, Mapping):
        last = list(last_argument.values())
    entries = last if isinstance(last, list | tuple) else [last]

    are_measures = entries and all(
        isinstance(entry, str | Measure) for entry in entries
    )
    if are_measures and not isinstance(measures, str | Measure):
        raise TypeError(
            "The measures must come first, and then columns, got the measures last: "
            f"evaluate({last_argument!r}, y_true, y_score, qid=qid)."
        ) from None
