"""The tools whose numbers can be reproduced, and the rules that all of their measures follow."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Tool:
    """A tool whose numbers can be reproduced.

    Attributes
    ----------
    name : str
        The tool.
    rules : str
        The rules that all of its measures follow, in words.
    fields : mapping of str to object
        The same rules as fields of our measures.
    absent : str
        Which of its names no measure of ours reproduces, and why.
    like : str
        The tool whose table it shares; empty if it has a table of its own.
    negative : str
        What it takes documents of negative grades for, as ``negative`` of `skgraded.trec.evaluate`
        says it.
    """

    name: str
    rules: str
    fields: Mapping[str, Any]
    absent: str = ""
    like: str = ""
    negative: str = "unsampled"

    @property
    def table(self) -> str:
        """The tool that heads its rows in the table."""
        return self.like or self.name


def above(border: float) -> float:
    """Return the lowest label that a tool with labels in single precision has above a border.

    Parameters
    ----------
    border : float
        Labels above it are relevant there, whole grades or not.

    Returns
    -------
    float
        Our ``rel``.

    Examples
    --------
    >>> from skgraded.conventions._tools import above
    >>> 0.5 < above(0.5) < 0.5000001
    True
    """
    nearest = np.float32(border)
    next_label = np.nextafter(nearest, np.float32(np.inf))
    halfway = (float(nearest) + float(next_label)) / 2.0
    if np.float32(halfway) > nearest:
        return halfway
    return float(np.nextafter(halfway, np.inf))


def _numbers(text: str) -> tuple[float, ...]:
    numbers = text.split(",")
    return tuple(map(float, numbers))


_NUMBER = r"-?(?:\d{1,18}\.?|\d{0,18}\.\d{1,18})"
# The fields that a number in a name may be, how it is written and read, and an example.
_NUMBERS: dict[str, tuple[str, Callable[[str], Any], str]] = {
    "k": (r"0{0,9}[1-9]\d{0,17}", int, "10"),
    "recall": (r"[01]?\.\d{1,18}", float, "0.10"),
    "multiple": (r"\d{0,9}\.\d{1,18}", float, "0.20"),
    "p": (r"\.\d{1,18}", float, ".80"),
    "beta": (r"\d{1,18}(?:\.\d{0,18})?", lambda square: math.sqrt(float(square)), "4"),
    "weights": (f"{_NUMBER}(?:,{_NUMBER}){{3}}", _numbers, "1,-1,0,0"),
    "recalls": (f"{_NUMBER}(?:,{_NUMBER})*", _numbers, ".25,.5,.75"),
}


@dataclasses.dataclass(frozen=True)
class Convention:
    """A measure of a tool, and the measure of ours with the same value.

    Attributes
    ----------
    tool : str
        The tool.
    theirs : str
        The measure as the tool writes it; ``{k}`` stands for a cut-off, and ``{recall}`` and others
        for the number of a field.
    ours : str
        The measure's name here.
    fields : mapping of str to object
        Fields of our measure that give the tool's number, in addition to the fields of the tool.
    note : str
        A remark for readers of the table.
    """

    tool: str
    theirs: str
    ours: str
    fields: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    note: str = ""

    @property
    def example(self) -> str:
        """The name with a number for each that it may hold, such as ``"map_cut_10"``."""
        examples = {}
        for field, (_, _, example) in _NUMBERS.items():
            examples[field] = example
        return self.theirs.format(**examples)

    def stated_in(self, name: str) -> dict[str, Any] | None:
        """Return the fields that the number in a name states.

        Parameters
        ----------
        name : str
            A name, such as ``"map_cut_10"``.

        Returns
        -------
        dict of str to object, or None
            The fields, such as ``{"k": 10}``; None if this is another name.

        Examples
        --------
        >>> from skgraded.conventions import conventions_of
        >>> conventions_of("lightgbm")[0].stated_in("ndcg@5")
        {'k': 5}
        """
        pattern = re.escape(self.theirs)
        for field, (number, _, _) in _NUMBERS.items():
            place = rf"\{{{field}\}}"
            pattern = pattern.replace(place, f"(?P<{field}>{number})")
        stated = name.strip()
        match = re.fullmatch(pattern, stated, re.ASCII)
        if match is None:
            return None

        fields = {}
        for field, text in match.groupdict().items():
            _, convert, _ = _NUMBERS[field]
            fields[field] = convert(text)
        return fields


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "lightgbm",
            "Ties in row order. A query with nothing relevant counts 1. The pool is the query's "
            "own rows.",
            {"ties": "row_order", "empty": 1.0},
            "auc, auc_mu and average_precision are computed over all rows, not by query.",
        ),
        Tool(
            "xgboost",
            "Ties in row order. A query with nothing relevant counts 1, or 0 where the name ends "
            "in a minus sign. The pool is the query's own rows.",
            {"ties": "row_order"},
            "auc and aucpr average areas over queries by weights of XGBoost's own.",
        ),
        Tool(
            "catboost",
            "Ties worst first. The pool is the query's own rows. A label above the border, 0.5 "
            "unless it is given, is relevant.",
            {"ties": "pessimistic"},
            "Other parameters and metrics need pairs of documents (PairLogit, PairAccuracy), "
            "probabilities as labels (ERR, PFound) or positive scores (FilteredDCG), are a "
            "measure of ours but for a factor (AverageGain and QueryAverage are CG@k divided by "
            "k) or go by all rows (AUC).",
        ),
        Tool(
            "sklearn",
            "Ties by their expected value. A query with nothing relevant counts 0.",
            {"ties": "expected"},
            "coverage_error is a rank, label_ranking_loss a share of pairs (1 less "
            "roc_auc_score), and top_k_accuracy_score ranks classes and not documents.",
        ),
        Tool(
            "trec_eval",
            "Ties by document id, descending: rows must stand in that order, in which a run is "
            "read. A query with nothing relevant counts 0. The pool is that of the qrels. A "
            "document of any negative grade is pooled but unsampled, as with "
            '`trec.evaluate(..., negative="all_unsampled")`, which --as trec_eval has in every '
            "command; without it only grade -1 means that.",
            {"ties": "row_order"},
            "runid, num_q and relstring are no numbers of a query; the prefs and avgjg measures "
            "need preferences or several groups of judgments; rbp_resid is one of version "
            "10, whose unj_k is 1 less Judged@k; yaap orders the runs of a topic as AP does.",
            negative="all_unsampled",
        ),
        Tool(
            "pytrec_eval",
            "It runs the code of trec_eval and has its names and numbers. It leaves out queries "
            "that the qrels or the run lack; `skgraded.trec.evaluate(..., complete=False)` leaves "
            "out those that the run lacks. Its gm_map and gm_bpref of a query are logarithms.",
            {"ties": "row_order"},
            like="trec_eval",
            negative="all_unsampled",
        ),
        Tool(
            "ir_measures",
            "Ties as the provider has them: by document id, descending in pytrec_eval, ascending "
            "in Compat, Judged and Accuracy, and in row order in cwl_eval. A query with nothing "
            "relevant counts 0, except in Accuracy, and so does one that the run lacks. The pool "
            "is that of the qrels. Fields that are written as ours are read, such as "
            "`AP(rel=2)@10`; their max_rel is our max_grade, and their judged_only=True our "
            "unjudged=condense. A document of any negative grade is pooled but unsampled, as with "
            '`negative="all_unsampled"`, except in Judged.',
            {"ties": "row_order"},
            "Measures of diversity need judgments of subtopics, which are not read, and NumQ is "
            "no number of a query.",
            negative="all_unsampled",
        ),
        Tool(
            "ranx",
            "Ties in an order that is not defined, so that equal scores have no number to "
            "reproduce. A query with nothing relevant counts 0. The pool is that of the qrels. "
            "A suffix such as -l2 is our rel=2, and the number after rbp is its persistence, also "
            "after @. A cut-off of 0 is the whole list; r-precision and bpref ignore a "
            "cut-off.",
            {"ties": "row_order"},
            "A lowest relevant grade such as -l2 makes 0 of the gains below it in dcg, ndcg and "
            "rbp: nDCG(gain=[0,2,3])@10 has the values of ndcg@10-l2.",
        ),
        Tool(
            "torchmetrics",
            "Ties in an order that is not defined, except in RetrievalNormalizedDCG and "
            "RetrievalAUROC. A query with nothing relevant counts 0. The pool is the query's own "
            "rows, and labels are binary, except in RetrievalNormalizedDCG. RetrievalMAP, "
            "RetrievalMRR, RetrievalPrecision and RetrievalRecall take documents with a score of 0 "
            "or below as not relevant: add a constant to the scores first.",
            {"ties": "row_order"},
            "RetrievalMAP(top_k=5) is divided by the relevant documents among the first 5, so "
            "that finding another one can lower it (AP@5 is divided by R), and the curves are no "
            "numbers.",
        ),
        Tool(
            "ntcireval",
            "The input is a ranking, without scores. Values at a cut-off are divided by those of "
            "the ideal ranking. The pool is that of the relevance file.",
            {"ties": "row_order"},
            "Measures of diversity (I-rec, D-nDCG, ERR-IA) need judgments of subtopics, which are "
            "not read.",
        ),
        Tool(
            "matters",
            "Ties by document id, descending, as in trec_eval. The pool is that of the qrels.",
            {"ties": "row_order"},
        ),
        Tool(
            "elasticsearch",
            "The order is that of the hits. A document without a rating is not relevant, unless "
            "unknown_doc_rating says which grade it has: give it that grade in the qrels. "
            "Relevant is a rating of relevant_rating_threshold, our rel, or above. A query with "
            "nothing relevant counts 0. The pool is that of the ratings.",
            {"ties": "row_order"},
            "ignore_unlabeled divides by the rated documents of the first k: "
            "P(unjudged=condense) fills up with those behind them.",
        ),
        Tool(
            "opensearch",
            "Its _rank_eval has the metrics of Elasticsearch, and their numbers.",
            {"ties": "row_order"},
            like="elasticsearch",
        ),
        Tool(
            "quepid",
            "The scorers that it comes with; their code can be changed. The order is that of the "
            "results. A document without a rating has grade 0, and relevant is any other. A query "
            "with nothing relevant counts 0. The pool is that of the ratings.",
            {"ties": "row_order"},
            "NDCG@k is divided by the best order of the first k results alone, whatever else was "
            "rated: `nDCG()(y_true, y_score, qid=qid)` of rows that are these results.",
        ),
        Tool(
            "rre",
            "The order is that of the results. Every document that has a rating is relevant: give "
            "those alone a grade above 0. Numbers are rounded to two digits.",
            {"ties": "row_order"},
            "NDCG@k adds up terms that are rounded down to two digits, and ERR@k gives a document "
            "without a rating grade 2 of 3.",
        ),
        Tool(
            "rax",
            "Ties in row order, unless a key is given. Relevant is a label of 1 or above, and a "
            "query with nothing relevant counts 0. The pool is the query's own rows.",
            {"ties": "row_order"},
            "Losses and approximations of metrics are no measures of a ranking.",
        ),
        Tool(
            "tf_ranking",
            "Ties in an order that is drawn. Relevant is a label of 1 or above, and a query with "
            "nothing relevant counts 0. The pool is the query's own rows. The mean weighs queries, "
            "by default equally where they have relevant documents and not at all elsewhere.",
            {"ties": "row_order", "empty": math.nan},
            "ARPMetric is a mean rank, and AlphaDCGMetric and PrecisionIAMetric need subtopics.",
        ),
    )
}
