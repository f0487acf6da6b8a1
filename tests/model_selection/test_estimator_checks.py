"""scikit-learn's checks of estimators; each that cannot hold is declared with its error."""

from typing import NamedTuple

import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import _num_samples

from skgraded import QueryRanker

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


class Failure(NamedTuple):
    """How a check fails, as a regular expression for its message, and why it is not a fault."""

    error: type[Exception]
    message: str
    reason: str


def repetitions(reason):
    """Failures of the checks that take a weight for a number of repetitions."""
    names = (
        "check_sample_weights_invariance, kind=zeros",  # before version 1.6
        "check_sample_weight_equivalence",  # version 1.6
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    )
    failure = Failure(AssertionError, r"sample_weight`? is not equivalent to", reason)
    return dict.fromkeys(names, failure)


OF_PIPELINES = repetitions(
    "weights go to the last step alone, as in scikit-learn's own Pipeline"
)
OF_BOOSTERS = repetitions(
    "a weight multiplies what a document's pairs weigh; it is not a repetition: to repeat a "
    "document, or to drop it, changes the list that the others are ranked in"
)
OF_ANY = {
    "check_supervised_y_2d": Failure(
        ValueError,
        "must be one-dimensional",
        "a column of grades is an error, not a warning",
    )
}
if SKLEARN < (1, 6):
    OF_ANY["check_parameters_default_constructible"] = Failure(
        TypeError,
        "missing 1 required keyword-only argument: 'measure'",
        "it makes every meta-estimator from an estimator alone; a measure is needed, too",
    )
    OF_BOOSTERS["check_estimators_nan_inf"] = Failure(
        AssertionError, "doesn't check for NaN and inf in fit", "boosters take NaN"
    )


def rankers():
    """Yield rankers, each with the checks that it fails."""
    yield Ridge(), {}
    yield LogisticRegression(), {}
    yield make_pipeline(StandardScaler(with_mean=False), Ridge()), OF_PIPELINES
    yield (
        LGBMRanker(n_estimators=3, min_child_samples=1, n_jobs=1, verbose=-1),
        OF_BOOSTERS,
    )
    try:
        from xgboost import XGBRanker
    except ImportError:
        pass
    else:
        yield XGBRanker(n_estimators=3, n_jobs=1), OF_BOOSTERS


FAILURES = {type(ranker).__name__: OF_ANY | failures for ranker, failures in rankers()}


class OneQuery(QueryRanker):
    """A QueryRanker that takes all rows for the documents of one query."""

    def fit(self, X, y, qid=None, sample_weight=None, **fit_params):
        return super().fit(X, y, ids_of(X, qid), sample_weight, **fit_params)

    def score(self, X, y, qid=None, sample_weight=None):
        return super().score(X, y, ids_of(X, qid), sample_weight)


def ids_of(X, qid):
    return np.zeros(_num_samples(X), int) if qid is None else qid


class WholeGrades(OneQuery):
    """One whose grades are rounded: for regressors scikit-learn draws fractions."""

    def fit(self, X, y, qid=None, sample_weight=None, **fit_params):
        grades = np.asarray(y)
        if grades.dtype.kind == "f" and np.isfinite(grades).all():
            y = np.round(np.abs(grades)).clip(max=4)
        return super().fit(X, y, qid=qid, sample_weight=sample_weight, **fit_params)


def name_of(check):
    kind = check.keywords.get("kind")
    return check.func.__name__ + (f", kind={kind}" if kind else "")


def id_of(case):
    """Name an estimator or a check; some libraries' own representations hold addresses."""
    return name_of(case) if hasattr(case, "func") else type(case.estimator).__name__


# The checks know nothing of queries.
NAMES, EVERY_CASE = parametrize_with_checks(
    [
        (OneQuery if isinstance(each, Ridge | Pipeline) else WholeGrades)(
            each, measure="nDCG"
        )
        for each, _ in rankers()
    ]
).args
KINDS = list(FAILURES)


def in_turns(cases):
    """Yield every check with Ridge, and with one of the other estimators in turn."""
    seen = dict.fromkeys(KINDS, 0)
    for case in cases:
        estimator, _ = getattr(case, "values", case)
        kind = type(estimator.estimator).__name__
        seen[kind] += 1
        if kind == KINDS[0] or (seen[kind] + KINDS.index(kind)) % (len(KINDS) - 1) == 0:
            yield case


CASES = list(in_turns(EVERY_CASE))


@pytest.mark.parametrize(NAMES, CASES, ids=id_of)
@pytest.mark.filterwarnings("ignore")  # theirs; the errors are what is looked at
def test_scikit_learns_checks(estimator, check):
    failure = FAILURES[type(estimator.estimator).__name__].get(name_of(check))
    if failure is None:
        check(estimator)
        return
    # A check that holds by now fails here, so that no exception outlives its reason.
    with pytest.raises(failure.error, match=failure.message):
        check(estimator)
    pytest.xfail(failure.reason)
