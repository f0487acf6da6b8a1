"""Measures that give the numbers of other tools.

The table `CONVENTIONS` says what a tool calls a measure, and with which fields our measure has the
tool's value. `measure_as` looks measures up in it; ``python -m skgraded.conventions`` writes it as
the page ``docs/conventions.md``.
"""

from __future__ import annotations

import dataclasses
import math
import re
import sys
from collections.abc import Mapping
from typing import Any

from skgraded._params import choice
from skgraded.measures import Measure, catalogue, measure
from skgraded.measures._catalogue import parse_spec
from skgraded.measures._other_names import OTHER_NAMES, PATTERNS, own_name
from skgraded.measures._strings import parse

__all__ = ["CONVENTIONS", "TOOLS", "Convention", "Tool", "as_markdown", "measure_as"]


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
    """

    name: str
    rules: str
    fields: Mapping[str, Any]


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

_NAN = math.nan
_EXP2: dict[str, Any] = {"gain": "exp2", "empty": 1.0}
_OF_SCALE = "The top of the scale is the highest grade of the data, unless max_grade is given."
_UNTIL_SHORT = "A list shorter than k is divided by its own length."
_VERSION = 'Up to version 9; version 10 has rounding="nearest".'
_IS_SUM = "Its value of all queries is the sum, not the mean."

CONVENTIONS = (
    Convention("lightgbm", "ndcg@{k}", "nDCG", {"gain": "exp2"}, "Their label_gain is our gain."),
    Convention("lightgbm", "map@{k}", "AP", {"normalize": True}, "Divided by min(R, k)."),
    Convention("xgboost", "ndcg@{k}", "nDCG", _EXP2, "ndcg_exp_gain=0 is a linear gain."),
    Convention("xgboost", "ndcg@{k}-", "nDCG", {"gain": "exp2"}),
    Convention("xgboost", "ndcg", "nDCG", {**_EXP2, "k": 32}, "Without k it stops at rank 32."),
    Convention("xgboost", "map@{k}", "AP", {"normalize": True, "empty": 1.0}, "Binary labels."),
    Convention("xgboost", "map@{k}-", "AP", {"normalize": True}, "Binary labels."),
    Convention("xgboost", "map", "AP", {"normalize": True, "empty": 1.0, "k": 32}, "As ndcg."),
    Convention("xgboost", "pre@{k}", "P", {"fill": False}, f"Binary labels. {_UNTIL_SHORT}"),
    Convention("catboost", "NDCG:top={k}", "nDCG", {"empty": 1.0}),
    Convention("catboost", "NDCG:top={k};type=Base", "nDCG", {"empty": 1.0}),
    Convention("catboost", "NDCG:top={k};type=Exp", "nDCG", _EXP2),
    Convention("catboost", "NDCG", "nDCG", {"empty": 1.0}),
    Convention("catboost", "DCG:top={k}", "DCG"),
    Convention("catboost", "DCG:top={k};type=Exp", "DCG", {"gain": "exp2"}),
    Convention("catboost", "MAP:top={k}", "AP", {"normalize": True}, "Divided by min(R, k)."),
    Convention("catboost", "MAP", "AP"),
    Convention("catboost", "MRR:top={k}", "RR"),
    Convention("catboost", "MRR", "RR"),
    Convention("catboost", "PrecisionAt:top={k}", "P", {"fill": False}, _UNTIL_SHORT),
    Convention("catboost", "RecallAt:top={k}", "R", {"empty": 1.0}),
    Convention("sklearn", "ndcg_score(k={k})", "nDCG", {}, "It refuses queries of one document."),
    Convention("sklearn", "ndcg_score", "nDCG"),
    Convention("sklearn", "dcg_score(k={k})", "DCG"),
    Convention("sklearn", "dcg_score", "DCG"),
    Convention("trec_eval", "map", "AP"),
    Convention("trec_eval", "map_cut_{k}", "AP", {}, "Divided by R, whatever k."),
    *(
        Convention(
            "trec_eval", f"iprec_at_recall_{tenths / 10:.2f}", "IPrec", {"recall": tenths / 10}
        )
        for tenths in range(11)
    ),
    Convention("trec_eval", "11pt_avg", "InterpolatedAP", {}, _VERSION),
    Convention("trec_eval", "P_{k}", "P"),
    Convention("trec_eval", "recall_{k}", "R"),
    Convention("trec_eval", "Rprec", "RPrecision"),
    Convention("trec_eval", "bpref", "Bpref"),
    Convention("trec_eval", "infAP", "infAP"),
    Convention("trec_eval", "recip_rank", "RR"),
    Convention("trec_eval", "success_{k}", "Success"),
    Convention("trec_eval", "ndcg", "nDCG"),
    Convention("trec_eval", "ndcg_cut_{k}", "nDCG"),
    Convention(
        "trec_eval",
        "Rndcg",
        "RNDCG",
        {},
        "It leaves out the end of lists with one document more than the query has relevant ones.",
    ),
    Convention("trec_eval", "ndcg_rel", "NDCGRel"),
    Convention("trec_eval", "G", "G"),
    Convention("trec_eval", "binG", "BinG"),
    Convention("trec_eval", "set_P", "P"),
    Convention("trec_eval", "set_recall", "R"),
    Convention("trec_eval", "set_F", "F"),
    Convention("trec_eval", "set_map", "SetAP"),
    Convention("trec_eval", "set_relative_P", "P", {"normalize": True}, "Divided by min(R, N)."),
    Convention("trec_eval", "relative_P_{k}", "P", {"normalize": True}, "Divided by min(R, k)."),
    Convention(
        "trec_eval",
        "utility",
        "Utility",
        {},
        "A query with nothing relevant has minus the length of its list there.",
    ),
    Convention(
        "trec_eval",
        "num_ret",
        "Utility",
        {"weights": (1.0, 1.0, 0.0, 0.0)},
        f"{_IS_SUM} A query with nothing relevant has the length of its list there.",
    ),
    Convention("trec_eval", "num_rel", "Utility", {"weights": (1.0, 0.0, 1.0, 0.0)}, _IS_SUM),
    Convention("trec_eval", "num_rel_ret", "Utility", {"weights": (1.0, 0.0, 0.0, 0.0)}, _IS_SUM),
    Convention("ntcireval", "AP", "AP"),
    Convention("ntcireval", "AP@{k}", "AP", {"normalize": True}, "Divided by min(R, k)."),
    Convention("ntcireval", "Q-measure", "QMeasure"),
    Convention("ntcireval", "Q@{k}", "QMeasure", {"normalize": True}, "Divided by min(R, k)."),
    Convention("ntcireval", "GAP", "GAP", {"g": "linear"}, "g_j proportional to j."),
    Convention("ntcireval", "GAP@{k}", "GAP", {"g": "linear", "normalize": True}),
    Convention("ntcireval", "RBP", "RBP", {"p": 0.95, "gain": "linear"}, _OF_SCALE),
    Convention("ntcireval", "RBP@{k}", "RBP", {"p": 0.95, "gain": "linear"}, _OF_SCALE),
    Convention("ntcireval", "ERR", "ERR", {"gain": "linear"}, _OF_SCALE),
    Convention("ntcireval", "ERR@{k}", "ERR", {"gain": "linear"}, _OF_SCALE),
    Convention("ntcireval", "nERR@{k}", "ERR", {"gain": "linear", "normalize": True}, _OF_SCALE),
    Convention("ntcireval", "EBR", "EBR", {}, _OF_SCALE),
    Convention("ntcireval", "EBR@{k}", "EBR", {}, _OF_SCALE),
    Convention("ntcireval", "nDCG@{k}", "nDCG", {"discount": "jk"}),
    Convention("ntcireval", "MSnDCG@{k}", "nDCG"),
    Convention("ntcireval", "NCUgu,BR", "NCU", {}, "Their weights -s are our stop."),
    Convention("ntcireval", "NCUgu,P", "NCU", {"beta": 0.0}, "Their weights -s are our stop."),
    Convention("ntcireval", "NCUrb,BR", "RankBiasedNCU"),
    Convention("ntcireval", "NCUrb,P", "RankBiasedNCU", {"beta": 0.0}),
    Convention("ntcireval", "RR", "RR"),
    Convention("ntcireval", "O-measure", "OMeasure"),
    Convention("ntcireval", "P-measure", "PMeasure"),
    Convention("ntcireval", "P-plus", "PPlus"),
    Convention("ntcireval", "P@{k}", "P"),
    Convention("ntcireval", "Hit@{k}", "Success"),
    Convention("ntcireval", "bpref", "Bpref"),
    Convention("ntcireval", "bpref_R", "BprefR"),
    Convention("ntcireval", "bpref_N", "BprefN"),
    Convention("ntcireval", "bpref_relative", "BprefRelative"),
    Convention("ntcireval", "rpref_N", "RprefN", {}, _OF_SCALE),
    Convention("ntcireval", "rpref_relative", "RprefRelative"),
    Convention("ntcireval", "rpref_relative2", "RprefRelative2"),
    Convention("matters", "gradedAveragePrecision", "GAP", {}, "g must be given."),
    Convention(
        "matters",
        "extendedGradedAveragePrecision",
        "xGAP",
        {},
        "g must be given; its part above the query's highest grade is lost.",
    ),
    Convention(
        "matters",
        "expectedGradedAveragePrecision",
        "eGAP",
        {},
        "g must be given; its part above the query's highest grade is lost.",
    ),
    Convention("matters", "averagePrecision", "AP", {"empty": _NAN}),
    Convention("matters", "qMeasure", "QMeasure", {"empty": _NAN}),
    Convention("matters", "bpref", "Bpref", {"empty": _NAN}),
)


def measure_as(tool: str, name: str | Measure) -> Measure:
    """Return the measure that gives the number of another tool.

    Parameters
    ----------
    tool : {"lightgbm", "xgboost", "catboost", "sklearn", "trec_eval", "ntcireval", "matters"}
        The tool.
    name : str or Measure
        The measure as the tool writes it (``"map_cut_10"``), or as it is written here
        (``"AP@10"``). Fields that are stated in a string of ours, such as ``"AP(rel=2)@10"``, stay
        as they are, and so do the fields of a Measure that differ from the defaults of its class.

    Returns
    -------
    Measure
        The measure with the tool's gain and divisor, and its rules for ties and empty queries.

    Raises
    ------
    ValueError
        If the tool is unknown, or has no such measure; the message lists the measures it has.

    See Also
    --------
    skgraded.measure : Read a measure as it is written here.

    Examples
    --------
    >>> from skgraded.conventions import measure_as
    >>> measure_as("lightgbm", "nDCG@10")
    nDCG(gain='exp2', k=10, ties='row_order', empty=1.0)
    >>> measure_as("trec_eval", "map_cut_10")
    AP(k=10, ties='row_order')
    """
    choice("tool", tool, TOOLS)
    of_tool = [each for each in CONVENTIONS if each.tool == tool]
    for convention in of_tool:
        k = _cutoff_of(convention, name) if isinstance(name, str) else None
        if k is not None:
            return _build(convention, k)
    kind, stated = _own_measure(tool, name, of_tool)
    rows = [each for each in of_tool if each.ours == kind.__name__]
    if not rows:
        raise ValueError(_unknown(tool, name, of_tool))
    like_ours = [each for each in rows if ("{k}" in each.theirs) == (stated.get("k") is not None)]
    return _build((like_ours or rows)[0], {}, stated)


def _cutoff_of(convention: Convention, name: str) -> dict[str, int] | None:
    """Return the cut-off in a name of the tool, {} if it has none, None for any other name."""
    pattern = re.escape(convention.theirs).replace(r"\{k\}", r"(?P<k>\d+)")
    found = re.fullmatch(pattern, name.strip())
    if found is None:
        return None
    return {each: int(k) for each, k in found.groupdict().items()}


def _own_measure(
    tool: str, name: str | Measure, of_tool: list[Convention]
) -> tuple[type[Measure], dict[str, Any]]:
    """Return the class of a measure of ours, and the fields that the user states."""
    try:
        chosen = measure(name)
        if isinstance(name, str) and own_name(parse(name)[0], catalogue()) is None:
            raise ValueError(f"{name!r} is another tool's name of {str(chosen)!r}.")
    except ValueError as error:
        raise ValueError(
            f"{_unknown(tool, name, of_tool)} It is no measure of skgraded either: {error}"
        ) from None
    return parse_spec(name) if isinstance(name, str) else (type(chosen), _changed(chosen))


def _changed(chosen: Measure) -> dict[str, Any]:
    """Fields of a measure that differ from the defaults of its class."""
    plain = type(chosen)()
    values = {each.name: getattr(chosen, each.name) for each in dataclasses.fields(chosen)}
    return {name: value for name, value in values.items() if value != getattr(plain, name)}


def _build(
    convention: Convention, cutoff: Mapping[str, int], stated: Mapping[str, Any] | None = None
) -> Measure:
    kind = catalogue()[convention.ours]
    fields = {**TOOLS[convention.tool].fields, **convention.fields, **cutoff, **(stated or {})}
    return kind(**fields)


def _unknown(tool: str, name: object, of_tool: list[Convention]) -> str:
    theirs = ", ".join(each.theirs.replace("{k}", "k") for each in of_tool)
    ours = ", ".join(sorted({each.ours for each in of_tool}))
    return f"{tool} has no measure {str(name)!r}. It has {theirs}; here these are {ours}."


def as_markdown() -> str:
    """Write the table of conventions as a page of the documentation.

    Returns
    -------
    str
        Markdown.

    Examples
    --------
    >>> from skgraded.conventions import as_markdown
    >>> as_markdown().splitlines()[0]
    "# Other tools' numbers"
    """
    lines = [
        "# Other tools' numbers",
        "",
        "`skgraded.conventions.measure_as(tool, name)` returns the measure that gives a tool's",
        'number. The name may be the tool\'s or ours: `measure_as("lightgbm", "nDCG@10")`.',
        "This page is generated: `python -m skgraded.conventions > docs/conventions.md`.",
    ]
    for tool in TOOLS.values():
        lines += ["", f"## {tool.name}", "", tool.rules, "", *_rows_of(tool)]
    lines += ["", "## Names that `measure` understands", "", _UNDERSTOOD, "", *_rows_of_names()]
    return "\n".join(lines) + "\n"


def _rows_of(tool: Tool) -> list[str]:
    rows = ["| theirs | skgraded | |", "|---|---|---|"]
    for each in CONVENTIONS:
        if each.tool == tool.name:
            # 10 stands for any cut-off.
            ours = str(_build(each, {"k": 10} if "{k}" in each.theirs else {})).replace("@10", "@k")
            theirs = each.theirs.replace("{k}", "k")
            rows.append(f"| `{theirs}` | `{ours}` | {each.note} |")
    return rows


_UNDERSTOOD = (
    "`skgraded.measure`, and whatever takes measures as strings, also understands these names, "
    "followed by `@k` and fields or not. Capitals, `_` and `-` do not matter, nor do they in names "
    "of ours (`ndcg@10`, `r_precision`, `Q-measure`). A name means our measure with our rules for "
    "gains, ties and queries with nothing relevant; `measure_as` gives the rules of a tool."
)


def _rows_of_names() -> list[str]:
    by_meaning: dict[str, list[str]] = {}
    for name, (ours, fields) in OTHER_NAMES.items():
        by_meaning.setdefault(str(catalogue()[ours](**fields)), []).append(f"`{name}`")
    for pattern, ours, field, fields in PATTERNS:
        known = "k" if field == "k" else ".1" if "rbp" in pattern else "0.1"
        number: dict[str, Any] = {field: 10 if field == "k" else 0.1}
        meaning = str(catalogue()[ours](**fields, **number)).replace("@10", "@k")
        name = re.sub(r"\(\?P<number>.*\)", known, pattern).replace("[_.]", "_")
        by_meaning.setdefault(meaning, []).append(f"`{name}`")
    rows = [f"| {', '.join(names)} | `{meaning}` |" for meaning, names in by_meaning.items()]
    return ["| name | skgraded |", "|---|---|", *rows]


if __name__ == "__main__":
    sys.stdout.write(as_markdown())
