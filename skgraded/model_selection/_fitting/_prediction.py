"""Whether the model that predicts is the one that was watched."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.model_selection._fitting._rows import QueryRows, Watched

# Of the largest score or of a value. The last digits of scores may depend on how they are summed.
_ROUNDING = 1e-6


def require_the_model_watched(
    watched: Watched, rows: QueryRows, scores: NDArray[Any], predictor: str
) -> None:
    """Raise where predictions have another value than the one recorded while training.

    Parameters
    ----------
    watched : Watched
        The recorded values.
    rows : QueryRows
        The validation rows.
    scores : ndarray of shape (n_documents,)
        The predictions for these rows.
    predictor : str
        Name of the estimator, for the message.
    """
    name, chosen = watched.named[0]
    recorded = np.asarray(watched.evals_result["valid_0"][name])
    if watched.predicts_with != "any":
        best = recorded.max() if chosen.greater_is_better else recorded.min()
        recorded = np.array([best if watched.predicts_with == "best" else recorded[-1]])
    shown = chosen(rows.judgments.rank(scores))
    nearest = recorded[np.abs(recorded - shown).argmin()]
    scale = max(1.0, abs(nearest))
    if abs(shown - nearest) <= _ROUNDING * scale:
        return
    if abs(shown - nearest) > _share_of_close_scores(rows, scores) * scale:
        raise ValueError(
            f"{name} on the validation rows was {nearest:.6g} in training, in the iteration that "
            f"predictions use, but is {shown:.6g} by predict of {predictor}: another model was "
            "watched than the one that predicts. Look for what changes predict alone, such as a "
            "number or range of iterations, a rounding of its scores, or a transformer that gives "
            "other features for the same rows."
        )


def _share_of_close_scores(rows: QueryRows, scores: NDArray[Any]) -> float:
    """Share of the queries with documents whose order by score may depend on rounding."""
    query = rows.query_of_row
    by_score = np.lexsort((scores, query))
    gaps = np.diff(scores[by_score].astype(np.float64))
    close = (gaps > 0) & (gaps < _ROUNDING * np.abs(scores).max()) & (np.diff(query) == 0)
    return len(np.unique(query[1:][close])) / len(rows.sizes)
