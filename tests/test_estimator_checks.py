"""scikit-learn's checks of estimators; each that cannot hold is declared with its reason."""

import re
from typing import NamedTuple

import pytest
from lightgbm import LGBMRanker
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skgraded import QueryRanker


class Declared(NamedTuple):
    """Why a check fails, the error by which it does, and whether it passes in some cases."""

    reason: str
    error: str
    message: str
    may_pass: bool = False


NOT_REPEATED = Declared(
    "a weight multiplies what a document's pairs weigh and is no repetition: to repeat a document, "
    "or to drop it, changes the list that the others are ranked in",
    "AssertionError",
    r"with `sample_weight` is not equivalent|zero sample_weight is not equivalent",
)
NOT_HANDED_ON = NOT_REPEATED._replace(
    reason="weights go to the last step alone, as in scikit-learn's own Pipeline"
)
CATBOOST_RULE = (
    "CatBoost has its own rules for features, and QueryRanker hands them over unchanged: "
)
NO_64_BITS = Declared(
    CATBOOST_RULE + "no 64-bit indices", "AssertionError", r"support cs[rc]_64 matrix"
)


def weights_fail(declared):
    return {
        # Before version 1.6; it also compares weights of 1 with none.
        "check_sample_weights_invariance": declared._replace(may_pass=True),
        "check_sample_weight_equivalence": declared,  # version 1.6
        "check_sample_weight_equivalence_on_dense_data": declared,
        "check_sample_weight_equivalence_on_sparse_data": declared,
    }


OF_ANY = {
    "check_parameters_default_constructible": Declared(
        "before version 1.6 it makes every meta-estimator from an estimator alone; a measure is "
        "needed, too",
        "TypeError",
        "missing 1 required keyword-only argument: 'measure'",
        may_pass=True,
    )
}
OF_BOOSTERS = weights_fail(NOT_REPEATED) | {
    "check_estimators_nan_inf": Declared(
        "boosters take NaN; tags tell that since version 1.6",
        "AssertionError",
        "doesn't check for NaN and inf in fit",
        may_pass=True,
    )
}
DECLARED = {
    "Pipeline": weights_fail(NOT_HANDED_ON),
    "LGBMRanker": OF_BOOSTERS,
    "XGBRanker": OF_BOOSTERS,
    "CatBoostRanker": OF_BOOSTERS
    | {
        "check_sample_weights_not_an_array": Declared(
            CATBOOST_RULE + "arrays, lists and frames alone",
            "CatBoostError",
            "Invalid data type=.*_NotAnArray",
        ),
        "check_dtype_object": Declared(
            CATBOOST_RULE + "the error for a dict names the value, and no argument",
            "CatBoostError",
            "Bad value for num_feature",
        ),
        "check_estimator_sparse_array": NO_64_BITS,
        "check_estimator_sparse_matrix": NO_64_BITS,
        "check_estimator_sparse_data": NO_64_BITS,  # before version 1.6
        "check_fit2d_1sample": Declared(
            CATBOOST_RULE + "a single document has nothing to learn from",
            "CatBoostError",
            "All features are either constant or ignored",
        ),
    },
}


def rankers():
    yield Ridge()
    yield LogisticRegression()
    yield make_pipeline(StandardScaler(with_mean=False), Ridge())
    yield LGBMRanker(n_estimators=3, min_child_samples=1, n_jobs=1, verbose=-1)
    try:
        from xgboost import XGBRanker
    except ImportError:
        pass
    else:
        yield XGBRanker(n_estimators=3, n_jobs=1)
    try:
        from catboost import CatBoostRanker
    except ImportError:
        pass
    else:
        yield CatBoostRanker(
            iterations=3, verbose=0, thread_count=1, allow_writing_files=False, random_seed=0
        )


# The checks know nothing of queries.
@parametrize_with_checks(
    [QueryRanker(each, measure="nDCG", missing_qid="one_query") for each in rankers()]
)
@pytest.mark.filterwarnings("ignore")  # theirs; the errors are what is looked at
def test_scikit_learns_checks(estimator, check):
    name = check.func.__name__
    declared = (OF_ANY | DECLARED.get(type(estimator.estimator).__name__, {})).get(name)
    if declared is None:
        check(estimator)
        return
    failure = None
    try:
        check(estimator)
    except Exception as error:
        failure = error
    if failure is None:
        assert declared.may_pass, "the check passes now: declare it no more"
        return
    assert type(failure).__name__ == declared.error
    assert re.search(declared.message, str(failure))
    pytest.xfail(declared.reason)
