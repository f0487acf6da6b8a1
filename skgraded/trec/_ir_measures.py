"""Measures of skgraded for ir_measures, and so for PyTerrier's experiments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from skgraded.measures import Measure, measure
from skgraded.rankings import Rankings


def ir_measure(spec: str | Measure) -> Any:
    """Wrap a measure for ir_measures.

    Parameters
    ----------
    spec : str or Measure
        The measure, such as ``"xGAP(g=[0.1,0.9])@10"``.

    Returns
    -------
    ir_measures.Measure
        A measure for ``ir_measures.calc_aggregate``, ``iter_calc`` and ``evaluator``, which may
        mix it with their own. Topics that a run lacks count as empty lists; documents are ranked as
        in `rank`.

    Raises
    ------
    ImportError
        If ir_measures is not installed.

    Examples
    --------
    >>> import ir_measures
    >>> from skgraded.trec import ir_measure
    >>> egap = ir_measure("eGAP(g=[0.1,0.9])")
    >>> qrels, run = {"q1": {"d1": 2, "d2": 1}}, {"q1": {"d1": 1.0, "d3": 0.5}}
    >>> values = ir_measures.calc_aggregate([egap, ir_measures.RR], qrels, run)
    >>> round(values[egap], 4)
    0.95
    """
    try:
        from ir_measures import Metric  # type: ignore[import-not-found, unused-ignore]
        from ir_measures.measures import (  # type: ignore[import-not-found, unused-ignore]
            Measure as BaseMeasure,
        )
    except ImportError as error:
        raise ImportError("ir_measure needs ir_measures: pip install ir-measures.") from error
    ours = measure(spec)

    class Adapter(BaseMeasure):  # type: ignore[misc, unused-ignore]
        """A measure for the provider of ir_measures that calls Python code."""

        NAME = __name__ = type(ours).__name__
        RUN_INPUTS = ("query_id", "doc_id", "score")
        QREL_INPUTS = ("query_id", "doc_id", "relevance")

        def runtime_impl(self, qrels: Any, run: Any) -> Iterator[Any]:
            scored = ours.per_query(Rankings.from_trec(qrels, run))
            for topic, value in zip(scored.qid.tolist(), scored.values.tolist(), strict=True):
                yield Metric(query_id=topic, measure=self, value=value)

        def aggregator(self) -> Any:
            return _MeanOfDefined()

        def __repr__(self) -> str:
            return str(ours)

    return Adapter()  # type: ignore[no-untyped-call, unused-ignore]


class _MeanOfDefined:
    """Mean over the topics whose value is not nan."""

    def __init__(self) -> None:
        self.total, self.n_topics = 0.0, 0

    def add(self, value: float) -> None:
        if not math.isnan(value):
            self.total, self.n_topics = self.total + value, self.n_topics + 1

    def result(self) -> float:
        return self.total / self.n_topics if self.n_topics else math.nan
