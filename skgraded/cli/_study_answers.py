"""What the studies of ``skgraded study`` read, compute and tell: one function for each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import studies
from skgraded._support.arguments import integer
from skgraded._support.writers import Table
from skgraded.cli._inputs import chosen_measure, faults_are_located, parse_grades
from skgraded.cli._options import is_complete
from skgraded.measures import Measure
from skgraded.results import Scores
from skgraded.trec import Qrels, evaluate, rank, read_run

Mask = NDArray[np.bool_]

# Yilmaz and Aslam average ten simple random samples; the other papers take one.
_REPEATS = {"random": 10}


class Part(NamedTuple):
    """A result of a study.

    Attributes
    ----------
    found : object
        The result.
    labels : dict of str to object or None
        What tells it from the other results, such as the set of topics.
    heading : str
        The same in words.
    tables : sequence of Table or None
        The tables of a statistic that was asked for; None for those of the result.
    draw : sequence of callable or None
        A function for each panel of its picture; None for its own ``plot``.
    """

    found: Any
    labels: dict[str, Any] | None = None
    heading: str = ""
    tables: Sequence[Table] | None = None
    draw: Sequence[Callable[[Any], Any]] | None = None


class Answer(NamedTuple):
    """The results of a study, and notes on what was left out."""

    parts: Sequence[Part]
    notes: Sequence[str] = ()


class Asked:
    """What a study was asked, and what several studies read for that, once it is needed."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments, with their grades changed as asked for."""
        return parse_grades(self.given.grades).read(self.given.qrels)

    @property
    def names(self) -> list[str]:
        """The names of the measures that were asked for, or those of the study."""
        return self.given.measures or list(self.given.default_measures)

    @property
    def measures(self) -> list[Measure]:
        """The measures, under the rule for ties that was asked for."""
        return [chosen_measure(each, self.given.ties) for each in self.names]

    @property
    def rules(self) -> dict[str, Any]:
        """The rules by which runs are scored."""
        given = self.given
        return {"order": given.order, "complete": is_complete(given), "negative": given.negative}

    def scores(self, measures: list[Measure]) -> Scores:
        """Score all runs."""
        return self.scores_of(self.given.runs, measures, self.qrels)

    def scores_of(self, runs: list[Any], measures: list[Measure], qrels: Qrels) -> Scores:
        """Score some runs by some judgments."""
        with faults_are_located(qrels):
            return evaluate(measures, qrels, runs, progress=True, **self.rules)

    @cached_property
    def facts(self) -> studies.TopicFacts:
        """The numbers of documents by grade, with the meaning of negative grades."""
        qrels, negative = self.qrels, self.given.negative
        qrels.pool(negative)  # raises an error if there must be none
        meaning = {"nonrelevant": 0.0, "unjudged": Qrels.UNSAMPLED}.get(negative)
        if meaning is None:
            return studies.topic_facts(qrels)
        below_zero = np.unique(qrels.grades[qrels.grades < 0]).tolist()
        return studies.topic_facts(qrels.map_grades(dict.fromkeys(below_zero, meaning)))

    @cached_property
    def topics(self) -> dict[str, Mask]:
        """The sets of topics that were asked for."""
        ratio = self.given.ratio
        masks = {"all": np.ones(len(self.facts.topics), dtype=bool)}
        for grade in self.given.few:
            few = self.facts.few(grade, ratio)
            if not few.any():
                raise ValueError(
                    f"--few {grade} must leave at least one topic with R(1) >= {ratio:g} * "
                    f"R({grade}) > 0, got none."
                )
            masks[f"few of grade {grade}"] = few
        return masks

    @cached_property
    def systems(self) -> Mask | None:
        """The systems that were asked for, by AP; None = all."""
        top = self.given.top
        if top is None and not self.given.upper_quartiles:
            return None
        by = chosen_measure("AP", self.given.ties)
        scores = self.scores([by])
        if top is None:
            return studies.above_first_quartile(scores, str(by))
        n_runs = len(scores.systems or ())
        if not 1 < top <= n_runs:
            raise ValueError(f"--top must be from 2 to the number of runs, {n_runs}, got {top}.")
        return studies.best_systems(scores, top, str(by))


def _heading_of(topics: str) -> str:
    return "All topics" if topics == "all" else f"Topics with {topics}"


def topics(asked: Asked) -> Answer:
    """Count documents by topic and grade."""
    return Answer([Part(asked.facts)], asked.qrels.notes(asked.given.negative))


def correlation(asked: Asked) -> Answer:
    """Correlate measures."""
    scores, statistic = asked.scores(asked.measures), asked.given.statistic
    found = studies.correlate(scores, topics=asked.topics, systems=asked.systems)
    draw = partial(found.plot, statistic=statistic)
    return Answer([Part(found, tables=[found._table(statistic)], draw=[draw])], scores._notes())


def thresholds(asked: Asked) -> Answer:
    """Correlate GAP, xGAP and eGAP with other measures."""
    given, top = asked.given, asked.facts.grades[-1]
    if top < 1:
        raise ValueError(f"{asked.qrels.name}: thresholds need grades of 1 or more, got none.")
    fields = {} if given.ties is None else {"ties": given.ties}
    grid = studies.threshold_grid(int(top), given.steps)
    scores = asked.scores([*studies.threshold_measures(grid, **fields), *asked.measures])
    found = studies.sweep_thresholds(scores, topics=asked.topics, systems=asked.systems)
    return Answer([Part(found, tables=[found._table(given.statistic)])], scores._notes())


def incompleteness(asked: Asked) -> Answer:
    """Score runs under reduced pools."""
    given, topics, systems = asked.given, asked.topics, asked.systems
    n_repeats = _REPEATS.get(given.method, 1) if given.repeats is None else given.repeats
    with faults_are_located(asked.qrels):
        found = studies.incompleteness(
            asked.measures,
            asked.qrels,
            given.runs,
            method=given.method,
            rates=given.rates,
            n_repeats=n_repeats,
            by_grade=given.by_grade,
            nested=given.nested,
            target=chosen_measure(given.target, given.ties),
            topics=topics,
            systems=systems,
            random_state=given.seed,
            **asked.rules,
        )
    tables = {name: found._table(given.statistic, name) for name in found.topic_sets}
    if len(tables) > 1:
        for name, table in tables.items():
            tables[name] = table._replace(title=f"{_heading_of(name)}: {table.title}")
    draw = [partial(found.plot, statistic=given.statistic, topics=name) for name in tables]
    return Answer([Part(found, tables=list(tables.values()), draw=draw)], found.notes)


def power(asked: Asked) -> Answer:
    """Test all pairs of systems, for every set of topics and sample of the judgments."""
    given, systems, topics = asked.given, asked.systems, asked.topics
    runs = [run for place, run in enumerate(given.runs) if systems is None or systems[place]]
    parts, notes = [], list(asked.qrels.notes(given.negative))
    for rate, judged in _samples(asked):
        scores = asked.scores_of(runs, asked.measures, judged)
        # A sample's own judgments left out are no news.
        own = judged.notes(given.negative)
        notes += [note for note in scores._notes() if note not in own]
        for name, mask in topics.items():
            labels: dict[str, Any] = {"topics": name} if len(topics) > 1 else {}
            heading = _heading_of(name)
            if rate is not None:
                labels["rate"] = rate
                heading += f", {rate:g}% of the judgments"
            found = studies.discriminative_power(
                scores.select(query=scores.qid[mask].tolist()),
                test=given.test,
                confidence=given.confidence,
                n_resamples=given.resamples,
                random_state=given.seed,
            )
            parts.append(Part(found, labels, heading))
    return Answer(parts, list(dict.fromkeys(notes)))


def _samples(asked: Asked) -> Iterator[tuple[float | None, Qrels]]:
    """Yield the judgments, or samples of them, of which the smaller are parts of the larger."""
    given, qrels = asked.given, asked.qrels
    if given.rates is None:
        yield None, qrels
    for rate in given.rates or []:
        options = {"by_grade": given.by_grade, "random_state": given.seed}
        yield rate, studies.reduce_pool(qrels, rate, **options)


def sensitivity(asked: Asked) -> Answer:
    """Change the document at each rank."""
    given, qrels, run = asked.given, asked.qrels, read_run(asked.given.run_file)
    with faults_are_located(qrels):
        found = studies.sensitivity(
            asked.measures,
            rank(qrels, run, **asked.rules),
            change=given.change,
            pool=given.pool,
            max_rank=given.max_rank,
        )
    on_run = run.coverage(qrels.topics).notes(run.name, is_complete(given))
    return Answer([Part(found)], [*qrels.notes(given.negative), *on_run])


def lists(asked: Asked) -> Answer:
    """Score all lists of some documents."""
    given = asked.given
    found = studies.score_all_lists(asked.names, given.relevant, given.length)
    tables = found._tables()
    if given.show is not None:
        try:
            tables.append(found.at(*given.show.split(","))._table_of_values())
        except KeyError as error:
            raise ValueError(f"--show: {error.args[0]}") from None
    return Answer([Part(found, tables=tables)])


def simulation(asked: Asked) -> Answer:
    """Draw probabilities of relevance, and then judgments."""
    given = asked.given
    if not 0.0 <= given.theta <= 1.0:
        raise ValueError(f"--theta must lie between 0 and 1, got {given.theta}.")
    n_topics = integer("--topics", given.topics, 1)
    n_documents = integer("--documents", given.documents, 1)
    rng = np.random.default_rng(given.seed)
    is_high = rng.random(n_topics * n_documents) < 0.5  # noqa: PLR2004
    found = studies.simulate_judgments(
        asked.names,
        np.where(is_high, given.theta, 1.0 - given.theta),
        np.tile(-np.arange(float(n_documents)), n_topics),
        qid=np.repeat(np.arange(n_topics), n_documents),
        n_repeats=given.repeats,
        random_state=rng,
    )
    return Answer([Part(found)])
