"""What is refused, by the words of the error: measures, rows, comparisons, studies and users.

A case is a call, what it is given, and the first words of its error, which name the argument, the
rule and the value.
"""

import math

import numpy as np
import pytest
from click_logs import columns_of, simulate
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge

from skgraded import (
    AP,
    DCG,
    ERR,
    RBP,
    Bpref,
    Judgments,
    QMeasure,
    Scores,
    compare,
    infAP,
    measure,
    query_target,
    xGAP,
)  # fmt: skip
from skgraded.datasets import make_ranking
from skgraded.measures import (
    ADM,
    F,
    Fallout,
    IPrec,
    NormalizedRecall,
    P,
    RankedHalfLife,
)
from skgraded.rankings import as_rankings
from skgraded.studies import (
    discriminative_power,
    incompleteness,
    score_all_lists,
    sensitivity,
    simulate_judgments,
)  # fmt: skip
from skgraded.users import (
    personas,
    threshold_profile,
    thresholds_from_feedback,
    thresholds_from_log,
)

VALUES = np.random.default_rng(3).random((4, 40)) * 0.5 + np.arange(4)[:, None] * 0.04
SYSTEMS = Scores(
    measures=("AP",),
    qid=np.arange(40),
    values=VALUES[:, :, None],
    directions=(1,),
    systems=("zero", "one", "two", "three"),
)
LOG = columns_of(*simulate("cascade", 60, hit=0.5, stops=0.0))
FEEDBACK = {"grade": [0, 1, 2] * 20, "satisfied": [0, 0, 1, 0, 1, 1] * 10}
QRELS = {f"q{each}": {"a": 2, "b": 1, "c": 0} for each in range(3)}
RUNS = {name: {topic: {"a": 1.0, "b": 2.0} for topic in QRELS} for name in ("x", "y")}
NOT_TOLD_APART = r"y_score must .* integers below 2\*\*53, .* in row 1\. Subtract"
MANY = np.broadcast_to(np.float64(0), 2**31)


def called(make):
    return make()


def rows(arguments):
    return as_rankings(*arguments)


def groups(sizes):
    return Judgments.from_groups([1, 0, 2], sizes)


def threads(n_threads):
    return as_rankings([1, 0], [1, 2], n_threads=n_threads)


def comparison(options):
    return compare(SYSTEMS, **options)


def power(options):
    return discriminative_power({"AP": VALUES}, **options)


def of_sensitivity(options):
    return sensitivity("AP", [2, 0], [2, 1], **options)


def of_incompleteness(options):
    return incompleteness(["AP"], QRELS, RUNS, **options)


def lists(arguments):
    return score_all_lists("AP", *arguments)


def judgments(probabilities):
    return simulate_judgments("AP", probabilities, [2, 1])


def feedback(changed):
    return thresholds_from_feedback(**{**FEEDBACK, **changed})


def log(changed):
    return thresholds_from_log(**{**LOG, **changed})


def cases(call, given_and_words):
    return [(call, given, words) for given, words in given_and_words]


REFUSED = [
    # measures written as strings
    *cases(
        measure,
        [
            ("nDGC@10", "Unknown measure 'nDGC' in 'nDGC@10'. Did you mean 'nDCG@10'"),
            ("AP(rell=2)", "AP has no field 'rell'.*Did you mean 'rel'"),
            ("AP(g=[1])", "AP has no field 'g'"),
            (
                "AP(ties=expectd)",
                "ties must be one of .*got 'expectd'. Did you mean 'expected'",
            ),
            (
                "AP(unjudged=drop)",
                "unjudged must be one of 'nonrelevant', 'condense', got 'drop'",
            ),
            ("AP@0", "k must be an integer >= 1, or None for the whole list, got 0"),
            ("AP@ten", "k must be an integer >= 1, got 'ten'"),
            ("AP(k=2)@3", "k can be given only once"),
            ("AP(2)", "written field=value"),
            ("AP(rel=1,rel=2)", "rel can be given only once"),
            ("xGAP(g=[0.1,0.9])(k=10)", "written field=value"),
            ("AP@99999999999999999999", r"k must be below 2\*\*63"),
            (
                "num_rel_ret",
                r"catalogue\(\) .*measure_as .*take the names of another tool",
            ),
            ("AP(rel=1+1)", "The value of a field must be a number, a word or a list"),
            ("", "A measure must be written Name"),
            (
                "P_10@5",
                "k can be given only once, got it in the name and as a field in 'P_10@5'",
            ),
            (
                "ndcg_burges(gain=linear)",
                "gain can be given only once, got it in the name",
            ),
            ("SetF(beta=2)", "beta can be given only once"),
            ("P_" + "9" * 5000, "Unknown measure"),
            ("NDCG:top=10", "A measure must be written Name"),
            ("Blend({AP:0})", "The weight of AP must be a finite number > 0, got 0"),
            (
                "Blend({AP:much})",
                "The weight of AP must be a finite number > 0, got 'much'",
            ),
            (
                "Blend({FDR@2:1,AP:1})",
                "greater is better: it is for AP, and is not for FDR@2",
            ),
            ("Blend", "parts must hold at least one measure, got none"),
            ("Blend({AP:1})@3", "k must be a field of the parts of a Blend, got 3"),
            (
                "Blend({AP:1},empty=1)",
                "empty must be a field of the parts of a Blend, got 1",
            ),
            ("Blend(AP)", "must be written field=value"),
            ("Blend({**AP:1})", "must be written field=value|must be a number"),
            ("nDCG(k=" + "-" * 5000 + "1)", "A measure must be written|[Ff]ield"),
            (
                "nDCG(k=" + "(" * 300 + "1" + ")" * 301,
                "A measure must be written|[Ff]ield",
            ),
            (
                "nDCG(k=" + "[" * 3000 + "]" * 3000 + ")",
                "A measure must be written|[Ff]ield",
            ),
            ("nDCG(k=" + "not " * 2000 + "1)", "A measure must be written|[Ff]ield"),
        ],
    ),
    # fields of measures
    *cases(
        called,
        [
            (lambda: AP(k=2.5), r"k must be an integer >= 1.*got 2\.5"),
            (lambda: AP(k=True), "k must be an integer >= 1.*got True"),
            (lambda: AP(rel=0), "rel must be a finite number > 0, got 0"),
            (lambda: AP(empty="zero"), "empty must be a finite number.*got 'zero'"),
            (lambda: AP(empty=math.inf), "empty must be a finite number.*got inf"),
            (lambda: AP(normalize=2), "normalize must be True or False, got 2"),
            (lambda: P(fill=None), "fill must be True or False, got None"),
            (
                lambda: xGAP(g=(0.5, 0.4)),
                r"g must sum to 1, got \(0\.5, 0\.4\), which sums to",
            ),
            (lambda: xGAP(g=(1.5, -0.5)), "g must hold probabilities >= 0, got -0.5"),
            (lambda: xGAP(g=()), "g must hold one number per grade 1, 2, "),
            (lambda: xGAP(g=0.5), "g must hold one number per grade 1, 2, "),
            (lambda: xGAP(g=(math.nan, 1.0)), "g must hold finite numbers"),
            (lambda: xGAP(g="unifrom"), "g must be one of .*Did you mean 'uniform'"),
            (
                lambda: xGAP(g=(1.0,), max_grade=2),
                "max_grade must equal the number of entries of",
            ),
            (lambda: xGAP(max_grade=0), "max_grade must be an integer >= 1, got 0"),
            (lambda: DCG(gain="exp"), "gain must be one of .*Did you mean 'exp2'"),
            (lambda: DCG(gain=(2, 1)), "gain must not decrease from grade to grade"),
            (lambda: DCG(gain=(-1, 1)), "gain must not decrease from grade to grade"),
            (
                lambda: DCG(discount="log"),
                "discount must be one of .*Did you mean 'log2'",
            ),
            (
                lambda: DCG(discount="jk", log_base=1),
                "log_base must be a finite number > 1, got 1",
            ),
            (lambda: DCG(log_base=3), 'log_base must be 2 unless discount="jk"'),
            (lambda: RBP(p=1), "p must lie strictly between 0 and 1, got 1"),
            (
                lambda: RBP(gain="log"),
                "gain must be one of 'binary', 'linear', 'exp2', got 'log'",
            ),
            (lambda: RBP(max_grade=2), "max_grade must be None unless gain is graded"),
            (
                lambda: RBP(gain="linear", rel=2),
                'rel must be 1 unless gain="binary", got 2',
            ),
            (
                lambda: ERR(gain=(1, 3), max_grade=3),
                r"number of entries of gain \(2\).*got 3",
            ),
            (lambda: QMeasure(beta=-1), "beta must be a finite number >= 0, got -1"),
            (lambda: F(beta=-0.5), "beta must be a finite number >= 0, got -0.5"),
            (lambda: personas(0), "max_grade must be an integer >= 1, got 0"),
            (lambda: infAP(epsilon=0), "epsilon must be a finite number > 0, got 0"),
            (
                lambda: IPrec(ties="expected"),
                "ties must be 'row_order'.* no cheap formula",
            ),
            (lambda: RankedHalfLife(ties="expected"), "RankedHalfLife, got 'expected'"),
            (
                lambda: NormalizedRecall(k=5),
                "k must be None for NormalizedRecall, .* count, got 5",
            ),
            (
                lambda: ADM(ties="row_order"),
                "ties must be 'expected' for ADM, because it compares",
            ),
            (
                lambda: Fallout(normalize=True),
                "normalize must be False for Fallout, .* got True",
            ),
            (
                lambda: Bpref(unjudged="nonrelevant"),
                "unjudged must be 'condense' for Bpref",
            ),
            (lambda: AP(k="1"), "k must be an integer >= 1, .* got '1'"),
            (lambda: AP(ties=None), "ties must be one of .*, got None"),
            (lambda: AP(ties=["expected"]), "ties must be one of .*, got .*expected"),
            (lambda: RBP(p="0.5"), "p must lie strictly between 0 and 1, got '0.5'"),
            (lambda: RBP(p=True), "p must lie strictly between 0 and 1, got True"),
            (lambda: QMeasure(beta=1j), "beta must be a finite number >= 0, got 1j"),
        ],
    ),
    # rows
    *cases(
        rows,
        [
            (([1, 0], [1.0, np.nan]), "y_score must be finite, got nan in row 1"),
            (
                ([1, 0], [1.0]),
                r"y_score must have one entry per row of y_true \(2\), got 1",
            ),
            (([], []), "y_true must hold at least one document"),
            (
                ([1, -1], [1.0, 2.0]),
                "y_true must hold grades >= 0, got -1 in row 1.*Use 0 .*NaN",
            ),
            (
                ([1.0, -0.5], [1.0, 2.0]),
                r"y_true must hold grades >= 0, got -0\.5 in row 1",
            ),
            (
                ([1, np.inf], [1.0, 2.0]),
                r"y_true must hold grades that are 0, or 2\.2e-308 to",
            ),
            (([1, 0], [[1.0], [2.0]]), r"y_score must be one-dimensional.*\(2, 1\)"),
            (([[1, 0]], [1.0, 2.0]), r"y_true must be one-dimensional.*\(1, 2\)"),
            ((["a", "b"], [1.0, 2.0]), "y_true must be numeric"),
            (([1, 0], ["x", "y"]), "y_score must be numeric"),
            (([1, 0], [1j, 2j]), "y_score must be numeric"),
            (
                ([1, 0, 0], [1.0, 2.0, 3.0], [1, 2]),
                "qid .*look like group sizes.*np.repeat",
            ),
            (
                ([1, 0, 0], [1.0, 2.0, 3.0], [1, 1]),
                r"qid must have one entry per row of y_true",
            ),
            (
                ([1, 0], [1.0, 2.0], [np.nan, 1.0]),
                "qid must name a query in every row, got nan in",
            ),
            (
                ([1, 0], [1.0, 2.0], ["a", None]),
                "qid must name a query in every row, got None in",
            ),
            (([1, 0], [1.0, 2.0], [["a"], ["b"]]), "qid must be one-dimensional"),
            (
                ([1, 0], [1.0, 2.0], None, [1.0]),
                "sample_weight must have one entry per row",
            ),
            (
                ([1, 0], [1.0, 2.0], None, [1.0, -1.0]),
                "sample_weight must be finite and >= 0, got",
            ),
            (
                ([1, 0], [1.0, 2.0], None, [1.0, np.nan]),
                "sample_weight must be finite and >= 0",
            ),
            (
                ([1, 0], [1.0, 2.0], None, [1e308, 1e308]),
                "sample_weight must have a finite sum",
            ),
            (
                ([10**17, 0], [1.0, 2.0]),
                r"y_true must hold grades .* to 2\*\*53, got 10+ in row 0",
            ),
            (
                (np.array(["2", "0_1"], object), [1.0, 2.0]),
                "y_true must be numeric, got '0_1' in row 1",
            ),
            (([0, 1, 0], [0, 2**70, 2**70 + 1]), NOT_TOLD_APART),
            (([0, 1, 0], np.array([0, 2**60, 2**60 + 1])), NOT_TOLD_APART),
            (([0, 1, 0], np.array([0, 2**53 + 2, 1], np.uint64)), NOT_TOLD_APART),
            (([0, 1, 0], np.array([0, 2**60, 2**60 + 1], object)), NOT_TOLD_APART),
            (([0, 1], np.array([0, 2**53])), NOT_TOLD_APART),
            (
                ([1, 0], np.zeros(2, dtype=[("score", float)])),
                "y_score must be numeric",
            ),
            ((MANY, MANY), r"at most 2\*\*31 - 1 = 2147483647 documents"),
            (
                (csr_array([[1, 0]]), [1.0, 2.0]),
                "y_true must be one-dimensional.*got type",
            ),
            (([1, 0], query_target([1, 0], [7, 7])), "y_score must be numeric"),
            (
                ([f"q{n}" for n in range(11)], [0] * 11),
                "y_true .* So many words look like ids",
            ),
            (
                (list("ESCI"), [0] * 4),
                r"y_true .* grades=\{'C': \?, 'E': \?, 'I': \?, 'S': \?\}",
            ),
            (
                ([1, 0], np.ma.masked_equal([1, 9], 9)),
                "y_score must have a value.*masked entry in",
            ),
        ],
    ),
    # sizes of queries
    *cases(
        groups,
        [
            ([2, 2], "its 2 sizes add up to 4, but there are 3 rows"),
            (
                [2**62] * 4 + [3],
                r"its 5 sizes add up to 1.8\d+e\+19, but there are 3 rows",
            ),
            ([4, -1], "group must hold query sizes, integers >= 0, got -1"),
            ([1.5, 1.5], "integers >= 0, got 1.5"),
            ([2, np.nan, 1], "integers >= 0, got nan"),
        ],
    ),
    # threads
    *cases(
        threads,
        [
            (0, "n_threads must be an integer from 1 to 4096, or -1 .*, got "),
            (-2, "n_threads must be an integer from 1 to 4096, or -1 .*, got "),
            (True, "n_threads must be an integer from 1 to 4096, or -1 .*, got "),
            (2**40, "n_threads must be an integer from 1 to 4096, or -1 .*, got "),
            ("2", "n_threads must be an integer from 1 to 4096, or -1 .*, got "),
        ],
    ),
    # comparison of systems
    *cases(
        comparison,
        [
            ({"tests": "anova"}, "tests must be one of 'score', 't', .*, got 'anova'"),
            (
                {"correction": "sidak"},
                "correction must be one of 'bonferroni', 'holm', 'bh', 'none', got",
            ),
            (
                {"population": "all"},
                "population must be one of 'like_these' without judge=, got",
            ),
            ({"confidence": 1}, "confidence must lie strictly between 0 and 1, got 1"),
            ({"n_resamples": 0}, "n_resamples must be an integer >= 1, got 0"),
            ({"margin": 0.01}, "A margin, or better=True, needs a baseline"),
            ({"better": True}, "A margin, or better=True, needs a baseline"),
            (
                {"margin": -0.1, "baseline": "zero"},
                "margin must be a finite number >= 0, got -0.1",
            ),
            (
                {"margin": 1.0, "baseline": "zero"},
                "margin must be below 1, the largest .*, got",
            ),
            (
                {"margin": 0.1, "better": True, "baseline": "zero"},
                "margin cannot be given with better, which asks another .*, got 0.1",
            ),
            ({"better": 1, "baseline": "zero"}, "better must be True or False, got 1"),
        ],
    ),
    # discriminative_power
    *cases(
        power,
        [
            ({"test": "anova"}, "test must be one of 'score', 't', .*, got 'anova'"),
            ({"n_resamples": True}, "n_resamples must be an integer >= 1, got True"),
            ({"confidence": 0}, "confidence must lie strictly between 0 and 1, got 0"),
            (
                {"test": "tukey", "n_resamples": 10},
                "n_resamples must be at least 20, got 10: with",
            ),
            ({"n_resamples": 10}, "n_resamples must be at least 20, got 10"),
        ],
    ),
    # sensitivity
    *cases(
        of_sensitivity,
        [
            (
                {"change": "none"},
                "change must be one of 'relevant', 'one_grade', got 'none'",
            ),
            ({"pool": "none"}, "pool must be one of 'fixed', 'grows', got 'none'"),
            ({"grade": 0}, "grade must be an integer >= 1, got 0"),
            ({"max_grade": 1}, "max_grade must be an integer >= 2, got 1"),
            ({"max_rank": 0}, "max_rank must be an integer >= 1, got 0"),
        ],
    ),
    # incompleteness
    *cases(
        of_incompleteness,
        [
            (
                {"method": "quota"},
                "method must be one of 'stratified', 'random', 'depth', got",
            ),
            ({"rates": []}, "rates must hold at least one percentage"),
            (
                {"method": "depth", "rates": []},
                "rates must hold at least one depth, got ",
            ),
            ({"rates": [0]}, "above 0 and at most 100, got 0"),
            ({"rates": [120]}, "above 0 and at most 100, got 120"),
            (
                {"method": "depth", "rates": [5, 0]},
                "rates must be depths, integers >= 1, got 0",
            ),
            (
                {"method": "depth", "rates": [2.5]},
                "rates must be depths, integers >= 1, got 2.5",
            ),
            ({"n_threads": 0}, "n_threads must be an integer from 1 to 4096"),
            ({"n_repeats": 0}, "n_repeats must be an integer >= 1, got 0"),
            ({"n_repeats": True}, "n_repeats must be an integer >= 1, got True"),
            ({"by_grade": 1}, "by_grade must be True or False, got 1"),
            ({"nested": "no"}, "nested must be True or False, got 'no'"),
        ],
    ),
    # score_all_lists
    *cases(
        lists,
        [
            (([], 3), "at least one relevant document"),
            (([0, 1], 3), "grades must be an integer >= 1, got 0"),
            (([1], 0), "length must be an integer >= 1, got 0"),
        ],
    ),
    # simulate_judgments
    *cases(
        judgments,
        [
            ([0.5, 1.5], "probabilities must be from 0 to 1"),
            ([0.5, np.nan], "probabilities must be from 0 to 1"),
            ([[0.5, 0.5], [0.5, 0.4]], "must sum to 1 in each row, got 0.9 in row 1"),
            (0.5, r"must have shape \(n_documents,\) or"),
        ],
    ),
    # thresholds_from_feedback
    *cases(
        feedback,
        [
            (
                {"grade": [2] * 60},
                "at least two different grades, .* got grade 2 in all 60 rows",
            ),
            (
                {"satisfied": [0] * 60},
                "satisfied must be true in some row, got 60 rows without",
            ),
            (
                {"satisfied": [1] * 60},
                "satisfied must be true more often for the top .* 1 at",
            ),
            ({"satisfied": [1, 0, 0] * 20}, "Check that higher grades are better"),
            (
                {"satisfied": [0.5] * 60},
                r"satisfied must hold True, False, 1 or 0, got 0.5 in row",
            ),
            ({"satisfied": [np.nan] * 60}, r"satisfied must hold .*, got nan in row 0"),
            (
                {"satisfied": [1] * 59},
                r"satisfied must have one entry per row of grade \(60\)",
            ),
            (
                {"propensity": [1, 0.5, 0] * 20},
                "propensity must hold .* above 0 .*, got 0 in row",
            ),
            (
                {"propensity": [1, 1.5, 1] * 20},
                "propensity must hold .* up to 1 .*, got 1.5 in",
            ),
            (
                {"propensity": [np.nan, 1, 1] * 20},
                "propensity must hold .*, got nan in row 0",
            ),
            (
                {"propensity": [1.0]},
                r"propensity must have one entry per row of grade \(60\), got",
            ),
            ({"cluster": 7}, "cluster must be one-dimensional"),
            (
                {"cluster": [1, 2]},
                r"cluster must have one entry per row of grade \(60\), got 2",
            ),
            (
                {"cluster": [None] * 60},
                "cluster must have an id in every row, got None in row 0",
            ),
            (
                {"grade": [0, 1, 2.5] * 20},
                "grade must hold integers >= 0, .*, got 2.5 in row 2",
            ),
            (
                {"grade": [0, -1, 2] * 20},
                "grade must hold integers >= 0, .*, got -1 in row 1",
            ),
            (
                {"grade": [np.nan] * 60},
                "grade must hold at least one grade, got 60 rows without",
            ),
            (
                {"grade": [0, 1, np.inf] * 20},
                "grade must hold integers >= 0, .*, got inf in row 2",
            ),
            ({"max_grade": 1}, "grade must not exceed max_grade=1, got 2"),
            (
                {"max_grade": 3},
                "grade must hold the top grade max_grade=3, .* got grades up to 2",
            ),
            (
                {"max_grade": 0},
                "max_grade must be an integer >= 1, or None for the highest grade",
            ),
            (
                {"confidence": 95},
                "confidence must lie strictly between 0 and 1, got 95",
            ),
        ],
    ),
    # thresholds_from_log
    *cases(
        log,
        [
            (
                {"reader": "dbn"},
                "reader must be one of 'auto', 'position', 'cascade', 'one', got",
            ),
            (
                {"clicked": LOG["clicked"] * 2},
                "clicked must hold True, False, 1 or 0, got 2",
            ),
            (
                {"clicked": np.zeros(600)},
                "clicked must be true in some row, got 600 rows",
            ),
            ({"session": None}, "session and position are missing: pass .*log_columns"),
            (
                {"position": LOG["position"] - 1},
                "position must hold integers from 1 to 1000",
            ),
            (
                {"position": LOG["position"] + 0.5},
                "position must hold integers .* got 1.5 in row",
            ),
            (
                {"position": LOG["position"] - (np.arange(600) == 1)},
                "position must differ between",
            ),
            (
                {"position": [1, 2]},
                r"position must have one entry per row of grade \(600\), got 2",
            ),
            (
                {"session": np.arange(7)},
                r"session must have one entry per row of grade \(600\)",
            ),
            (
                {"user": np.arange(600)},
                "user must be the same in all rows of a session, got rows",
            ),
            ({"qid": np.arange(600)}, "qid must be the same in all rows of a session"),
            (
                {"user": np.zeros(600)},
                "user must differ between rows, got the same in all of them",
            ),
            (
                {"user": [None] * 600},
                "user must have an id in every row, got None in row 0",
            ),
            (
                {"grade": np.full(600, np.nan)},
                "grade must hold at least one grade, got 600 rows",
            ),
            ({"grade": np.zeros(600)}, "grade must hold at least two different grades"),
            (
                {"propensity": np.zeros(600)},
                "propensity must hold probabilities above 0",
            ),
            ({"max_grade": 7}, "grade must hold the top grade max_grade=7"),
            (
                {"clicked": np.ones(600)},
                "600 rows with clicks alone: those that were shown but",
            ),
            (
                {"reader": "one"},
                "reader='one' needs at most one click in every session, got",
            ),
            (
                {
                    "reader": "one",
                    "grade": np.where(LOG["clicked"], LOG["grade"], np.nan),
                    "clicked": LOG["clicked"] & (LOG["position"] == 1),
                },
                "reader='one' needs a grade in every row, got",
            ),
        ],
    ),
]


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")
@pytest.mark.parametrize(("call", "given", "words"), REFUSED)
def test_what_is_wrong_is_named(call, given, words):
    with pytest.raises(ValueError, match=words):
        call(given)


def test_a_profile_in_the_order_of_compare_is_answered_with_its_own():
    X, y, qid = make_ranking(n_queries=20, docs_per_query=20, random_state=0)
    models = {"a": Ridge().fit(X, y), "b": Ridge(100).fit(X, y)}
    call = r"threshold_profile\(y_true, models, X=X, qid=qid\)"
    with pytest.raises(TypeError, match=rf"takes the grades, then .*: {call}"):
        threshold_profile(models, X, qid=qid)
