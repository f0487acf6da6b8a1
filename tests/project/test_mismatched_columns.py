"""Functions that take several columns refuse, or warn of, columns that do not belong together.

The functions are found by their docstrings: a door is one with several parameters of a shape that
begins with the same number of rows. So a new function is tested as soon as it is documented, and
this file fails until it is said what parameters of a new name hold.
"""

import functools
import inspect
import itertools
import re
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from lightgbm import LGBMRanker
from numpydoc.docscrape import FunctionDoc
from samples import warnings_of
from sklearn.linear_model import Ridge
from test_docstrings import OBJECTS

from skgraded import (
    Judgments,
    QueryKFold,
    QueryRanker,
    chunks,
    make_ranking_scorer,
    nDCG,
    query_ids,
    query_series,
    query_target,
    query_train_test_split,
)
from skgraded.catboost import eval_metric
from skgraded.datasets import make_ranking
from skgraded.exceptions import CutQueriesWarning, QueryIdsWarning
from skgraded.measures import P
from skgraded.users import threshold_profile

pd = pytest.importorskip("pandas")

N_QUERIES = 24
X, Y, QID = make_ranking(n_queries=N_QUERIES, docs_per_query=8, random_state=0)
X, N_ROWS = X[:, :4], len(Y)
FRAME = pd.DataFrame(X, columns=list("abcd"))
MEASURE = nDCG(k=5)
BOOSTER = LGBMRanker(n_estimators=2, num_leaves=4, n_jobs=1, verbose=-1)


def ranker(estimator):
    return QueryRanker(estimator, measure=MEASURE)


FITTED = {
    str(alpha): ranker(Ridge(alpha)).fit(FRAME, Y, qid=QID + 1000) for alpha in (1, 9)
}

# What parameters hold that have an entry per row
COLUMNS = {
    "X": FRAME,
    "y": Y,
    "y_true": Y,
    "grade": Y,
    "y_score": X[:, 0],
    "init_score": X[:, 0],
    "base_margin": X[:, 0],
    "qid": QID,
    "groups": QID,
    "sample_weight": np.ones(N_ROWS),
    "satisfied": (Y > 2).astype(float),
    "clicked": np.random.default_rng(0).random(len(Y)) < Y / 8,
    "session": QID,
    "cluster": QID,
    "position": np.tile(np.arange(1, 9), N_QUERIES),
    "user": QID,
    "by": np.zeros(N_ROWS),
    "times": np.arange(N_ROWS),
    "propensity": np.ones(N_ROWS),
    "probabilities": np.column_stack([Y == 0, Y == 1, Y > 1]).astype(float),
    "assessments": np.column_stack([Y, Y[::-1]]),
}
HOLD_LABELS = {"y", "y_true", "grade"}
HOLD_IDS = {"qid", "cluster", "groups"}

# What other parameters hold that have no default
ARGUMENTS = {
    "measures": ["nDCG@5", "AP"],
    "estimator": FITTED["1"],
    "rankers": FITTED,
    "param_grid": {"alpha": [1, 10]},
}

# Objects whose methods are doors
HOLDERS = {
    "Judgments": Judgments,
    "Measure": MEASURE,
    "QueryRanker": FITTED["1"],
    "RankingScorer": make_ranking_scorer(MEASURE),
    "QuerySplitter": QueryKFold(3),
}


def by_keyword(function, **columns):
    """Call a function with columns, and with arguments for its other required parameters."""
    needed = {
        name
        for name, each in inspect.signature(function).parameters.items()
        if each.default is each.empty
        and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
    }
    return function(
        **{name: ARGUMENTS[name] for name in needed - columns.keys()}, **columns
    )


# How a door is called, where its columns alone do not do, or where it would take long
CALLS = {
    "QuerySplitter.split": lambda door, **columns: list(door(**columns)),
    "QueryRanker.fit": lambda door, **columns: ranker(BOOSTER).fit(
        **({"X": FRAME, "y": Y, "qid": QID + 1000} if "eval_X" in columns else {}),
        **columns,
    ),
    "bounds": lambda door, **columns: door(P(k=5), **columns),
    "Judgments.from_groups": lambda door, y_true, **columns: door(
        y_true, np.full(N_QUERIES, len(y_true) // N_QUERIES), **columns
    ),
    "evaluation": lambda door, **columns: door("AP", **columns),
    "simulate_judgments": lambda door, **columns: door("AP", n_repeats=2, **columns),
    "threshold_profile": lambda door, y_score, **columns: door(
        y_score={"a": y_score, "b": -y_score}, **columns
    ),
}

# The gate itself
INSIDE = {"read_columns"}
# Parameters that belong to another way of calling the same function
OTHER_WAYS = {
    ("Measure.__call__", "y"),
    ("threshold_profile", "X"),
    ("query_train_test_split", "times"),
}
# They count the rows anew.
MAKERS = {"query_target", "query_series"}
# They estimate by documents, which parts of queries do not bias, or see parts only.
MAY_LACK_ROWS = MAKERS | {"thresholds_from_feedback", "thresholds_from_log", "chunks"}


class Door(NamedTuple):
    """A function with the names of its columns; those of one door have a prefix of its own."""

    name: str
    call: Callable
    columns: tuple
    prefix: str = ""

    def __call__(self, columns):
        return self.call(**{self.prefix + name: each for name, each in columns.items()})

    def holding(self, kinds):
        return next((name for name in self.columns if name in kinds), None)


def columns_of(function):
    """Names of the parameters with an entry per row, by the name of the number of rows."""
    found = defaultdict(list)
    for each in FunctionDoc(function)["Parameters"]:
        rows = re.search(r"\((n_\w*(?:documents|rows))\b", each.type)
        if rows and not each.name.startswith("*"):
            found[rows[1]].extend(each.name.split(", "))
    return found


def doors_of(function):
    name = function.__qualname__
    for names in columns_of(function).values():
        own = [each for each in names if (name, each) not in OTHER_WAYS]
        if len(own) > 1:
            holder, _, method = name.partition(".")
            bound = getattr(HOLDERS[holder], method) if method else function
            prefix = "eval_" if own[0].startswith("eval_") else ""
            columns = tuple(each.removeprefix(prefix) for each in own)
            call = functools.partial(CALLS.get(name, by_keyword), bound)
            yield Door(name + prefix.rstrip("_"), call, columns, prefix)


# Doors whose columns are not documented parameters
OTHER_DOORS = [
    Door(
        "query_train_test_split",
        lambda X, y, sample_weight, qid=None: query_train_test_split(
            X, y, sample_weight, qid=qid
        ),
        ("X", "y", "sample_weight", "qid"),
    ),
    Door(
        "query_train_test_split by time",
        lambda X, y, times, qid=None: query_train_test_split(
            X, y, qid=qid, times=times, shuffle=False
        ),
        ("X", "y", "times", "qid"),
    ),
    Door("fit parameters", ranker(BOOSTER).fit, ("X", "y", "qid", "init_score")),
    Door(
        "Judgments.rank",
        lambda y_true, y_score, qid=None: Judgments(y_true, qid=qid).rank(y_score),
        ("y_true", "y_score", "qid"),
    ),
    Door(
        "catboost.eval_metric",
        lambda y_true, sample_weight, qid=None: eval_metric(
            "AP", (y_true, qid, sample_weight)
        ),
        ("y_true", "qid", "sample_weight"),
    ),
    Door(
        "threshold_profile of models",
        lambda **columns: threshold_profile(y_score=FITTED, **columns),
        ("y_true", "X", "qid"),
    ),
    Door(
        "chunks",
        lambda **columns: chunks.evaluate("AP", [tuple(columns.values())]),
        ("y_true", "y_score", "qid", "sample_weight"),
    ),
]
FOUND = [
    door
    for function, _ in OBJECTS.values()
    if inspect.isfunction(function) and function.__qualname__ not in INSIDE
    for door in doors_of(function)
]
DOORS = {door.name: door for door in [*FOUND, *OTHER_DOORS]}


def test_parameters_of_all_doors_are_known():
    assert (
        sorted({name for door in FOUND for name in door.columns} - COLUMNS.keys()) == []
    )
    assert len(DOORS) > 25


def columns_for(door):
    return {name: COLUMNS[name] for name in door.columns}


def told_by(use):
    # Few queries keep these tests fast, whatever they tell about differences.
    return warnings_of(use)


# Row labels

ROWS = pd.Index([f"d{each}" for each in range(N_ROWS)])
ORDER = np.random.default_rng(0).permutation(N_ROWS)


def labelled(values):
    kind = pd.Series if np.ndim(values) == 1 else pd.DataFrame
    return kind(values).set_axis(ROWS)


@pytest.mark.parametrize(
    ("name", "moved"),
    [(name, each) for name, door in DOORS.items() for each in door.columns],
)
def test_rows_in_another_order_are_refused(name, moved):
    columns = {
        each: labelled(values) for each, values in columns_for(DOORS[name]).items()
    }
    columns[moved] = columns[moved].iloc[ORDER]
    with pytest.raises(ValueError, match="must have its rows in the order of"):
        DOORS[name](columns)


@pytest.mark.parametrize("name", DOORS)
def test_rows_in_one_order_are_taken_in_silence(name):
    columns = {
        each: labelled(values) for each, values in columns_for(DOORS[name]).items()
    }
    for rows in (slice(None), ORDER):
        if name == "chunks" and rows is ORDER:
            continue  # the rows of a query must stand together
        moved = {each: values.iloc[rows] for each, values in columns.items()}
        assert told_by(lambda moved=moved: DOORS[name](moved)) == []


# Ids in two places


def in_keyword(door, columns, ids):
    return {**columns, door.holding(HOLD_IDS): ids}


def in_target(door, columns, ids):
    name = door.holding(HOLD_LABELS)
    return {**columns, name: query_target(columns[name], ids)}


def in_index_of_labels(door, columns, ids):
    name = door.holding(HOLD_LABELS)
    return {**columns, name: pd.Series(columns[name], index=pd.Index(ids, name="qid"))}


def in_index_of_scores(door, columns, ids):
    scores = pd.Series(columns["y_score"], index=pd.Index(ids, name="qid"))
    return {**columns, "y_score": scores}


def in_column(door, columns, ids):
    return {**columns, "X": columns["X"].assign(qid=ids)}


def in_index_of_features(door, columns, ids):
    return {**columns, "X": columns["X"].set_axis(pd.Index(ids, name="qid"))}


def carriers(door):
    """The places where a door may find ids, with the parameter of each."""
    labels, ids = door.holding(HOLD_LABELS), door.holding(HOLD_IDS)
    if ids:
        yield ids, in_keyword
    if labels and door.name not in MAKERS and door.name != "chunks":
        yield labels, in_target
    if labels:
        yield labels, in_index_of_labels
    if "X" in door.columns:
        yield "X", in_column
        yield "X, index", in_index_of_features
    if "y_score" in door.columns:
        yield "y_score", in_index_of_scores


PAIRS = [
    (name, one, other)
    for name, door in DOORS.items()
    for (first, one), (second, other) in itertools.combinations(carriers(door), 2)
    if first != second
]


def with_ids(name, one, other, ids, others):
    """Columns of a door with ids in two places, and none in the keyword apart from that."""
    door = DOORS[name]
    columns = columns_for(door)
    if in_keyword not in (one, other) and name not in MAKERS | {"chunks"}:
        columns.pop(door.holding(HOLD_IDS), None)
    return other(door, one(door, columns, ids), others)


# Two indices that hold the same ids in different orders are labels of rows in different orders.
REFUSED = r"contradict each other: they put row \d+ \(|rows in the order of"


@pytest.mark.parametrize(("name", "one", "other"), PAIRS)
def test_ids_that_contradict_each_other_are_refused(name, one, other):
    for first, second in [(QID, np.roll(QID, 3)), (QID, QID // 2), (QID // 2, QID)]:
        columns = with_ids(name, one, other, first, second)
        with pytest.raises(ValueError, match=REFUSED):
            DOORS[name](columns)


@pytest.mark.parametrize(("name", "one", "other"), PAIRS)
def test_ids_under_other_names_that_agree_are_taken_in_silence(name, one, other):
    names = np.array([f"query {each}" for each in range(N_QUERIES)])
    for renamed in (QID, names[QID]):
        columns = with_ids(name, one, other, QID, renamed)
        assert told_by(lambda columns=columns: DOORS[name](columns)) == []


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in sorted(DOORS.keys() - MAY_LACK_ROWS)
        if DOORS[name].holding(HOLD_IDS)
    ],
)
def test_sizes_row_by_row_instead_of_ids_warn(name):
    sizes = [*range(5, 19), 31]
    door, ids = DOORS[name], np.repeat(sizes, sizes)
    assert QueryIdsWarning in told_by(
        lambda: door(in_keyword(door, columns_for(door), ids))
    )


# Rows that are left out


def with_sizes_in_ids(door, columns, ids):
    return {**columns, door.holding(HOLD_IDS): query_ids(ids)}


def with_sizes_in_index(door, columns, ids):
    name = door.holding(HOLD_LABELS)
    return {**columns, name: query_series(columns[name], ids)}


SIZED = [
    (name, carrier)
    for name, door in DOORS.items()
    if name not in MAY_LACK_ROWS
    for carrier, kinds in [
        (in_target, HOLD_LABELS),
        (with_sizes_in_index, HOLD_LABELS),
        (with_sizes_in_ids, HOLD_IDS),
    ]
    if door.holding(kinds)
]


@pytest.mark.parametrize(("name", "carrier"), SIZED)
def test_parts_of_queries_warn(name, carrier):
    door = DOORS[name]
    columns = columns_for(door)
    if carrier is not with_sizes_in_ids:
        columns.pop(door.holding(HOLD_IDS), None)
    columns = carrier(door, columns, QID)
    assert told_by(lambda: door(columns)) == []
    parts = {each: values[::2] for each, values in columns.items()}
    found = told_by(lambda: door(parts))
    assert found
    assert set(found) <= {CutQueriesWarning}


def test_groups_contradict_ids_in_the_target():
    groups = np.full(N_QUERIES, N_ROWS // N_QUERIES)
    assert Judgments.from_groups(query_target(Y, QID), groups).n_queries == N_QUERIES
    with pytest.raises(ValueError, match="contradict each other"):
        Judgments.from_groups(query_target(Y, np.roll(QID, 3)), groups)
