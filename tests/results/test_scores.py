"""`Scores` and `Means`: axes, names, selection, means and stacking, against plain Python."""

import copy
import math
import pickle
import statistics
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from skgraded import Blend, catalogue
from skgraded.exceptions import UndefinedMeanWarning
from skgraded.measures import AP, FDR, register, xGAP
from skgraded.results import Means, Scores, column_of, side_by_side
from skgraded.studies import correlate

NAN = math.nan
RNG = np.random.default_rng(0)


def scores_of(values, **fields):
    """`Scores` of values; measures, queries, systems and directions get names by default."""
    values = np.asarray(values, dtype=float)
    n_leading = ("systems" in fields) + ("folds" in fields)
    n_queries = values.shape[n_leading]
    measures = fields.setdefault(
        "measures", ("AP", "nDCG@10", "RR")[: values.shape[-1]]
    )
    fields.setdefault("qid", np.array([f"q{number}" for number in range(n_queries)]))
    fields.setdefault("directions", (1,) * len(measures))
    return Scores(values=values, **fields)


ONE = scores_of([[0.5, 0.25], [1.0, 0.75], [0.0, 0.5]])
TWO = scores_of(
    [[[0.5, 0.25], [1.0, 0.75], [0.0, 0.5]], [[0.1, NAN], [0.2, 0.5], [0.3, 0.5]]],
    systems=("a", "b"),
    weights=[1.0, 2.0, 1.0],
    n_empty=(0, 1),
    empty=(0.0, NAN),
    ideals=(1.0, 0.9),
)
# Two repeats of three queries in two folds each; the second repeat does not test the last query.
REPEATED = scores_of(
    [[[0.5, 0.25], [1.0, 0.75], [0.0, 0.5]], [[0.7, 0.75], [0.8, 0.25], [NAN, NAN]]],
    folds=[[0, 1, 0], [2, 3, -1]],
)


RANDOM = scores_of(
    RNG.random((2, 2, 3, 2)), systems=("a", "b"), folds=[[0, 0, 1], [2, 3, 3]]
)
AP_OF_FOLDS, NDCG_OF_FOLDS = [0.25, 1.0, 0.7, 0.8], [0.375, 0.75, 0.75, 0.25]

READ = {
    # A measure that is picked has no axis, and a list gives it back.
    "a measure": (lambda: ONE["AP"].values, [0.5, 1.0, 0.0]),
    "its name": (lambda: ONE["AP"].measures, ("AP",)),
    "a list of one measure": (lambda: ONE[["nDCG@10"]].values, [[0.25], [0.75], [0.5]]),
    "a list of measures": (
        lambda: ONE[["nDCG@10", "AP"]].values,
        ONE.values[:, ::-1].tolist(),
    ),
    "the axis again": (lambda: ONE["AP"][["AP"]].values, [[0.5], [1.0], [0.0]]),
    "no axis again": (lambda: ONE["AP"]["AP"].values, [0.5, 1.0, 0.0]),
    "queries without relevant documents": (lambda: TWO["nDCG@10"].n_empty, (1,)),
    "their value": (lambda: str(TWO["nDCG@10"].empty), "(nan,)"),
    "an ideal mean": (lambda: TWO["nDCG@10"].ideals, (0.9,)),
    "a direction": (lambda: TWO["nDCG@10"].directions, (1,)),
    # Systems
    "a system": (lambda: TWO.select(system="b").values[1:], [[0.2, 0.5], [0.3, 0.5]]),
    "no axis of systems": (lambda: TWO.select(system="b").systems, None),
    "a list of systems": (
        lambda: TWO.select(system=["b", "a"]).values[1],
        TWO.values[0].tolist(),
    ),
    "a list of one system": (lambda: TWO.select(system=["b"]).systems, ("b",)),
    "means of one system": (lambda: [*TWO.select(system=["b"]).mean()], ["b"]),
    # Queries keep their axis. What is unknown of some of them is told as None.
    "a query": (lambda: TWO.select(qid="q1").values, [[[1.0, 0.75]], [[0.2, 0.5]]]),
    "its weight": (lambda: TWO.select(qid="q1").weights, [2.0]),
    "other queries": (
        lambda: TWO["AP"].select(qid=["q2", "q0"]).values,
        [[0.0, 0.5], [0.3, 0.1]],
    ),
    "empty ones of some": (lambda: TWO.select(qid=["q1"]).n_empty, (0, None)),
    "ideals of some": (lambda: TWO.select(qid=["q1"]).ideals, (None, None)),
    "empty ones of all": (lambda: TWO.select(qid=["q2", "q1", "q0"]).n_empty, (0, 1)),
    "ideals of all": (lambda: TWO.select(qid=["q2", "q1", "q0"]).ideals, (1.0, 0.9)),
    # A repeat leaves out what it did not test.
    "queries of a repeat": (lambda: REPEATED.select(repeat=1).qid, ["q0", "q1"]),
    "values of a repeat": (
        lambda: REPEATED.select(repeat=1).values,
        [[0.7, 0.75], [0.8, 0.25]],
    ),
    "no folds of one repeat": (lambda: REPEATED.select(repeat=1).folds, None),
    "folds of a list of one": (lambda: REPEATED.select(repeat=[1]).folds, [[2, 3]]),
    "several axes": (
        lambda: RANDOM.select(system="b", repeat=0, qid=["q2"])["nDCG@10"].values,
        [RANDOM.values[1, 0, 2, 1]],
    ),
    # Means
    "means": (ONE.mean, {"AP": 0.5, "nDCG@10": 0.5}),
    "a mean": (ONE["AP"].mean, {"AP": 0.5}),
    "weighted means": (
        TWO.mean,
        {
            "a": {"AP": 0.625, "nDCG@10": 0.5625},
            "b": {"AP": float(sum(map(Fraction, (0.1, 0.4, 0.3))) / 4), "nDCG@10": 0.5},
        },
    ),
    "means as an array": (lambda: ONE.means, [0.5, 0.5]),
    "a mean as an array": (lambda: ONE["AP"].means.shape, ()),
    "means by system": (lambda: TWO["AP"].means, [0.625, TWO.mean()["b"]["AP"]]),
    "all means": (lambda: TWO.means.shape, (2, 2)),
    "ideal means": (TWO.ideal, {"AP": 1.0, "nDCG@10": 0.9}),
    "unknown ideal means": (ONE.ideal, {"AP": None, "nDCG@10": None}),
    "means over repeats": (
        lambda: REPEATED.over_repeats().values,
        [[0.6, 0.5], [0.9, 0.5], [0.0, 0.5]],
    ),
    "the mean counts a query once": (
        lambda: REPEATED.mean()["AP"],
        pytest.approx(statistics.fmean([0.6, 0.9, 0.0]), rel=1e-15),
    ),
    "means of folds": (lambda: REPEATED.fold_means().T, [AP_OF_FOLDS, NDCG_OF_FOLDS]),
    "means of folds of a measure": (REPEATED["AP"].fold_means, AP_OF_FOLDS),
    "one mean": (lambda: float(TWO.select(system=["a"])["AP"]), 0.625),
    # Side by side
    "one measure": (lambda: side_by_side({"a": ONE["AP"]}).values, [[0.5, 1.0, 0.0]]),
    "systems": (lambda: side_by_side(TWO) is TWO, True),
    "notes once": (
        lambda: (
            side_by_side(
                {each: scores_of([[1.0]], notes=each) for each in ("xy", "yz")}
            ).notes
        ),
        ("x", "y", "z"),
    ),
    # A dict has a level for each axis.
    "a dict": (lambda: ONE.to_dict()["q1"], {"AP": 1.0, "nDCG@10": 0.75}),
    "a dict of one measure": (ONE["AP"].to_dict, {"q0": 0.5, "q1": 1.0, "q2": 0.0}),
    "a dict of systems": (lambda: TWO.to_dict()["b"]["q2"]["AP"], 0.3),
    "a dict of repeats": (lambda: REPEATED["AP"].to_dict()[1]["q0"], 0.7),
}


@pytest.mark.parametrize(("read", "expected"), READ.values(), ids=READ)
def test_what_is_read(read, expected):
    found = read()
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected


@pytest.mark.parametrize("found", [ONE, TWO, REPEATED])
def test_results_are_collections_of_measures(found):
    assert list(found) == ["AP", "nDCG@10"]
    assert len(found) == 2
    assert "AP" in found
    assert "RR" not in found
    assert 3 not in found


NAMES = (
    "AP",
    "xGAP(g=[0.1,0.9])@10",
    "nDCG(gain=exp2,max_grade=4)@5",
    "RBP(p=0.8)",
    "clicks",
)
OTHER_FIELDS = (
    "AP@10",
    "xGAP@10",
    "nDCG@5",
    "RBP(p=0.9)",
    "nDCG(gain=exp2,max_grade=3)@5",
)
SHAPES = [(3,), (2, 3, 1), (3, 3), (1, 3, 2)]


def shaped(shape):
    values = np.zeros(shape)
    return Scores(
        measures=("AP", "RR"), qid=np.arange(3), values=values, directions=(1, 1)
    )


def beside(other):
    return side_by_side({"a": ONE, "b": other})


REFUSED = [
    (lambda: ONE.select(system=0), ValueError, "system= needs values"),
    (lambda: ONE.select(repeat=0), ValueError, "repeat= needs values"),
    (ONE.fold_means, ValueError, "needs a result with folds"),
    (lambda: ONE.mean("harmonic"), ValueError, "average must be one of"),
    # which have no logarithm
    (
        lambda: ONE.mean("geometric", floor=0.0),
        ValueError,
        "floor must be a finite number > 0",
    ),
    (
        lambda: ONE.mean("geometric", floor=-0.5),
        ValueError,
        "floor must be a finite number > 0",
    ),
    *[
        (partial(shaped, each), ValueError, "values must have the shape")
        for each in SHAPES
    ],
    # Names
    *[
        (partial(column_of, NAMES, each), KeyError, "among the measures")
        for each in OTHER_FIELDS
    ],
    (lambda: ONE["nDGC@10"], KeyError, r"Did you mean 'nDCG@10'\?"),
    (lambda: TWO.select(system="b-"), KeyError, r"Did you mean 'b'\?"),
    (
        lambda: ONE.select(qid="q7"),
        KeyError,
        "'q7' is not a query of .*, which has q0, q1",
    ),
    # Several means are no number
    (lambda: float(ONE), TypeError, r"got 2: choose by scores\['AP'\]\.$"),
    (
        lambda: float(TWO["AP"]),
        TypeError,
        r"got 2: choose by scores.select\(system='a'\)\.$",
    ),
    (lambda: float(Means.of(ONE, 7)), TypeError, r"got 2: choose by means\['AP'\]"),
    # Side by side
    (
        lambda: beside(ONE[["AP"]]),
        ValueError,
        "same measures: 'b' has AP, and 'a' has AP, nDCG@10",
    ),
    (
        lambda: beside(ONE.select(qid=["q0"])),
        ValueError,
        "queries: 'b' has 1, 'a' has 3, and 1",
    ),
    (
        lambda: beside(scores_of(ONE.values, weights=[1, 1, 2])),
        ValueError,
        "weight queries alike",
    ),
    (lambda: beside(TWO), ValueError, "must be of one system, but 'b' has a, b"),
    (
        lambda: side_by_side({"a": REPEATED, "b": REPEATED.select(repeat=[0])}),
        ValueError,
        r"number of repeats: 'a' has 2, 'b' has 1\.",
    ),
    (
        lambda: side_by_side({"AP": np.zeros((2, 2)), "RR": np.zeros((2, 3))}),
        ValueError,
        r"got \(2, 3\) for 'RR' and \(2, 2\) for 'AP'",
    ),
    (lambda: beside(np.zeros((2, 2))), TypeError, "either Scores or arrays"),
    *[
        (partial(side_by_side, each), TypeError, "must be a Scores of several systems")
        for each in (None, {}, [ONE], ONE, 3)
    ],
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_what_a_result_lacks_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


class TestNames:
    def test_spellings(self):
        by_column = [
            [AP(), "map"],
            [xGAP(g=(0.1, 0.9), k=10), "XGAP( g = [.1, .9] ) @ 10"],
            ["ndcg(gain=EXP2)@5"],
            ["rbp.8"],
            ["Clicks"],
        ]
        for column, names in enumerate(by_column):
            assert {column_of(NAMES, name) for name in names} == {column}

    def test_the_exact_name_comes_first(self):
        assert [column_of(("ap", "AP"), name) for name in ("AP", "ap", "Ap")] == [
            1,
            0,
            0,
        ]


class TestMeans:
    def test_means_are_rounded_once(self):
        values = RNG.random(1000) * 10.0 ** RNG.integers(-8, 8, 1000)
        exact = float(sum(map(Fraction, values.tolist())) / 1000)
        assert float(scores_of(values[:, None])) == exact

    def test_means_of_folds_are_weighted_and_by_system(self):
        folds = [[0, 0, 1]]
        found = scores_of(
            TWO.values[:, None], systems=("a", "b"), folds=folds, weights=TWO.weights
        )
        assert found.fold_means()[0].tolist() == [[2.5 / 3, 1.75 / 3], [0.0, 0.5]]

    def test_the_geometric_mean_has_a_floor(self):
        assert ONE.mean("geometric", floor=0.125)["AP"] == pytest.approx(
            (0.5 * 0.125) ** (1 / 3)
        )
        found = scores_of([[0.5], [0.0]]).mean("geometric")["AP"]
        assert found == pytest.approx(
            math.sqrt(0.5 * 1e-5), rel=1e-12
        )  # that of trec_eval

    def test_an_undefined_mean_warns(self):
        nothing = scores_of([[NAN, 1.0], [NAN, 0.0]])
        with pytest.warns(
            UndefinedMeanWarning, match=r"of AP is undefined .* \(2 of 2 have no"
        ):
            assert math.isnan(nothing.mean()["AP"])
        with pytest.warns(UndefinedMeanWarning):
            assert math.isnan(float(nothing["AP"]))
        later = scores_of([[0.5, NAN], [1.0, NAN]])
        with pytest.warns(
            UndefinedMeanWarning, match="of nDCG@10 is undefined"
        ) as warned:
            later.mean()
        assert len(warned) == 1
        assert float(nothing["nDCG@10"]) == 0.5  # without a warning
        assert "nan" in repr(nothing)


class TestExport:
    def test_to_frame_has_a_level_for_each_axis(self):
        pytest.importorskip("pandas")
        assert ONE.to_frame().loc["q1", "AP"] == 1.0
        assert ONE["AP"].to_frame().columns.tolist() == ["AP"]
        frame = TWO.to_frame()
        assert frame.index.names == ["system", "qid"]
        assert frame.loc[("b", "q2"), "AP"] == 0.3
        assert frame.columns.tolist() == ["AP", "nDCG@10"]

    def test_to_frame_tells_the_folds_and_leaves_out_what_none_tested(self):
        pytest.importorskip("pandas")
        frame = REPEATED.to_frame()
        assert frame.index.names == ["repeat", "qid"]
        assert frame["fold"].tolist() == [0, 1, 0, 2, 3]
        assert frame["AP"].tolist() == [0.5, 1.0, 0.0, 0.7, 0.8]
        of_both = scores_of(
            np.stack([REPEATED.values] * 2), systems=("a", "b"), folds=REPEATED.folds
        )
        assert of_both.to_frame()["fold"].tolist() == [0, 1, 0, 2, 3] * 2


class TestOwnership:
    def test_arrays_cannot_be_changed(self):
        values, qid = np.zeros((2, 1)), np.arange(2)
        found = Scores(measures=("AP",), qid=qid, values=values, directions=(1,))
        values[0], qid[0] = 5.0, 7
        assert (found.values[0, 0], found.qid[0]) == (0.0, 0)
        for array in (
            found.values,
            found.qid,
            found["AP"].values,
            TWO.weights,
            REPEATED.folds,
        ):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    @pytest.mark.parametrize("found", [ONE, TWO, REPEATED, ONE["AP"]])
    def test_copies(self, found):
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert repr(again) == repr(found)
            np.testing.assert_array_equal(again.values, found.values)
            assert not again.values.flags.writeable


class TestSideBySide:
    def test_queries_and_measures_are_aligned(self):
        other = ONE.select(qid=["q2", "q0", "q1"])[["nDCG@10", "AP"]]
        both = side_by_side({"a": ONE, "b": other})
        assert both.systems == ("a", "b")
        assert both.qid.tolist() == ["q0", "q1", "q2"]
        assert both.values[0].tolist() == both.values[1].tolist() == ONE.values.tolist()

    def test_a_result_without_repeats_is_the_same_in_each(self):
        both = side_by_side(
            {"once": ONE, "twice": REPEATED.select(qid=["q1", "q0", "q2"])}
        )
        assert both.values.shape == (2, 2, 3, 2)
        assert (
            both.values[0, 0].tolist()
            == both.values[0, 1].tolist()
            == ONE.values.tolist()
        )
        assert both.folds.tolist() == REPEATED.folds.tolist()
        np.testing.assert_array_equal(both.values[1], REPEATED.values)

    def test_arrays_by_measure(self):
        taken = side_by_side({"AP": [[0.5, 1.0], [0.0, 0.5]], FDR(): np.zeros((2, 2))})
        assert taken.systems == ("system 1", "system 2")
        assert taken.measures == ("AP", "FDR")
        assert taken.directions == (1, -1)
        assert taken["AP"].values.tolist() == [[0.5, 1.0], [0.0, 0.5]]

    def test_the_direction_follows_from_the_name_of_a_measure(self):
        @register
        class Cost(FDR):
            pass

        measures = [*(kind() for kind in catalogue().values()), Blend({"FDR@5": 2.0})]
        names = {str(each): 1 if each.greater_is_better else -1 for each in measures}
        names |= {"fdr@5": -1, "set_P": 1, "clicks": 1}
        taken = side_by_side({name: [[0.0], [1.0]] for name in names})
        assert dict(zip(taken, taken.directions, strict=True)) == names
        assert names[str(Cost())] == -1 == taken["RankedHalfLife"].directions[0]

    def test_frames_are_aligned_by_their_labels(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(
            RNG.random((3, 4)), index=list("abc"), columns=["q4", "q2", "q3", "q1"]
        )
        turned = frame.iloc[::-1, [2, 0, 1, 3]]
        taken = side_by_side({"AP": frame, "RR": turned, "P@1": frame.to_numpy()})
        assert (taken.systems, taken.qid.tolist()) == (
            ("a", "b", "c"),
            frame.columns.tolist(),
        )
        for name in taken:
            np.testing.assert_array_equal(taken[name].values, frame)
        assert correlate({"AP": frame, "RR": turned}).kendall.min() == 1.0
        for other in (
            frame.rename({"a": "d"}),
            frame.iloc[:2],
            frame.rename(columns={"q1": "q2"}),
        ):
            with pytest.raises(
                ValueError, match=r"queries as columns, .* got others for 'RR'"
            ):
                side_by_side({"AP": frame, "RR": other})


class TestMeansAlone:
    ALONE = scores_of([[0.5, NAN], [1.0, 0.75]], n_empty=(0, 1), empty=(0.0, NAN))

    def test_names(self):
        means = Means.of(self.ALONE, 7)
        assert list(means) == ["AP", "nDCG@10"]
        assert "ap" in means
        assert float(means["ndcg_cut_10"]) == 0.75
        assert means[["nDCG@10"]].to_dict() == {"nDCG@10": 0.75}
        with pytest.warns(UndefinedMeanWarning, match="1 of 1 have no value"):
            assert math.isnan(
                float(Means.of(self.ALONE.select(qid="q0"), 1)["nDCG@10"])
            )

    def test_equality_is_that_of_the_sums(self):
        assert Means.of(self.ALONE, 7) == pickle.loads(
            pickle.dumps(Means.of(self.ALONE, 7))
        )
        assert Means.of(self.ALONE, 7) != Means.of(self.ALONE, 8)


def test_a_comparison_with_a_number_is_refused():
    assert ONE["AP"] != ONE["nDCG@10"]
    assert {ONE: 1}[ONE] == 1
    for number in (0.5, np.float64(0.5), 1):
        with pytest.raises(
            TypeError, match=r"take its mean by float\(scores\['AP'\]\)"
        ):
            ONE["AP"] == number  # noqa: B015
