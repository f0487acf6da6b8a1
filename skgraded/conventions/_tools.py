"""The tools whose numbers can be reproduced, and the rules that all of their measures follow."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


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
    like : str
        The tool whose table it shares; empty if it has a table of its own.
    """

    name: str
    rules: str
    fields: Mapping[str, Any]
    like: str = ""


@dataclasses.dataclass(frozen=True)
class Convention:
    """A measure of a tool, and the measure of ours with the same value.

    Attributes
    ----------
    tool : str
        The tool.
    theirs : str
        The measure as the tool writes it; ``{k}`` stands for a cut-off.
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


@dataclasses.dataclass(frozen=True)
class Absence:
    """Names of a tool that no measure of ours reproduces.

    Attributes
    ----------
    tool : str
        The tool.
    theirs : tuple of str
        What the tool calls them.
    reason : str
        Why they are not here, and what there is instead.
    """

    tool: str
    theirs: tuple[str, ...]
    reason: str


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "lightgbm",
            "Ties in row order. A query with nothing relevant counts 1. The pool is the query's "
            "own rows.",
            {"ties": "row_order", "empty": 1.0},
        ),
        Tool(
            "xgboost",
            "Ties in row order. A query with nothing relevant counts 1, or 0 where the name ends "
            "in a minus sign. The pool is the query's own rows.",
            {"ties": "row_order"},
        ),
        Tool(
            "catboost",
            "Ties worst first. The pool is the query's own rows.",
            {"ties": "pessimistic"},
        ),
        Tool(
            "sklearn",
            "Ties by their expected value. A query with nothing relevant counts 0.",
            {"ties": "expected"},
        ),
        Tool(
            "trec_eval",
            "Ties by document id, descending: rows must stand in that order, in which a run is "
            "read. A query with nothing relevant counts 0. The pool is that of the qrels. A "
            "document of any negative grade is pooled but unsampled; here only grade -1 means "
            "that, and other negative grades are judged not relevant, which changes bpref and "
            "infAP. `qrels.map_grades({-2: -1})` or `--grades=-2=-1` maps them to -1.",
            {"ties": "row_order"},
        ),
        Tool(
            "pytrec_eval",
            "It runs the code of trec_eval and has its names and numbers. It leaves out queries "
            "that the qrels or the run lack; `skgraded.trec.evaluate(..., complete=False)` leaves "
            "out those that the run lacks. Its gm_map and gm_bpref of a query are logarithms.",
            {"ties": "row_order"},
            like="trec_eval",
        ),
        Tool(
            "ir_measures",
            "Ties as the provider has them: by document id, descending in pytrec_eval, ascending "
            "in Compat, Judged and Accuracy, and in row order in cwl_eval. A query with nothing "
            "relevant counts 0, except in Accuracy, and so does one that the run lacks. The pool "
            "is that of the qrels. Fields that are written as ours are read, such as "
            "`AP(rel=2)@10`; their max_rel is our max_grade, and their judged_only=True our "
            "unjudged=condense.",
            {"ties": "row_order"},
        ),
        Tool(
            "ranx",
            "Ties in an order that is not defined, so that equal scores have no number to "
            "reproduce. A query with nothing relevant counts 0. The pool is that of the qrels. "
            "A suffix such as -l2 is our rel=2, and the number after rbp is its persistence, also "
            "after @. A cut-off of 0 is the whole list; r-precision and bpref ignore a "
            "cut-off.",
            {"ties": "row_order"},
        ),
        Tool(
            "torchmetrics",
            "Ties in an order that is not defined, except in RetrievalNormalizedDCG and "
            "RetrievalAUROC. A query with nothing relevant counts 0. The pool is the query's own "
            "rows, and labels are binary, except in RetrievalNormalizedDCG. RetrievalMAP, "
            "RetrievalMRR, RetrievalPrecision and RetrievalRecall take documents with a score of 0 "
            "or below as not relevant: add a constant to the scores first.",
            {"ties": "row_order"},
        ),
        Tool(
            "ntcireval",
            "The input is a ranking, without scores. Values at a cut-off are divided by those of "
            "the ideal ranking. The pool is that of the relevance file.",
            {"ties": "row_order"},
        ),
        Tool(
            "matters",
            "Ties by document id, descending, as in trec_eval. The pool is that of the qrels.",
            {"ties": "row_order"},
        ),
    )
}
