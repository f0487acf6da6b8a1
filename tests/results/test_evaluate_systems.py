"""`evaluate` of several systems, and measures under names of the user's choice."""

import dataclasses
import pickle
import warnings
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from skgraded import (
    AP,
    Judgments,
    chunks,
    compare,
    cross_validate_queries,
    evaluate,
    make_ranking_scorer,
    measure,
    nDCG,
    trec,
    xGAP,
)
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures import measures_by_name
from skgraded.rankings import as_rankings
from skgraded.results import side_by_side
from skgraded.studies import correlate, sensitivity
from skgraded.users import threshold_profile

RNG = np.random.default_rng(0)
Y, QID, WEIGHT = RNG.integers(0, 3, 60), np.repeat(np.arange(12), 5), RNG.random(60)
SYSTEMS = {
    "a": RNG.normal(size=60),
    "b": RNG.normal(size=60),
    3: Y + RNG.normal(size=60),
}
MEASURES = ["AP", "nDCG@3", "xGAP(g=[0.1,0.9])", "FDR@2"]
RULES = {"qid": QID, "sample_weight": WEIGHT}


def test_systems_have_the_values_that_they_have_alone():
    both = evaluate(MEASURES, Y, SYSTEMS, **RULES)
    assert both.systems == ("a", "b", "3")
    assert both.directions == (1, 1, 1, -1)
    for name, scores in SYSTEMS.items():
        alone, one = (
            evaluate(MEASURES, Y, scores, **RULES),
            both.select(system=str(name)),
        )
        np.testing.assert_array_equal(one.values, alone.values)
        np.testing.assert_array_equal(one.weights, alone.weights)
        np.testing.assert_array_equal(one.qid, alone.qid)
        assert (one.mean(), one.ideal()) == (alone.mean(), alone.ideal())
        assert one.n_empty == alone.n_empty


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_columns_of_a_frame_are_systems(library):
    frame = pytest.importorskip(library).DataFrame(
        {str(each): SYSTEMS[each] for each in SYSTEMS}
    )
    expected = evaluate(MEASURES, Y, SYSTEMS, qid=QID)
    np.testing.assert_array_equal(
        evaluate(MEASURES, Y, frame, qid=QID).values, expected.values
    )
    one = evaluate(MEASURES, Y, {"a": SYSTEMS["a"]}, qid=QID)
    np.testing.assert_array_equal(one.values, expected.values[:1])


def test_rankings_by_name():
    rankings = {name: as_rankings(Y, each, QID) for name, each in SYSTEMS.items()}
    found = evaluate(MEASURES, rankings)
    np.testing.assert_array_equal(
        found.values, evaluate(MEASURES, Y, SYSTEMS, qid=QID).values
    )
    other = as_rankings(np.minimum(Y, 1), SYSTEMS["a"], QID)
    one, two = evaluate("DCG", rankings["a"]), evaluate("DCG", other)
    unlike = side_by_side({"a": one, "other": dataclasses.replace(two, judged=None)})
    assert unlike.ideal() == {
        "DCG": None
    }  # the two have other labels, which nothing tells


def test_a_warning_about_the_scale_comes_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate("xGAP", Y, SYSTEMS, qid=QID)
    assert [each.category for each in caught] == [GradeScaleWarning]


SERIES, JUDGED = pd.Series(SYSTEMS["a"]), Judgments(Y, qid=QID)
TURNED = {"a": SERIES, "b": SERIES[::-1]}
IN_ORDER = Judgments(pd.Series(Y), qid=QID)
RANKED = as_rankings(Y, Y)
QRELS, RUN = {"q": {"a": 1}}, {"q": {"a": 1.0}}


@pytest.mark.parametrize(
    ("call", "arguments", "options", "error", "message"),
    [
        (
            evaluate,
            ("AP", Y, {}),
            {},
            ValueError,
            "Systems must have names that differ, got none",
        ),
        (
            evaluate,
            ("AP", Y, {1: Y, "1": Y}),
            {},
            ValueError,
            "names that differ, got 1, '1'",
        ),
        (
            evaluate,
            ("AP", Y, {"b": Y[1:]}),
            {},
            ValueError,
            r"\(60\), got 59\. \(System 'b'\.\)",
        ),
        (
            evaluate,
            ("AP", Y, {"b": Y * np.nan}),
            {},
            ValueError,
            r"finite.*\(System 'b'\.\)",
        ),
        (
            evaluate,
            ("AP", {"q1": {}}),
            {},
            TypeError,
            r"got dict for 'q1'.*trec\.evaluate\(meas",
        ),
        (
            evaluate,
            ("AP", {"a": RANKED}),
            {"qid": QID},
            TypeError,
            "must be None with Rankings",
        ),
        (evaluate, ([], Y, {"a": "AP"}), {}, TypeError, "The measures must come first"),
        (
            evaluate,
            ("AP", Y, TURNED),
            {},
            ValueError,
            r"y_score\['b'\] must have its rows in the",
        ),
        # Labels that were read once
        (
            evaluate,
            ("AP", JUDGED, SYSTEMS),
            {"qid": QID},
            TypeError,
            "be None with Judgments",
        ),
        (
            evaluate,
            ("AP", JUDGED, Y),
            {"sample_weight": Y},
            TypeError,
            "be None with Judgments",
        ),
        (
            AP(),
            (JUDGED, Y[1:]),
            {},
            ValueError,
            r"one entry per row of y_true \(60\), got 59",
        ),
        (AP(), (JUDGED,), {}, TypeError, "y_score is missing"),
        (
            AP(),
            (IN_ORDER, SERIES[::-1]),
            {},
            ValueError,
            "must have its rows in the order of",
        ),
        # Names
        (measures_by_name, ({},), {}, ValueError, "must name at least one measure"),
        (
            measures_by_name,
            ({"": "AP"},),
            {},
            ValueError,
            "names of measures must not be empty",
        ),
        (
            measures_by_name,
            ({3: "AP"},),
            {},
            TypeError,
            "names of measures must be strings, got 3",
        ),
        (measures_by_name, ({"a": "nGDC"},), {}, ValueError, "Did you mean 'nDCG'"),
        (
            measures_by_name,
            (3,),
            {},
            TypeError,
            "a measure or a sequence of measures, got 3",
        ),
        # The order of arguments of files
        (trec.evaluate, (QRELS, RUN, "AP"), {}, TypeError, "measure"),
        (
            trec.evaluate,
            ("qrels.txt", "a.run", ["AP", "nDCG@10"]),
            {},
            ValueError,
            "measure",
        ),
        (trec.evaluate, (trec.read_qrels(QRELS), [], AP()), {}, TypeError, "measure"),
        (trec.evaluate, (trec.read_run(RUN), QRELS, RUN), {}, TypeError, "measure"),
        (
            trec.evaluate,
            (AP, QRELS, RUN),
            {},
            TypeError,
            r"got the class AP: write AP\(\)",
        ),
    ],
)
def test_what_is_wrong_is_named(call, arguments, options, error, message):
    with pytest.raises(error, match=message):
        call(*arguments, **options)


class TestNames:
    NAMED: ClassVar = {"top": "nDCG@3", "users": xGAP(g=(0.1, 0.9)), "again": nDCG(k=3)}

    def test_they_name_the_columns(self):
        found = evaluate(self.NAMED, Y, SYSTEMS["a"], qid=QID)
        assert list(found) == ["top", "users", "again"]
        expected = evaluate(
            ["nDCG@3", xGAP(g=(0.1, 0.9))], Y, SYSTEMS["a"], qid=QID
        ).values
        np.testing.assert_array_equal(found.values, expected[:, [0, 1, 0]])
        with pytest.raises(
            KeyError, match="nDCG@3 is not among the measures scored: top, users"
        ):
            found["nDCG@3"]
        assert measures_by_name(["AP", AP(), "ap"]) == {
            "AP": AP()
        }  # once without a name

    def test_wherever_measures_are_taken(self):
        names = ["top", "users", "again"]
        rows = (Y, SYSTEMS["a"], QID)
        assert list(chunks.evaluate(self.NAMED, [rows])) == names
        assert list(chunks.evaluate(self.NAMED, [rows], per_query=True)) == names
        qrels, run = {"q": {"a": 2, "b": 1, "c": 0}}, {"q": {"a": 1.0, "c": 2.0}}
        assert list(trec.evaluate(self.NAMED, qrels, run)) == names
        assert list(sensitivity(self.NAMED, [1, 0], [2, 1]).measures) == names
        assert [name for name, _ in make_ranking_scorer(self.NAMED).measures] == names


class TestJudgments:
    """Labels that are read once stand in the place of the arrays."""

    @pytest.mark.parametrize(
        "spec", ["nDCG@10", "xGAP(g=[0.2,0.8])", "ERR(max_grade=2)", "Judged"]
    )
    def test_values_have_the_bits_of_those_of_arrays(self, spec):
        rng = np.random.default_rng(0)
        y = np.where(rng.random(60) < 0.1, np.nan, rng.integers(0, 3, 60))
        rules = {"qid": rng.integers(0, 7, 60), "sample_weight": rng.random(60)}
        judgments, chosen = Judgments(y, **rules), measure(spec)
        for _ in range(3):
            scores = rng.integers(0, 9, 60).astype(float)
            own = chosen.per_query(y, scores, **rules)
            np.testing.assert_array_equal(
                chosen.per_query(judgments, scores).values, own.values
            )
            assert chosen(judgments, scores) == chosen(y, scores, **rules)
            assert evaluate(spec, judgments, scores).mean() == own.mean()
        both = {"a": scores, "b": -scores}
        expected = evaluate(spec, y, both, **rules)
        np.testing.assert_array_equal(
            evaluate(spec, judgments, both).values, expected.values
        )

    def test_users_beyond_the_grades_are_told(self):
        y = np.tile([0, 1], 200)
        judgments = Judgments(y, qid=np.repeat(np.arange(200), 2))
        with pytest.warns(GradeScaleWarning):
            xGAP(g=(0.5, 0.5))(judgments, y)


IDS = np.array([f"q{each}" for each in QID])
ROWS = {query: np.flatnonzero(query == IDS) for query in IDS.tolist()}


class TestJudgmentsOfSystems:
    """Values by other judgments under the same ids must not be compared."""

    def test_the_same_judgments_are_the_same_however_they_come(self):
        def scored(y, qid):
            return evaluate("nDCG@10", y, np.arange(len(y)), qid=qid)

        one, order = scored(Y, IDS), np.random.default_rng(0).permutation(len(Y))
        qrels = {q: {str(row): int(Y[row]) for row in rows} for q, rows in ROWS.items()}
        run = {q: dict.fromkeys(list(found)[:3], 1.0) for q, found in qrels.items()}
        parts = [(Y[rows], SYSTEMS["b"][rows], IDS[rows]) for rows in ROWS.values()]
        with_unjudged = scored(np.append(Y, [np.nan] * 5), np.append(IDS, IDS[:5]))
        by_own_levels = scored(np.append(Y, 40.5), np.append(IDS, "other"))
        others = [
            scored(Y[order], IDS[order]),
            with_unjudged,
            by_own_levels.select(qid=one.qid.tolist()),
            chunks.evaluate("nDCG@10", parts, order="grouped", per_query=True),
            evaluate("nDCG@10", trec.rank(qrels, run)),
            trec.evaluate("nDCG@10", qrels, {"run": run}).select(system="run"),
            cross_validate_queries(
                Ridge(), np.c_[Y, Y], Y, qid=IDS, measures="nDCG@10", cv=2
            ),
            pickle.loads(pickle.dumps(one)),
        ]
        both = side_by_side(
            {"one": one} | {str(i): each for i, each in enumerate(others)}
        )
        assert both.fingerprints.tolist() == one.fingerprints.tolist()
        assert len(set(one.fingerprints.tolist())) > 1
        more = scored(
            np.append(Y, 0), np.append(IDS, IDS[:1])
        )  # one that is not relevant
        assert (more.fingerprints != one.fingerprints).sum() == 1

    def test_others_are_refused_unless_a_judge_is_meant(self):
        less = Y - (np.arange(len(Y)) == np.argmax(Y))
        humans, judge = (
            evaluate("nDCG@10", each, SYSTEMS, qid=IDS) for each in (Y, less)
        )
        systems = {"a": humans.select(system="a"), "b": judge.select(system="b")}
        rankings = {"a": as_rankings(Y, Y, IDS), "b": as_rankings(less, Y, IDS)}
        for refused in (
            lambda: compare(systems),
            lambda: evaluate("AP", rankings),
            lambda: threshold_profile(rankings),
            lambda: correlate(systems),
        ):
            with pytest.raises(
                ValueError, match=r"'b' and 'a' were .* other grades in 1 of 12"
            ):
                refused()
        with pytest.warns(UserWarning, match="helps by 0 of 1 measure"):
            assert compare(humans, judge=judge, tests="t").difference.shape == (3, 1)
