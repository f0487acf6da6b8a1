"""Model choice: whether different measures select different models, and what that costs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import _safe_indexing

from skgraded._optional import axes_or_new
from skgraded._paired_tests import paired_differences, t_test
from skgraded._pictures import SMALL, headline
from skgraded._progress import ProgressBar
from skgraded._text import text_table, wrap
from skgraded.measures import Measure, measure
from skgraded.measures import evaluate as evaluate_arrays
from skgraded.model_selection import QueryKFold, QueryRanker
from skgraded.rankings import resolve_query_ids, split_target
from skgraded.studies._presentation import frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["ModelChoice", "choose_by_search", "choose_by_stopping"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ModelChoice:
    """Models that each measure chose, judged by all measures on held-out queries.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures, all of which choose and judge.
    qid : ndarray of shape (n_queries,)
        Query ids; every query was held out once.
    values : ndarray of shape (n_measures, n_queries, n_measures)
        Value of each query under the model that the first measure chose, judged by the last.
    choices : tuple of tuple
        The parameters or the number of iterations that each measure chose, fold by fold.
    directions : ndarray of shape (n_measures,)
        1 if a higher value is better, -1 if a lower one is.
    by : str
        ``"search"`` or ``"stopping"``.
    candidate_scores : ndarray of shape (n_folds, n_candidates, n_measures) or None
        Mean of every candidate in the cross-validation on each fold's training queries.
    """

    measures: tuple[str, ...]
    qid: NDArray[Any]
    values: FloatArray
    choices: tuple[tuple[Any, ...], ...]
    directions: FloatArray
    by: str
    candidate_scores: FloatArray | None = None

    def mean(self) -> FloatArray:
        """Mean over the queries that have a value.

        Returns
        -------
        ndarray of shape (n_measures, n_measures)
            The row is the measure that chose, the column the one that judges.
        """
        means: FloatArray = np.nanmean(self.values, axis=1)
        return means

    def gain(self) -> FloatArray:
        """Mean of the model that a measure chose, minus that of the model that the judge chose.

        Returns
        -------
        ndarray of shape (n_measures, n_measures)
            The row is the measure that chose, the column the one that judges. Negative values mean
            that the judge's own choice was better; the diagonal is 0.
        """
        means = self.mean()
        gain: FloatArray = (means - np.diagonal(means)) * self.directions
        return gain

    def p_values(self) -> FloatArray:
        """Test the differences in `gain` by paired t tests over queries.

        Returns
        -------
        ndarray of shape (n_measures, n_measures)
            The p-values, without a correction for their number; 1 on the diagonal.
        """
        n = len(self.measures)
        p_values = np.ones((n, n))
        for judge in range(n):
            own = self.values[judge, :, judge]
            differences = paired_differences(self.values[:, :, judge], own)
            differences = differences[:, ~np.isnan(differences).any(axis=0)]
            if differences.shape[1] > 1:
                p_values[:, judge] = t_test(differences)
        return p_values

    def agreement(self) -> FloatArray:
        """Share of the folds in which two measures made the same choice.

        Returns
        -------
        ndarray of shape (n_measures, n_measures)
            The shares.
        """
        same = [[[one == other for other in fold] for one in fold] for fold in self.choices]
        agreement: FloatArray = np.mean(same, axis=0)
        return agreement

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per pair of measures.

        Returns
        -------
        DataFrame
            Columns chosen_by, judged_by, mean, gain, p_value and agreement.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        row, column = (each.ravel() for each in np.indices(self.mean().shape))
        names = np.array(self.measures, dtype=object)
        return frame(
            {
                "chosen_by": names[row],
                "judged_by": names[column],
                "mean": self.mean().ravel(),
                "gain": self.gain().ravel(),
                "p_value": self.p_values().ravel(),
                "agreement": self.agreement().ravel(),
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the gains and losses of models that other measures chose, with dots at p < 0.05.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        side = max(4.0, 2.4 + 0.7 * len(self.measures))
        ax = axes_or_new(ax, self, (side + 1.6, side))
        gain, significant = self.gain(), self.p_values() < 0.05  # noqa: PLR2004
        limit = float(np.nanmax(np.abs(gain))) or 1.0
        ax.imshow(gain, cmap="RdBu", vmin=-limit, vmax=limit)
        for (row, column), value in np.ndenumerate(gain):
            text = f"{value:+.4f}" if row != column else f"{self.mean()[row, row]:.4f}"
            mark = "\n•" if significant[row, column] else ""
            colour = "white" if abs(value) > 0.6 * limit else "black"
            place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL}
            ax.text(column, row, text + mark, color=colour, **place)
        ax.set_xticks(range(len(self.measures)), self.measures, rotation=30, ha="right")
        ax.set_yticks(range(len(self.measures)), self.measures)
        ax.tick_params(labelsize=SMALL, length=0)
        ax.spines[:].set_visible(False)
        how = "chosen by" if self.by == "search" else "stopped by"
        ax.set(xlabel="judged by (diagonal: mean of its own choice)", ylabel=f"model {how}")
        headline(
            ax, "Does it cost anything to choose by another measure?", _cost(gain, significant)
        )
        return ax

    def __repr__(self) -> str:
        means, p_values = self.mean(), self.p_values()
        how = "chosen by" if self.by == "search" else "stopped by"
        columns = [
            (name, [_cell(*each) for each in zip(means[:, at], p_values[:, at], strict=True)])
            for at, name in enumerate(self.measures)
        ]
        if self.by == "stopping":
            iterations = np.array(self.choices, dtype=float).mean(axis=0)
            columns.insert(0, ("iterations", [f"{each:.0f}" for each in iterations]))
        table = text_table([how, *self.measures], columns, widest_label=44)
        told = (
            f"Columns judge, on {len(self.qid)} queries held out in {len(self.choices)} folds. "
            "*: p < 0.05 against the judge's own choice (paired t test). The measures made "
            f"{self._n_choices()} different choices in the {len(self.choices)} folds."
        )
        return f"{table}\n{wrap(told)}"

    def _n_choices(self) -> int:
        return sum(len({repr(each) for each in fold}) for fold in self.choices)


def _cost(gain: FloatArray, significant: NDArray[np.bool_]) -> str:
    """Say how often another choice was better or worse, as far as the tests establish it."""
    others = ~np.eye(len(gain), dtype=bool)
    worse, better = (int((significant & others & side).sum()) for side in (gain < 0, gain > 0))
    if not worse and not better:
        return f"No difference is significant (p < 0.05) in any of {others.sum()} pairs."
    return (
        f"Of {others.sum()} pairs, another choice is significantly worse in {worse} and better in "
        f"{better} (dots: p < 0.05, each pair by itself)."
    )


def _cell(mean: float, p_value: float) -> str:
    return f"{mean:.4f}" + ("*" if p_value < 0.05 else " ")  # noqa: PLR2004


def choose_by_search(
    estimator: Any,
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: Any,
    y: ArrayLike,
    *,
    measures: Sequence[str | Measure],
    qid: ArrayLike | None = None,
    n_folds: int = 4,
    n_inner_folds: int = 3,
    random_state: int = 0,
) -> ModelChoice:
    """Select a model by each measure, and judge all selected models by all measures.

    This is a nested cross-validation over queries. In each fold, every candidate is fitted and
    scored by all measures on parts of the training queries. Each measure selects its best
    candidate, which is fitted to all training queries and judged on the held-out queries.

    Parameters
    ----------
    estimator : estimator
        A ranker, regressor or classifier, as for `QueryRanker`.
    param_grid : mapping or sequence of mappings
        Values of its parameters, as for scikit-learn's ``ParameterGrid``.
    X : array-like of shape (n_documents, n_features)
        Features.
    y : array-like of shape (n_documents,)
        Grades.
    measures : sequence of str or Measure
        The measures.
    qid : array-like of shape (n_documents,), optional
        Query ids; by default they are found as in `QueryRanker`.
    n_folds, n_inner_folds : int
        Numbers of folds of all queries, and of the training queries for the search.
    random_state : int, default=0
        Seed of the folds.

    Returns
    -------
    ModelChoice
        The choices, and the values of the chosen models.

    Raises
    ------
    ValueError
        If there are fewer than two measures.

    See Also
    --------
    choose_by_stopping : The same for the number of iterations.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.studies import choose_by_search
    >>> X, y, qid = make_ranking(n_queries=24, docs_per_query=20, random_state=0)
    >>> tree, grid = DecisionTreeRegressor(random_state=0), {"max_depth": [1, 4, 8]}
    >>> found = choose_by_search(tree, grid, X, y, measures=["nDCG@10", "RR"], qid=qid, n_folds=2)
    >>> found.values.shape
    (2, 24, 2)
    """
    data = _Data.read(X, y, qid, measures)
    candidates = [dict(each) for each in ParameterGrid(param_grid)]

    def fit(rows: IntArray, number: int) -> Any:
        return data.fit(clone(estimator).set_params(**_clone_params(candidates[number])), rows)

    scores, choices, judged, all_ = [], [], [], range(len(candidates))
    n_fits = n_folds * (len(candidates) * n_inner_folds + len(data.measures))
    with ProgressBar(n_fits, "models") as bar:
        for training, held_out in data.folds(n_folds, random_state):
            inner = [
                [_step(bar, np.nanmean(data.score(fit(own, each), other), axis=0)) for each in all_]
                for own, other in data.folds(n_inner_folds, random_state, training)
            ]
            means = np.mean(inner, axis=0)
            best = np.argmax(means * data.directions, axis=0)
            models = {number: fit(training, number) for number in np.unique(best).tolist()}
            judged.append((held_out, [data.score(models[number], held_out) for number in best]))
            choices.append(tuple(candidates[number] for number in best))
            scores.append(means)
            bar.step(len(data.measures))
    return data.result(judged, choices, "search", np.array(scores))


def choose_by_stopping(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    measures: Sequence[str | Measure],
    qid: ArrayLike | None = None,
    n_folds: int = 4,
    validation_fraction: float = 0.25,
    early_stopping_rounds: int = 20,
    random_state: int = 0,
) -> ModelChoice:
    """Stop the training of a booster by each measure, and judge all models by all measures.

    Parameters
    ----------
    estimator : estimator
        LGBMRanker, XGBRanker or CatBoostRanker, as for `QueryRanker`.
    X : array-like of shape (n_documents, n_features)
        Features.
    y : array-like of shape (n_documents,)
        Grades.
    measures : sequence of str or Measure
        The measures.
    qid : array-like of shape (n_documents,), optional
        Query ids; by default they are found as in `QueryRanker`.
    n_folds : int, default=4
        Number of folds of queries.
    validation_fraction, early_stopping_rounds
        As for `QueryRanker`. All measures use the same validation queries.
    random_state : int, default=0
        Seed of the folds and of the validation queries.

    Returns
    -------
    ModelChoice
        The numbers of iterations, and the values of the models.

    Raises
    ------
    ValueError
        If there are fewer than two measures.

    See Also
    --------
    choose_by_search : The same for the parameters of a model.

    Examples
    --------
    >>> from lightgbm import LGBMRanker
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.studies import choose_by_stopping
    >>> X, y, qid = make_ranking(n_queries=24, docs_per_query=20, random_state=0)
    >>> ranker = LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1)
    >>> found = choose_by_stopping(ranker, X, y, measures=["nDCG@10", "RR"], qid=qid, n_folds=2)
    >>> len(found.choices)
    2
    """
    data = _Data.read(X, y, qid, measures)
    choices, judged = [], []
    with ProgressBar(n_folds * len(data.measures), "models") as bar:
        for training, held_out in data.folds(n_folds, random_state):
            models = [
                _step(
                    bar,
                    data.fit(
                        clone(estimator),
                        training,
                        measure=each,
                        validation_fraction=validation_fraction,
                        early_stopping_rounds=early_stopping_rounds,
                        random_state=random_state,
                    ),
                )
                for each in data.measures
            ]
            judged.append((held_out, [data.score(model, held_out) for model in models]))
            choices.append(tuple(int(model.best_iteration_) for model in models))
    return data.result(judged, choices, "stopping")


def _clone_params(params: dict[str, Any]) -> dict[str, Any]:
    """Copy the parameters, since a fit would change those that are estimators."""
    return {name: clone(each, safe=False) for name, each in params.items()}


def _step(bar: ProgressBar, done: Any) -> Any:
    bar.step()
    return done


class _Data(NamedTuple):
    """The rows with their query ids, and the measures with the scale of the grades filled in."""

    X: Any
    grades: NDArray[Any]
    ids: NDArray[Any]
    queries: NDArray[Any]
    measures: tuple[Measure, ...]
    names: tuple[str, ...]

    @classmethod
    def read(
        cls, X: Any, y: ArrayLike, qid: ArrayLike | None, measures: Sequence[str | Measure]
    ) -> _Data:
        parsed = [measure(each) for each in measures]
        if len(parsed) < 2:  # noqa: PLR2004 - one cannot differ
            raise ValueError(f"measures must hold at least 2 measures, got {len(parsed)}.")
        ids = np.asarray(resolve_query_ids(X, y, qid))
        grades = np.asarray(split_target(y)[0])
        top = int(max(1, grades.max()))
        first = np.unique(ids, return_index=True)[1]
        return cls(
            X=X,
            grades=grades,
            ids=ids,
            queries=ids[np.sort(first)],
            measures=tuple(each.resolve(top) for each in parsed),
            names=tuple(map(str, parsed)),
        )

    @property
    def directions(self) -> FloatArray:
        """1 if a higher value is better, -1 if a lower one is."""
        return np.array([1.0 if each.greater_is_better else -1.0 for each in self.measures])

    def folds(
        self, n_folds: int, random_state: int, rows: IntArray | None = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Split rows, by default all, into folds of complete queries."""
        rows = np.arange(len(self.ids)) if rows is None else rows
        splitter = QueryKFold(n_folds, random_state=random_state)
        for own, other in splitter.split(rows, groups=self.ids[rows]):
            yield rows[own], rows[other]

    def fit(self, estimator: Any, rows: IntArray, **options: Any) -> Any:
        """Fit a ranker to some rows."""
        ranker = QueryRanker(estimator, **{"measure": self.measures[0], **options})
        return ranker.fit(_safe_indexing(self.X, rows), self.grades[rows], qid=self.ids[rows])

    def score(self, model: Any, rows: IntArray) -> FloatArray:
        """Return the values of a model by query and measure, in the order of the rows."""
        predicted = model.predict(_safe_indexing(self.X, rows))
        scores = evaluate_arrays(self.measures, self.grades[rows], predicted, qid=self.ids[rows])
        return scores.values

    def result(
        self,
        judged: list[tuple[IntArray, list[FloatArray]]],
        choices: list[tuple[Any, ...]],
        by: str,
        candidate_scores: FloatArray | None = None,
    ) -> ModelChoice:
        """Combine the values of the queries of all folds."""
        number_of = {query: number for number, query in enumerate(self.queries.tolist())}
        n = len(self.measures)
        values = np.full((n, len(self.queries), n), np.nan)
        for rows, of_models in judged:
            ids = self.ids[rows]
            in_fold = ids[np.sort(np.unique(ids, return_index=True)[1])]
            values[:, [number_of[each] for each in in_fold.tolist()]] = np.stack(of_models)
        return ModelChoice(
            measures=self.names,
            qid=self.queries,
            values=values,
            choices=tuple(choices),
            directions=self.directions,
            by=by,
            candidate_scores=candidate_scores,
        )
