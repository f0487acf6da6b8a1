"""What a ranker asks of the library of its estimator, and the answers of the plain case."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from skgraded._guards import LIBRARIES
from skgraded._support.array_types import FloatArray
from skgraded.model_selection._rows import QueryRows, Validation, Watched

Params = dict[str, Any]


# All of LightGBM's names; XGBoost's and CatBoost's common ones are among them.
STOPPING = {
    "early_stopping_round",
    "early_stopping_rounds",
    "early_stopping",
    "n_iter_no_change",
}


def params_that_are_set(estimator: Any) -> Params:
    """Return the parameters of an estimator that are not None."""
    return {
        name: value
        for name, value in estimator.get_params().items()
        if value is not None
    }


def refuse_params_that_stop(params: Params, names: Collection[str] = STOPPING) -> None:
    """Raise where an estimator has a parameter by which it would stop on another metric."""
    for name in sorted(params.keys() & names):
        raise ValueError(
            f"{name} must be left unset in the estimator, which would stop on any of its metrics: "
            f"set early_stopping_rounds of QueryRanker instead, got {params[name]!r}."
        )


def refuse_second_stopping(callbacks: Sequence[Any], *kinds: type) -> None:
    """Raise where a callback would stop the training too, by whichever metric."""
    for callback in callbacks:
        if isinstance(callback, kinds) and getattr(callback, "rounds", 1) is not None:
            raise ValueError(
                "Only one callback may stop the training early: leave early_stopping out of the "
                "callbacks, or early_stopping_rounds of QueryRanker None."
            )


# What a suffix says of the format of a file.
_SUFFIXES_OF_FORMATS = re.compile(
    r"\.(bin|cbm|coreml|cpp|csv|feather|gz|h5|joblib|json|mlmodel|npy|npz|onnx|parquet|pb|pickle|pkl"
    r"|pmml|pt|pth|py|safetensors|skops|txt|ubj|ubjson|xml|ya?ml|zip)"
)


def refuse_other_formats(
    path: Path, suffixes: Collection[str], library: str, advice: str
) -> None:
    """Raise where a path ends as files of a format that a library does not write."""
    suffix = path.suffix.lower()
    if _SUFFIXES_OF_FORMATS.fullmatch(suffix) and suffix not in suffixes:
        raise ValueError(
            f"path must not end in {suffix} for {library}, {advice}, got {str(path)!r}."
        )


def as_list(value: Any) -> list[Any]:
    """Return the entries of a list, one value as a list, and None as an empty one."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


@dataclasses.dataclass(frozen=True)
class Booster:
    """What `QueryRanker` asks of a library, with the answers of the plain case, scikit-learn.

    Attributes
    ----------
    needs_queries : bool
        Whether the library's own fit asks where the queries are.
    is_watched : bool
        Whether a measure can watch and stop the training.
    package : str
        The package of the library, by which `LIBRARIES` knows it; "" where it has no file format.
    start : str
        What the library calls initial scores; "" where it takes none.
    continues : str
        What the library calls a model to continue training from; "" where it takes none.
    per_row : frozenset of str or None
        The fit parameters with an entry per row; None takes every array that has so many entries.
    by_number : frozenset of str
        The fit parameters that hold numbers of rows, which would not follow the rows.
    names_of_queries : frozenset of str
        The fit parameters that say where the queries are, beside ``qid``.
    names_of_evaluation_sets : frozenset of str
        The fit parameters that hold rows to evaluate, beside those of `QueryRanker.fit`.
    names_of_evaluation_starts : frozenset of str
        What the library, and its users, call the initial scores of rows to evaluate.
    """

    needs_queries: bool = False
    is_watched: bool = False

    package: ClassVar[str] = ""
    start: ClassVar[str] = ""
    continues: ClassVar[str] = ""
    per_row: ClassVar[frozenset[str] | None] = None
    by_number: ClassVar[frozenset[str]] = frozenset()
    names_of_queries: ClassVar[frozenset[str]] = frozenset()
    names_of_evaluation_sets: ClassVar[frozenset[str]] = frozenset()
    names_of_evaluation_starts: ClassVar[frozenset[str]] = frozenset()

    @property
    def name(self) -> str:
        """The name of the library; "" where it has no file format."""
        if not self.package:
            return ""
        return LIBRARIES[self.package].name

    def clone(self, estimator: Any) -> Any:
        """Copy an estimator, or a Pipeline that ends in it, which is about to be fitted."""
        return clone(estimator, safe=False)

    def fit(
        self,
        estimator: Any,
        rows: QueryRows,
        validation: Validation | None,
        params: Params,
    ) -> Watched | None:
        """Fit an estimator; return what was recorded on the validation rows, here nothing."""
        estimator.fit(rows.X, rows.y, **params)
        return None

    def set_iterations(
        self, estimator: Any, n_best: int, watched_estimator: Any
    ) -> int:
        """Prepare an estimator to train on all rows as many iterations as were found best.

        Parameters
        ----------
        estimator : estimator
            The estimator to train, a copy of the one that the user gave.
        n_best : int
            The number of iterations after which the measure was best.
        watched_estimator : estimator
            The fitted estimator that was watched.

        Returns
        -------
        int
            The number of iterations to train.
        """
        raise NotImplementedError  # no measure can watch the training

    def predict(self, estimator: Any, X: Any, start: NDArray[Any]) -> FloatArray:
        """Score documents from their initial scores."""
        raise NotImplementedError  # `check_initial_scores` has refused

    def importances(self, estimator: Any) -> NDArray[Any]:
        """Return the importances of the features."""
        return np.asarray(estimator.feature_importances_)

    def trained_model(self, estimator: Any) -> Any:
        """Return the model as the library's own functions take it, which LightGBM names so."""
        return estimator.booster_

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write the model that predicts, and the measure by which it was chosen."""
        raise NotImplementedError  # `export_model` has refused
