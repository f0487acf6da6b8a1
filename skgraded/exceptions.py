"""Warnings and errors of skgraded."""


class SkgradedWarning(UserWarning):
    """Base class of all warnings of skgraded."""


class GradeScaleWarning(SkgradedWarning):
    """The scale of grades that a measure is made for is not that of the labels.

    The top grade is taken from the data, so that it may differ between the data sets that are
    scored; labels are above the top grade of the training labels; ``g`` reaches beyond the scale or
    has an entry for grade 0; no label reaches the threshold ``rel`` of a binary measure, or all do;
    or feedback does not tell some grades apart, which then share a probability.
    """


class LongQueryWarning(SkgradedWarning):
    """All pairs of a query with very many documents are counted, in every iteration of a training.

    Twice the documents take four times as long; a ``truncation_level`` avoids that.
    """


class UndefinedMeanWarning(SkgradedWarning):
    """A mean is undefined, because no query has a value and a positive weight."""


class QueryLeakWarning(SkgradedWarning):
    """A ranker is scored on queries that it was trained on, or a judge on labels that it has seen.

    It ranks its training rows, and other documents of the same queries, better than those of a new
    query. The score is too high, and more so for larger models, so that it shows neither how good a
    ranker is nor which of two is better.
    """


class QueryIdsWarning(SkgradedWarning):
    """Ids are missing, look like something else, or are not those of the other file.

    Hardly any document of a run is judged where its ids are those of another collection.
    Without ids all rows are one list. Group sizes merge all queries of one size. Row numbers leave
    every query with a single document, whose value does not depend on its score.
    """


class CutQueriesWarning(SkgradedWarning):
    """Queries do not have the rows that they have in the data set.

    A ranker that is trained on some rows of a query learns from parts of lists. A query that is
    scored on some of its documents is easier to rank than the whole query, so that the score is too
    high. Folds of rows, halving searches with ``resource="n_samples"`` and
    ``permutation_importance(max_samples=...)`` leave documents out. Rows may also occur twice, as
    in a bootstrap sample, or the column of query ids may be shuffled or transformed.
    """


class MissingInitialScoresWarning(SkgradedWarning):
    """A ranker that was fitted with initial scores predicts without them.

    The model has learned what to add to ``init_score``, ``base_margin`` or ``baseline``; what it
    predicts without them is only that addition.
    """


class ConstantValueWarning(SkgradedWarning):
    """All rankings, models or documents have one value, so that nothing tells which is better.

    A measure has the same value for every ranking of the queries that it watches or scores; no
    training query has documents of different grades; or a fitted ranker gives all documents of a
    query one score.
    """


class SwappedArgumentsWarning(SkgradedWarning):
    """Grades look like scores and scores like grades, or scores like ranks, where 1 is the best."""


class IdColumnWarning(SkgradedWarning):
    """A feature holds the query ids or the labels, so that the ranker learns from them.

    Ids of other queries say nothing about them, and trees split on them all the same. Labels are
    what is to be predicted, and new documents have none.
    """


class UnhelpfulJudgeWarning(SkgradedWarning):
    """By no measure the labels of a judge make intervals narrower than human labels alone."""


class UnlikeQueriesWarning(SkgradedWarning):
    """Queries that should be alike do not look so.

    Those with human labels do not look as if they were drawn from those of the judge, and what both
    labels tell about the judge's bias there need not hold for the other queries. Or the features of
    validation queries lie beyond those of the training queries, as if they were not transformed.
    """


class UnjudgedDocumentsWarning(SkgradedWarning):
    """The documents of one system are judged less than those of another one.

    Labels that were collected for one system favour it: what it alone shows is judged, and what the
    other one alone shows counts as not relevant. So a verdict in its favour is not taken.
    """


class FewFeedbackWarning(SkgradedWarning):
    """The thresholds g are estimated from too few clusters of feedback."""


class UserModelWarning(SkgradedWarning):
    """Feedback contradicts the user model by more than chance explains.

    A higher grade satisfies less often, the clicks in a log are not those that its reader expects,
    or documents seem to have been judged because they were clicked. Neither g nor its intervals
    mean much then.
    """


class MissingClustersWarning(SkgradedWarning):
    """Sessions share queries, and the estimation of g is not told so.

    Sessions on one query show the same documents, and sessions of one user have one threshold.
    Intervals over sessions are then too short: pass ``query=`` and ``user=``.
    """


class WorkerLostError(RuntimeError):
    """A worker of a training is gone, or has not answered in time.

    Examples
    --------
    >>> from skgraded.exceptions import WorkerLostError
    >>> try:  # doctest: +SKIP
    ...     ranker.fit(X, y, group=group, callbacks=callbacks)
    ... except WorkerLostError:
    ...     client.restart()
    """


__all__ = [name for name in dir() if not name.startswith("_")]
