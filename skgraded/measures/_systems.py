"""The scores of several systems for the same documents, in the forms in which users hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skgraded.rankings import Judgments, Rankings, as_rankings, read_columns, without_query_ids
from skgraded.results import by_name


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
        given = {f"y_score[{system!r}]": scores for system, scores in systems.items()}
    else:
        systems = by_name({each: y_score[each] for each in without_query_ids(y_score).columns})
        given = {"y_score": y_score}
    judgments: Judgments | None = None
    if isinstance(y_true, Judgments):
        refuse_arrays("Judgments", qid=qid, sample_weight=sample_weight)
        judgments = y_true
        judgments.require_rows_of(**given)
    else:
        columns = read_columns(y_true, qid, **given, sample_weight=sample_weight)
        qid = columns.ids if qid is None else qid
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


def refuse_arrays(beside: str, **arrays: Any) -> None:
    for name, given in arrays.items():
        if given is not None:
            raise TypeError(f"{name} must be None with {beside}, got {type(given).__name__}.")
