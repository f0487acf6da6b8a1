"""How much tied documents decide."""

import itertools

import numpy as np
import pytest
from facts import FACTS, RANKED

from skgraded import AP, Blend, Measure, catalogue, evaluate, nDCG, trec
from skgraded.measures import INST, tie_report
from skgraded.rankings import as_rankings

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

ORDERS = np.array(list(itertools.permutations(range(4))))
N_ABOVE, N_BELOW = 3, 2
DEPTH = N_ABOVE + 4 + N_BELOW
# A list of nine documents, of which four in the middle are tied.
TIED = np.r_[
    np.arange(20.0, 20.0 - N_ABOVE, -1), [10.0] * 4, np.arange(5.0, 5.0 - N_BELOW, -1)
]


def in_all_orders(labels):
    """Labels of the list under every order of its tied documents, one order after the other."""
    lists = np.tile(labels, (len(ORDERS), 1))
    lists[:, N_ABOVE : N_ABOVE + 4] = labels[N_ABOVE : N_ABOVE + 4][ORDERS]
    return lists


def outside(chosen, n_lists, seed, shares):
    """By how much orders of tied documents are outside of the values with ordered grades."""
    rng = np.random.default_rng(seed)
    labels = rng.choice([np.nan, 0, 1, 2, 3, 4], p=shares, size=(n_lists, DEPTH))
    labels[:, -1] = 4  # a threshold must not exceed all grades
    lists = np.concatenate([in_all_orders(each) for each in labels])
    qid, falling = (
        np.arange(len(lists)).repeat(DEPTH),
        np.tile(-np.arange(DEPTH), len(lists)),
    )
    in_order = chosen.replace(ties="row_order")
    values = in_order.per_query(lists.ravel(), falling, qid=qid).values
    values = values.reshape(n_lists, len(ORDERS))
    ends = [
        chosen.replace(ties=rule)
        .per_query(
            labels.ravel(), np.tile(TIED, n_lists), qid=np.arange(n_lists).repeat(DEPTH)
        )
        .values
        for rule in ("pessimistic", "optimistic")
    ]
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    return max((low - values.min(axis=1)).max(), (values.max(axis=1) - high).max())


SHARES = ([0.2, 0.3, 0.2, 0.1, 0.1, 0.1], [0.0, 0.5, 0.2, 0.1, 0.1, 0.1])


def chosen_of(name, k):
    fields = (
        {"g": (0.277, 0.34, 0.308, 0.075)} if name in ("GAP", "xGAP", "eGAP") else {}
    )
    fields |= {"weights": (1.0, 1.0, 0.0, 0.5)} if name == "Utility" else {}
    fields |= {} if "k" in FACTS[name].refuses else {"k": k}
    return catalogue()[name](**fields).resolve(4)


def reported(name):
    return bool(tie_report(chosen_of(name, None), [4, 0, 1], [1, 1, 1]).are_bounds[0])


@pytest.mark.parametrize("name", RANKED)
def test_bounds_are_bounds(name):
    found = max(
        outside(chosen_of(name, k), 150, seed, shares)
        for k in (None, 5)
        for seed, shares in enumerate(SHARES)
    )
    if reported(name):
        assert found < 1e-12
    else:
        assert found > 1e-6, "grades in order are bounds of this measure"


def test_values_and_shares_of_a_list():
    y, score, qid = [2, 0, 1, 0, 1], [0.9, 0.5, 0.5, 0.1, 3.0], [1, 1, 1, 1, 2]
    names = ["AP", "nDCG@2", "P@1", "nDCG(ties=optimistic)@3"]
    found = tie_report(names, y, score, qid=qid)
    for rule, values in {
        "expected": found.expected,
        "pessimistic": found.lowest_first,
        "optimistic": found.highest_first,
    }.items():
        measures = [AP(ties=rule), nDCG(k=2, ties=rule), "P@1", nDCG(k=3, ties=rule)]
        by_hand = list(evaluate(measures, y, score, qid=qid).mean().values())
        assert values.tolist() == by_hand
    # Query 1 has two tied documents at ranks 2 and 3, query 2 none.
    np.testing.assert_allclose(found.tied_share, [2 / 4 / 2, 1 / 2 / 2, 0, 2 / 3 / 2])
    assert (found.n_queries, found.n_tied_queries) == (2, 1)


def test_a_measure_without_an_expected_value_has_a_dash():
    found = tie_report([INST(max_grade=2), "AP"], [2, 0, 1], [1, 1, 0])
    assert np.isnan(found.expected[0])
    assert "INST(max_grade=2)         -" in repr(found)


def test_condensed_lists_leave_unjudged_documents_out_of_the_share():
    found = tie_report(["AP", "AP(unjudged=condense)"], [1, np.nan, 0], [1, 1, 0])
    assert found.tied_share.tolist() == [2 / 3, 0.0]


def test_blends_and_measures_of_users():
    class _Own(Measure):
        """A measure that nobody knows."""

        def relevant(self, judgments):
            return judgments.grades > 0

        def raw_values(self, rankings):
            return np.ones(rankings.judgments.n_queries)

    blend = Blend({"AP": 0.5, "xGAP(g=[0.5,0.5])": 0.5})
    found = tie_report([blend, "Blend({AP:0.5,P@1:0.5})", _Own()], [2, 1, 0], [1, 1, 1])
    assert found.are_bounds.tolist() == [False, True, False]
    both = [
        AP(ties="pessimistic"),
        catalogue()["xGAP"](g=(0.5, 0.5), ties="pessimistic"),
    ]
    by_hand = np.mean([each([2, 1, 0], [1, 1, 1]) for each in both])
    assert found.lowest_first[0] == pytest.approx(by_hand, rel=1e-15)


def test_rankings_frames_and_notes():
    pytest.importorskip("pandas")
    rankings = as_rankings([2, 0, 1], [1.0, 1.0, 0.0])
    found = tie_report(["AP", "xGAP(g=[0.5,0.5])"], rankings)
    assert found.to_frame()["are_bounds"].tolist() == [True, False]
    assert "values of xGAP(g=[0.5,0.5]): lowest" in " ".join(repr(found).split())
    assert "are not bounds" not in repr(tie_report("AP", rankings))


def test_queries_without_documents_have_no_ties():
    qrels = {name: {"a": 1, "b": 0} for name in "pqrs"}
    tied, apart = {"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 0.5}
    for run, n_tied in (
        ({"p": apart, "r": tied}, 1),  # empty in the middle and at the end
        ({"q": tied, "r": apart, "s": tied}, 2),
        ({"p": apart, "s": apart}, 0),
        ({"p": apart, "q": {"z": 1.0}}, 0),
    ):
        report = tie_report("AP", trec.rank(qrels, run))
        assert (report.n_queries, report.n_tied_queries) == (4, n_tied)
