"""Doors that take the scores of several systems by name, or say how to call them for each."""

import numpy as np
import pytest

from skgraded.measures import bounds, tie_report
from skgraded.studies import simulate_judgments

QID = np.repeat(["q1", "q2"], 3)
Y = np.array([2.0, np.nan, 0, 1, np.nan, 0])
SYSTEMS = {"a": np.array([3.0, 2, 1, 1, 2, 3]), "b": np.array([1.0, 2, 3, 3, 2, 1])}
RUNS = {
    "good": {"q1": {"d1": 2.0, "d2": 1.0}},
    "mid": {"q1": {"d1": 1.0, "d2": 2.0}},
}


def as_frame():
    return pytest.importorskip("pandas").DataFrame(SYSTEMS)


@pytest.mark.parametrize("systems", [SYSTEMS, as_frame])
@pytest.mark.parametrize(
    ("function", "measure"), [(bounds, "P@2"), (tie_report, "AP")], ids=["bounds", "tie_report"]
)
def test_doors_of_one_system_say_how_to_call_them_for_each(function, measure, systems):
    scores = systems() if callable(systems) else systems
    with pytest.raises(TypeError, match=rf"must be the scores of one system.* {function.__name__}"):
        function(measure, np.nan_to_num(Y), scores, qid=QID)
    each = {n: function(measure, np.nan_to_num(Y), s, qid=QID) for n, s in scores.items()}
    assert list(each) == ["a", "b"]  # as the message says


def test_systems_in_a_frame_are_judged_by_simulation():
    frame, probabilities = as_frame(), np.linspace(0.1, 0.9, 6)
    by_frame = simulate_judgments("AP", probabilities, frame, qid=QID, n_repeats=3)
    by_dict = simulate_judgments("AP", probabilities, SYSTEMS, qid=QID, n_repeats=3)
    assert by_frame.measures == by_dict.measures == ("a: AP", "b: AP")
    np.testing.assert_array_equal(by_frame.values, by_dict.values)
    with_ids = simulate_judgments("AP", probabilities, frame.assign(qid=QID), qid=QID, n_repeats=3)
    assert with_ids.measures == by_dict.measures  # ids are no system
