"""Scores and comparisons as text: tables, CSV, JSON and the lines of trec_eval."""

from __future__ import annotations

import csv
import io
import json
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from skgraded._text import count, shorten, text_table, wrap
from skgraded.cli._outputs import notes_of
from skgraded.exceptions import UndefinedMeanWarning
from skgraded.results import Scores
from skgraded.trec import Comparison
from skgraded.users import ThresholdProfile

__all__ = ["comparison_as", "notes_beside", "profile_as", "scores_as"]

_MEANS = {"arithmetic": "mean", "geometric": "geometric mean"}


def scores_as(form: str, scores: Scores, per_query: bool, average: str = "arithmetic") -> str:
    """Write the means of scores, or the scores of all topics, in a format."""
    with warnings.catch_warnings():  # every format shows an undefined mean in its own way
        warnings.simplefilter("ignore", UndefinedMeanWarning)
        return _SCORES[form](scores, per_query, average)


def comparison_as(form: str, comparison: Comparison) -> str:
    """Write a comparison in a format."""
    return _COMPARISONS[form](comparison)


def profile_as(form: str, profile: ThresholdProfile) -> str:
    """Write a threshold profile in a format."""
    if form == "json":
        return _as_json(profile.to_dict())
    return _columns_as_csv(profile.columns()) if form == "csv" else profile.to_text() + "\n"


def notes_beside(form: str, notes: Sequence[str]) -> Sequence[str]:
    """Return the notes if the format itself has no place for them."""
    return notes if form in ("csv", "trec_eval") else []


def _scores_table(scores: Scores, per_query: bool, average: str) -> str:
    if not per_query:
        return scores._table().to_text() + "\n"
    systems = scores.systems or ()
    alone = len(systems) == 1
    topics = scores.qid.tolist()
    width = max(len(shorten(each)) for each in systems)
    labels = ["topic" if alone else f"{'system':<{width}}  topic"]
    for system in systems:
        labels += [each if alone else f"{shorten(system):<{width}}  {each}" for each in topics]
    values = scores.values.reshape(-1, len(scores.measures))
    columns = [
        (name, ["-" if math.isnan(value) else f"{value:.4f}" for value in column])
        for name, column in zip(list(scores), values.T.tolist(), strict=True)
    ]
    size = f"{count(len(systems), 'system')}, {count(len(topics), 'topic')}."
    notes = [wrap(each) for each in (size, *notes_of(scores))]
    return "\n".join([text_table(labels, columns, widest_label=60), *notes]) + "\n"


def _scores_csv(scores: Scores, per_query: bool, average: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["system", *(["topic"] if per_query else []), *list(scores)])
    rows = zip(scores.systems or (), _means(scores, average), scores.values.tolist(), strict=True)
    for system, means, by_topic in rows:
        if per_query:
            topics = zip(scores.qid.tolist(), by_topic, strict=True)
            writer.writerows([system, topic, *values] for topic, values in topics)
        else:
            writer.writerow([system, *means])
    return text.getvalue()


def _scores_json(scores: Scores, per_query: bool, average: str) -> str:
    names = list(scores)
    systems: list[dict[str, Any]] = []
    rows = zip(scores.systems or (), _means(scores, average), scores.values.tolist(), strict=True)
    for system, means, by_topic in rows:
        entry: dict[str, Any] = {"system": system, _MEANS[average]: _named(names, means)}
        if per_query:
            topics = zip(scores.qid.tolist(), by_topic, strict=True)
            entry["topics"] = {topic: _named(names, values) for topic, values in topics}
        systems.append(entry)
    return _as_json({"n_topics": len(scores.qid), "systems": systems, "notes": notes_of(scores)})


def _means(scores: Scores, average: str) -> list[list[float]]:
    by_system = scores.mean(average).values()
    return [list(means.values()) for means in by_system]


def _named(names: list[str], values: list[float]) -> dict[str, float | None]:
    return dict(zip(names, map(_or_null, values), strict=True))


def _or_null(value: Any) -> Any:
    """Replace nan and infinity, which JSON does not have, by None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _as_json(content: dict[str, Any]) -> str:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:  # an id with bytes that are not UTF-8, which JSON can only escape
        return json.dumps(content, indent=2, allow_nan=False) + "\n"
    return text


def _scores_trec_eval(scores: Scores, per_query: bool, average: str) -> str:
    names = list(scores)
    averaged = [f"gm_{name}" for name in names] if average == "geometric" else names
    lines = []
    rows = zip(scores.systems or (), _means(scores, average), scores.values.tolist(), strict=True)
    for system, means, by_topic in rows:
        lines.append(f"{'runid':<22}\tall\t{system}")
        listed = list(zip(scores.qid.tolist(), by_topic, strict=True)) if per_query else []
        for topic, values in listed:
            lines += _lines_of(topic, names, values)
        lines += _lines_of("all", averaged, means)
    return "\n".join(lines) + "\n"


def _lines_of(topic: str, names: list[str], values: list[float]) -> list[str]:
    return [
        f"{name:<22}\t{topic}\t{value:6.4f}"
        for name, value in zip(names, values, strict=True)
        if not math.isnan(value)
    ]


_SCORES: dict[str, Callable[[Scores, bool, str], str]] = {
    "table": _scores_table,
    "csv": _scores_csv,
    "json": _scores_json,
    "trec_eval": _scores_trec_eval,
}


def _columns_as_csv(columns: dict[str, list[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _comparison_json(comparison: Comparison) -> str:
    pairs = comparison.pairs()
    rows = (map(_or_null, row) for row in zip(*pairs.values(), strict=True))
    content = {
        "measure": str(comparison.measure),
        "test": comparison.test,
        "correction": comparison.correction,
        "alpha": comparison.alpha,
        "n_topics": comparison.n_topics,
        "means": _named(list(comparison.systems), comparison.means.tolist()),
        "pairs": [dict(zip(pairs, row, strict=True)) for row in rows],
        "notes": list(comparison.notes),
    }
    return _as_json(content)


_COMPARISONS: dict[str, Callable[[Comparison], str]] = {
    "table": lambda comparison: comparison.to_text() + "\n",
    "csv": lambda comparison: _columns_as_csv(comparison.pairs()),
    "json": _comparison_json,
}
