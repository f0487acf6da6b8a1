"""Values by query and means over queries."""

import math
import pickle

import numpy as np
import pytest
import strategies
from hypothesis import given, strategies as st
from reference.queries import mean_over_queries, rows_by_query

from skgraded import AP, RR, evaluate, nDCG, xGAP
from skgraded.exceptions import UndefinedMeanWarning
from skgraded.rankings import as_rankings

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

TOLERANCE = 1e-12


class TestResults:
    rows = ([2, 0, 0, 0], [4, 3, 2, 1])
    qid = ("a", "a", "b", "b")

    @pytest.mark.parametrize("g", [(0.1, 0.9), (0.5, 0.5)])
    def test_the_ideal_ranking_may_be_below_1(self, g):
        rows, qid = ([2, 0, 1, 1, 0], [1, 2, 3, 1, 2]), [1, 1, 1, 2, 2]
        scores = evaluate(
            [xGAP(g=g), "nDCG", "RankedHalfLife", "xGAP(g=[0.1,0.9],normalize=True)"],
            *rows,
            qid=qid,
        )
        ideal = evaluate(xGAP(g=g), rows[0], rows[0], qid=qid)
        assert scores.ideal() == {
            str(xGAP(g=g)): float(ideal[xGAP(g=g)]),
            "nDCG": 1.0,
            "RankedHalfLife": None,
            "xGAP(g=[0.1,0.9],normalize=True)": 1.0,
        }
        assert scores["nDCG"].ideal() == {"nDCG": 1.0}
        assert float(ideal) < 1.0
        assert f"{float(ideal):.4f}" in repr(scores).splitlines()[1]
        assert "ideal" not in repr(evaluate("nDCG", *rows, qid=qid))

    def test_a_pickled_result_holds_ideal_means_and_no_labels(self):
        rows = np.arange(4000) % 3, np.arange(4000)
        scores = evaluate(["xGAP", "nDCG"], *rows, qid=np.arange(4000) // 400)
        copied = pickle.loads(pickle.dumps(scores))
        assert len(pickle.dumps(scores)) < 4000
        assert copied.mean() == scores.mean()
        assert copied.ideal() == scores.ideal()
        assert all(isinstance(each, float) for each in copied.ideals)
        one = pickle.loads(pickle.dumps(scores["nDCG"]))
        assert one.ideal() == {"nDCG": 1.0}
        assert one.mean() == scores["nDCG"].mean()

    @pytest.mark.parametrize(
        "mean",
        [
            lambda chosen, rows: chosen(*rows),
            lambda chosen, rows: chosen.per_query(*rows).mean(),
            lambda chosen, rows: evaluate(chosen, *rows).mean(),
            lambda chosen, rows: float(evaluate(chosen, *rows)[chosen]),
        ],
    )
    def test_a_warning_names_the_line_of_the_user(self, mean):
        with pytest.warns(UndefinedMeanWarning) as found:
            mean(AP(empty=float("nan")), ([0, 0], [1, 2]))
        assert [each.filename for each in found] == [__file__]

    @given(st.lists(st.integers(0, 4), min_size=1), st.sampled_from([None, 1, 3]))
    def test_a_perfect_ranking_has_the_bits_of_the_ideal_one(self, y_true, k):
        assert nDCG(k=k, empty=1.0)(y_true, y_true) == 1.0

    def test_scores(self):
        scores = evaluate(["AP", nDCG(k=1, empty=math.nan)], *self.rows, qid=self.qid)
        assert scores.mean() == {"AP": 0.5, "nDCG(empty=nan)@1": 1.0}
        assert float(scores["AP"]) == float(scores[AP()]) == 0.5
        np.testing.assert_array_equal(scores.values, [[1.0, 1.0], [0.0, math.nan]])
        assert repr(scores).splitlines() == [
            "measure              mean   ideal",
            "AP                 0.5000  0.5000",
            "nDCG(empty=nan)@1  1.0000  1.0000",
            "Means over 2 queries.",
            "1 query with nothing relevant, counted as 0 (AP).",
            "1 query with nothing relevant, left out (nDCG(empty=nan)@1).",
        ]
        with pytest.raises(
            KeyError, match="GAP is not among the measures scored: AP, nDCG"
        ):
            scores["GAP"]

    def test_a_single_measure_may_stand_alone(self):
        assert evaluate("AP", *self.rows).mean() == evaluate([AP()], *self.rows).mean()

    def test_rankings_need_nothing_beside_them(self):
        rankings = as_rankings(*self.rows, self.qid)
        assert AP()(rankings) == 0.5
        with pytest.raises(TypeError, match="must be None with a Rankings"):
            AP()(rankings, [1, 2, 3, 4])
        with pytest.raises(TypeError, match="y_score is missing"):
            AP()([1, 0])


@given(strategies.long_data(), st.data())
def test_mean_weighs_a_query_by_the_mean_of_its_rows(rows, data):
    weights = data.draw(strategies.row_weights(len(rows.qid)))
    for empty in (0.0, float("nan")):
        chosen = AP(empty=empty)
        found = chosen.per_query(rows.y_true, rows.y_score, qid=rows.qid)
        values = dict(zip(found.qid.tolist(), found.values.tolist(), strict=True))
        given_weights = {"qid": rows.qid, "sample_weight": weights}
        own = rows_by_query(rows.qid)
        if all(
            math.isnan(values[query]) or not weights[own[query]].any()
            for query in values
        ):
            with pytest.warns(UndefinedMeanWarning, match="undefined"):
                assert math.isnan(chosen(rows.y_true, rows.y_score, **given_weights))
        else:
            mean = mean_over_queries(values, rows.qid, weights)
            ours = chosen(rows.y_true, rows.y_score, **given_weights)
            assert ours == pytest.approx(mean, abs=TOLERANCE)


class TestGeometricMean:
    def test_weights_and_values_that_are_nan(self):
        found = RR(empty=math.nan).per_query(
            [1, 0, 1, 0], [2, 1, 1, 2], qid=[1, 2, 3, 3], sample_weight=[3, 1, 1, 1]
        )
        assert found.mean("geometric") == {
            "RR(empty=nan)": pytest.approx(0.5 ** (1 / 4))
        }

    def test_the_table_of_one_system_names_the_kind_and_no_arithmetic_means(self):
        scores = evaluate(
            xGAP(g=[0.5, 0.5]), [1, 0, 0, 2], [2, 1, 2, 1], qid=[1, 1, 2, 2]
        )
        (table,) = scores._report_of_means("geometric").tables
        (mean,) = scores.mean("geometric").values()
        assert table.rows[1:] == [[str(scores.measures[0]), f"{mean:.4f}"]]
        assert table.notes[0] == "Geometric means over 2 queries."
        (table,) = scores._report_of_means().tables
        assert table.rows[0] == ["measure", "mean", "ideal"]
        assert table.notes[0] == "Means over 2 queries."
