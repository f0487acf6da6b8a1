"""Facts about test collections, by which studies select topics and systems."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._support.arguments import integer, number
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.results_base import Field, Result, Table
from skgraded.studies._scored_systems import scored_systems
from skgraded.trec import Qrels, read_qrels


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TopicFacts(Result):
    """Numbers of judged documents by topic and grade.

    `to_frame` has one row per topic, with the columns topic and R(0), R(1), ....

    Attributes
    ----------
    topics : ndarray of shape (n_topics,)
        Topic ids.
    grades : ndarray of shape (n_grades,)
        The grades, ascending, 0 first.
    counts : ndarray of shape (n_topics, n_grades)
        R(k): number of judged documents of each grade.
    """

    topics: NDArray[Any]
    grades: FloatArray
    counts: IntArray

    @property
    def n_relevant(self) -> IntArray:
        """Number of relevant documents of each topic: all those above grade 0."""
        counts_above_zero = self.counts[:, 1:]
        return counts_above_zero.sum(axis=1)

    def of_grade(self, grade: float) -> IntArray:
        """Count the documents of a grade.

        Parameters
        ----------
        grade : float
            The grade.

        Returns
        -------
        ndarray of shape (n_topics,), int64
            R(grade) of each topic.
        """
        columns = np.flatnonzero(self.grades == grade)
        if not len(columns):
            n_topics = len(self.topics)
            return np.zeros(n_topics, np.int64)
        return self.counts[:, columns[0]]

    def few(self, grade: float, ratio: float = 10.0) -> BoolArray:
        """Find the topics with few documents of a grade in comparison with grade 1.

        Parameters
        ----------
        grade : float
            The grade k.
        ratio : float, default=10
            A topic has few of them if R(1) >= ratio * R(k) and R(k) > 0.

        Returns
        -------
        ndarray of shape (n_topics,), bool
            Mask of the topics with few.
        """
        number("ratio", ratio, above=0.0)
        n_documents = self.of_grade(grade)
        many = ratio * n_documents
        are_few = self.of_grade(1) >= many
        return (n_documents > 0) & are_few

    def _fields(self) -> list[Field]:
        fields = [Field("topic", self.topics)]
        for grade, n_documents in zip(self.grades, self.counts.T, strict=True):
            heading = f"R({grade:g})"
            fields.append(Field(heading, n_documents))
        return fields

    def _table(self) -> Table:
        relevant = self.n_relevant
        facts = {
            "topics": f"{len(self.topics)}",
            "grades": " ".join(f"{grade:g}" for grade in self.grades),
            "fewest relevant": f"{relevant.min()}",
            "mean relevant": f"{relevant.mean():.2f}",
            "most relevant": f"{relevant.max()}",
        }
        for grade in self.grades[self.grades > 1]:
            facts[f"topics with few of grade {grade:g}"] = f"{self.few(grade).sum()}"
        columns = [
            Field("fact", list(facts), ""),
            Field("value", list(facts.values()), ""),
        ]
        return Table(columns, widest_label=40)

    def __repr__(self) -> str:
        text = super().__repr__()
        return text.lstrip("\n")  # the columns have no headings


def topic_facts(qrels: Any) -> TopicFacts:
    """Count the judged documents of each topic by grade.

    Negative grades count as grade 0, except -1, which marks a document that was not judged.

    Parameters
    ----------
    qrels : Qrels, path or file
        The judgments, or anything that `skgraded.trec.read_qrels` reads.

    Returns
    -------
    TopicFacts
        The numbers.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision to
       Graded Relevance", Section 6 and Table 1.

    Examples
    --------
    >>> from skgraded.studies import topic_facts
    >>> facts = topic_facts({"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "b": 1}})
    >>> facts.n_relevant
    array([2, 2])
    >>> facts.few(2, ratio=1)
    array([ True, False])
    """
    judgments = read_qrels(qrels)
    was_sampled = judgments.grades != Qrels.UNSAMPLED

    # Grade 0 always has a column.
    grades_from_zero = np.maximum(judgments.grades, 0.0)
    grades_and_zero = np.append(grades_from_zero, 0.0)
    grades, column_and_zero = np.unique(grades_and_zero, return_inverse=True)
    column = column_and_zero[:-1]

    n_topics = judgments.n_topics
    n_grades = len(grades)

    topic = judgments.topic_of_document()
    cell = topic * n_grades + column
    counts = np.bincount(cell[was_sampled], minlength=n_topics * n_grades)
    counts_by_topic = counts.reshape(n_topics, n_grades)
    return TopicFacts(judgments.topics, grades, counts_by_topic)


def above_first_quartile(scores: Any, measure: str = "AP") -> BoolArray:
    """Find the systems above the first quartile of a mean, to leave out poor ones.

    Parameters
    ----------
    scores : Scores or mapping
        Scores that hold the measure.
    measure : str, default="AP"
        The measure whose means are compared.

    Returns
    -------
    ndarray of shape (n_systems,), bool
        Mask of the systems above the first quartile.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.studies import above_first_quartile
    >>> above_first_quartile({"AP": np.array([[0.1], [0.2], [0.3], [0.4]])})
    array([False,  True,  True,  True])
    """
    means = _signed_means(scores, measure)
    return means > np.nanquantile(means, 0.25)


def best_systems(scores: Any, n_systems: int = 30, measure: str = "AP") -> BoolArray:
    """Find the systems with the best means.

    Parameters
    ----------
    scores : Scores or mapping
        Scores that hold the measure.
    n_systems : int, default=30
        The number of systems, which is 30 in Sakai's studies [1]_.
    measure : str, default="AP"
        The measure whose means are compared.

    Returns
    -------
    ndarray of shape (n_systems,), bool
        Mask of the best systems. Of equally good ones the first are taken.

    Raises
    ------
    ValueError
        If there are fewer systems.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       Section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.studies import best_systems
    >>> best_systems({"AP": np.array([[0.1], [0.4], [0.3], [0.2]])}, 2)
    array([False,  True,  True, False])
    """
    means = _signed_means(scores, measure)
    integer("n_systems", n_systems, 1)
    if n_systems > len(means):
        raise ValueError(
            f"n_systems must be at most the number of systems, {len(means)}, got {n_systems}."
        )
    best_first = np.argsort(-means, kind="stable")  # nan comes last
    is_best = np.zeros(len(means), dtype=bool)
    is_best[best_first[:n_systems]] = True
    return is_best


def _signed_means(scores: Any, measure: str) -> FloatArray:
    """Return the mean of each system, negated if lower values are better."""
    study_scores = scored_systems(scores)[measure]
    (direction,) = study_scores.directions
    return study_scores.means * direction


def n_topics_of(masks: Mapping[str, BoolArray]) -> tuple[int, ...]:
    """Return the number of topics in each set."""
    return tuple(int(mask.sum()) for mask in masks.values())


def topic_sets(
    n_topics: int, topics: Mapping[str, ArrayLike] | None
) -> dict[str, BoolArray]:
    """Check sets of topics, given as masks by name; without any, the set is all topics."""
    if topics is None:
        return {"all": np.ones(n_topics, dtype=bool)}

    masks = {}
    for name, topics_of_set in topics.items():
        mask = np.asarray(topics_of_set)
        if mask.dtype != bool or mask.shape != (n_topics,):
            raise ValueError(
                f"topics[{name!r}] must be a mask of shape ({n_topics},), got {mask.dtype} of "
                f"shape {mask.shape}."
            )
        if not mask.any():
            raise ValueError(
                f"topics[{name!r}] must hold at least one topic, got none."
            )
        masks[name] = mask
    return masks
