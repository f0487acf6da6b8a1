"""How results look in a terminal and in a notebook."""

import json
from html.parser import HTMLParser

import numpy as np
import pytest

from skgraded import Scores, compare, cross_validate_queries, evaluate, trec
from skgraded.datasets import make_ranking
from skgraded.studies import (
    correlate,
    discriminative_power,
    incompleteness,
    sensitivity,
    topic_facts,
)
from skgraded.users import threshold_profile, thresholds_from_log

MEASURES = ["xGAP(g=[0.4,0.6])@10", "nDCG@10", "AP"]
RNG = np.random.default_rng(0)
TOPICS = [f"q{number}" for number in range(12)]
DOCUMENTS = [f"d{number}" for number in range(10)]
QRELS = {
    topic: dict(zip(DOCUMENTS, RNG.integers(0, 3, 10).tolist(), strict=True)) for topic in TOPICS
}
RUNS = {
    f"a system with a long name {number}": {
        topic: dict(zip(DOCUMENTS, RNG.normal(size=10).tolist(), strict=True)) for topic in TOPICS
    }
    for number in range(25)
}
FEW = dict(list(RUNS.items())[:5])
LONG = "a ranker whose name does not fit into the column of any table, number"


class Cells(HTMLParser):
    """Number of cells in each row, and whether all tags are closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.rows = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def query_scores(n_rankers, n_queries=30):
    values = np.random.default_rng(1).random((n_rankers, n_queries))
    return {
        f"{LONG} {number}": Scores(
            measures=("nDCG@10",), qid=np.arange(n_queries), values=row, directions=(1,)
        )
        for number, row in enumerate(values)
    }


def profile(n_rankers):
    rng = np.random.default_rng(2)
    y, qid = rng.integers(0, 3, 400), np.repeat(np.arange(40), 10)
    scores = {f"{LONG} {number}": y + rng.normal(0, 2, 400) for number in range(n_rankers)}
    return threshold_profile(y, scores, qid=qid)


def validated():
    X, y, qid = make_ranking(n_queries=20, docs_per_query=10, random_state=0)
    from sklearn.linear_model import Ridge

    return cross_validate_queries(Ridge(), X, y, qid=qid, measures=["nDCG@10", "AP"], cv=4)


def scored(runs=FEW):
    return trec.evaluate(MEASURES, QRELS, runs)


pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")


def clicks():
    rng = np.random.default_rng(3)
    grade = rng.integers(0, 3, size=(400, 5))
    threshold = rng.integers(1, 3, size=(400, 1))
    clicked = (grade >= threshold) & (rng.random((400, 5)) < 0.8 / np.arange(1, 6))
    session, position = np.repeat(np.arange(400), 5), np.tile(np.arange(1, 6), 400)
    return thresholds_from_log(grade.ravel(), clicked.ravel(), session=session, position=position)


RESULTS = {
    "Scores of one measure": lambda: evaluate(MEASURES, [2, 1, 0], [1, 2, 3])["AP"],
    "Scores": lambda: evaluate(
        ["xGAP(g=[0.125,0.125,0.25,0.25,0.25],ties=pessimistic)@10", "AP"],
        [2, 0],
        [1, 2],
        qid=[1, 2],
    ),
    "QueryValidation": validated,
    "Comparison": lambda: compare(query_scores(3)),
    "many rankers": lambda: compare(query_scores(30), tests="randomization", n_resamples=10_000),
    "Scores of runs": scored,
    "two measures": lambda: compare(scored()[["nDCG@10", "AP"]], tests="t"),
    "many runs": lambda: compare(scored(RUNS)["AP"], tests="t"),
    "a baseline": lambda: compare(scored(RUNS)["AP"], tests="t", baseline=next(iter(RUNS))),
    "Correlation": lambda: correlate(scored()),
    "DiscriminativePower": lambda: discriminative_power(scored(), test="t"),
    "Sensitivity": lambda: sensitivity(MEASURES, [2, 0, 1, 0], [4, 3, 2, 1]),
    "Incompleteness": lambda: incompleteness(MEASURES, QRELS, FEW, n_repeats=1),
    "TopicFacts": lambda: topic_facts(QRELS),
    "ThresholdProfile": lambda: profile(2),
    "a profile of many": lambda: profile(14),
    "Shares": clicks,
}


@pytest.fixture(params=RESULTS, scope="module")
def result(request):
    return RESULTS[request.param]()


def test_no_line_is_wider_than_a_terminal(result):
    assert max(map(len, repr(result).splitlines())) <= 80


def test_a_notebook_shows_a_table(result):
    cells = Cells(result._repr_html_())
    assert not cells.open
    assert len(cells.rows) >= 2
    assert min(cells.rows) >= 2


def test_the_numbers_are_a_dict_for_json(result):
    pytest.importorskip("pandas")
    assert json.dumps(result.to_dict())


def test_many_systems_are_shortened_and_said_to_be():
    found = RESULTS["many rankers"]()
    assert "30 rows, the first 20 shown; to_frame() has all." in repr(found)
    assert "435 pairs: to_frame() has their differences and intervals." in repr(found)
    assert len(repr(found).splitlines()) < 80
    assert len(found.to_dict()["difference"]) == 435
    runs = RESULTS["many runs"]()
    assert "25 rows, the first 20 shown; to_frame() has all." in repr(runs)
    assert len(runs.to_text().splitlines()) == len(repr(runs).splitlines()) + 4
    assert Cells(runs._repr_html_()).rows == [3] * 21
    to_one = RESULTS["a baseline"]()
    assert "25 rows, the first 20 shown; to_frame() has all." in repr(to_one)
    assert Cells(to_one._repr_html_()).rows == [2] * 21 + [4] * 21
    assert len(to_one.to_text().splitlines()) > len(repr(to_one).splitlines())


def test_a_profile_of_many_rankers_is_shortened_and_said_to_be():
    found = profile(14)
    text = " ".join(repr(found).split())
    assert "26 rows, of which the first 20 are shown; to_text() shows all." in text
    assert 26 * repr(found).count("\nrel=") == 20 * found.to_text().count("\nrel=") > 0


def test_a_comparison_has_tables_for_each_measure():
    found = RESULTS["two measures"]()
    assert found.to_dict()["measure"] == ["nDCG@10"] * 10 + ["AP"] * 10
    assert found._repr_html_().count("<table>") == 4
    assert list(found._facts()["means"]) == list(found.systems)


def test_text_in_html_is_escaped():
    table = compare({"<b>": query_scores(1)[f"{LONG} 0"], "&": query_scores(2)[f"{LONG} 1"]})
    assert "<b>" not in table._repr_html_()
    assert "&lt;b&gt;" in table._repr_html_()


def test_two_long_names_of_a_pair_are_both_shown():
    found = compare(query_scores(2))
    assert "a ranker whose na... - a ranker whose na..." in repr(found)
    assert " - ".join(found.systems[::-1]) in found._repr_html_()
