"""The covariance of every estimate of g is that of estimates from many simulated data sets."""

import numpy as np
import pytest
import test_users_feedback
import test_users_log

from skgraded.users import thresholds_from_feedback, thresholds_from_log

quiet = pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")


def from_feedback(seed):
    grade, satisfied, chance, session = test_users_feedback.simulate(200, seed)
    return thresholds_from_feedback(grade, satisfied, propensity=chance, cluster=session)


def from_log(seed):
    grade, clicked, _ = test_users_log.simulate("one", 1500, seed, m=5)
    columns = test_users_log.columns_of(grade, clicked)
    return thresholds_from_log(**columns, reader="one")


@quiet
@pytest.mark.parametrize("estimate_from", [from_feedback, from_log])
def test_covariances_are_those_of_estimates_from_simulated_data(estimate_from):
    found = [estimate_from(seed) for seed in range(200)]
    covariance = np.mean([each.covariance for each in found], axis=0)
    simulated = np.cov([each.g for each in found], rowvar=False)
    errors = np.sqrt(np.diag(simulated))
    # A correlation between 200 pairs has a standard error of at most 0.07, a variance of 10 %.
    np.testing.assert_allclose(
        covariance / np.outer(errors, errors), simulated / np.outer(errors, errors), atol=0.25
    )
