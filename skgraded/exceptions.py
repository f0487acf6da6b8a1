"""Warnings and errors of skgraded, each of a class of its own."""

__all__ = [
    "CutQueriesWarning",
    "FewDifferencesWarning",
    "FewFeedbackWarning",
    "GroupSizesWarning",
    "IdColumnWarning",
    "IndistinctGradesWarning",
    "InferredGradesWarning",
    "LongQueryWarning",
    "MissingClustersWarning",
    "MissingInitialScoresWarning",
    "MissingQueryIdsWarning",
    "OtherMetricWarning",
    "QueryLeakWarning",
    "RowNumbersWarning",
    "SingleDocumentsWarning",
    "SkgradedWarning",
    "SwappedArgumentsWarning",
    "ThinnedQueriesWarning",
    "TrainingQueriesWarning",
    "UndefinedMeanWarning",
    "UnhelpfulJudgeWarning",
    "UnlikeQueriesWarning",
    "UnreachedThresholdWarning",
    "UnseenGradeWarning",
    "UntransformedRowsWarning",
    "UnusedThresholdWarning",
    "UserModelWarning",
    "WorkerLostError",
]


class SkgradedWarning(UserWarning):
    """Base class of all warnings of skgraded."""


class InferredGradesWarning(SkgradedWarning):
    """A measure takes the top grade of its scale from the data.

    The top grade can differ between the data sets that are scored, and with it the measure. Calls
    with arrays, scorers and callbacks warn of any labels, and everything else of continuous ones.
    """


class LongQueryWarning(SkgradedWarning):
    """All pairs of a query with very many documents are counted, in every iteration of a training.

    Twice the documents take four times as long; a ``truncation_level`` avoids that.
    """


class UndefinedMeanWarning(SkgradedWarning):
    """A mean is undefined, because no query has a value and a positive weight."""


class QueryLeakWarning(SkgradedWarning):
    """Documents of the same query are in both the training rows and the scored rows.

    A model that was trained on some documents of a query ranks the others better than those of a
    new query, so the score is too high.
    """


class TrainingQueriesWarning(SkgradedWarning):
    """A ranker is judged on the rows that it was trained on.

    Its values there are higher than on new queries, and more so for larger models, so that they
    show neither how good it is nor which of two rankers is better.
    """


class SingleDocumentsWarning(SkgradedWarning):
    """Query ids differ in every row, as row numbers do, so that there is nothing to rank.

    The value of a query with a single document does not depend on its score.
    """


class ThinnedQueriesWarning(SkgradedWarning):
    """Queries are scored on only some of their documents.

    A short list is easier to rank than a long one, so that the score is too high, and not
    comparable with that of whole queries. Folds of rows, halving searches with
    ``resource="n_samples"`` and ``permutation_importance(max_samples=...)`` leave documents out.
    """


class CutQueriesWarning(SkgradedWarning):
    """Queries do not have the rows that they have in the data set.

    Either rows are missing where a ranker is trained or queries are split, so that it learns from
    parts of lists; or rows occur twice, as in a bootstrap sample; or the column of query ids itself
    is shuffled or transformed.
    """


class UnreachedThresholdWarning(SkgradedWarning):
    """No label reaches the threshold ``rel`` of a binary measure, so that nothing is relevant."""


class UnseenGradeWarning(SkgradedWarning):
    """The scored rows hold a higher grade than the training rows, which determined the scale."""


class MissingInitialScoresWarning(SkgradedWarning):
    """A ranker that was fitted with initial scores predicts without them.

    The model has learned what to add to ``init_score``, ``base_margin`` or ``baseline``; what it
    predicts without them is only that addition.
    """


class MissingQueryIdsWarning(SkgradedWarning):
    """There are no query ids where a single query is unlikely, so that all rows are one list."""


class UntransformedRowsWarning(SkgradedWarning):
    """Validation rows go past the transformers of the Pipeline that a ranker stands at the end of.

    A Pipeline transforms X for its last step, and hands other arguments on as they are. The measure
    then watches features that the model was not trained on.
    """


class UnusedThresholdWarning(SkgradedWarning):
    """The threshold distribution g reaches beyond the scale, or has an entry for grade 0."""


class GroupSizesWarning(SkgradedWarning):
    """Query ids look like group sizes, which would merge all queries of the same size."""


class SwappedArgumentsWarning(SkgradedWarning):
    """Grades look like scores and scores like grades, as if they were passed in the other order."""


class IdColumnWarning(SkgradedWarning):
    """A feature holds the query ids, so that the ranker learns from the numbers of queries.

    Ids of other queries say nothing about them, and trees split on them all the same.
    """


class OtherMetricWarning(SkgradedWarning):
    """A tool of scikit-learn chooses by a metric that knows of no queries, such as R2."""


class RowNumbersWarning(SkgradedWarning):
    """Row numbers are given to a fold, which has other rows than those that were numbered."""


class FewDifferencesWarning(SkgradedWarning):
    """Two systems differ in no query, or in too few to tell how rare and large differences are.

    P-values then err more often than they say, whatever the test, and intervals where differences
    vary in size. Where no query differs, the interval says how many others may.
    """


class UnhelpfulJudgeWarning(SkgradedWarning):
    """By no measure the labels of a judge make intervals narrower than human labels alone."""


class UnlikeQueriesWarning(SkgradedWarning):
    """The queries with human labels do not look as if they were drawn from those of the judge.

    What both labels tell about the judge's bias there need not hold for the other queries.
    """


class FewFeedbackWarning(SkgradedWarning):
    """The thresholds g are estimated from too few clusters of feedback."""


class IndistinctGradesWarning(SkgradedWarning):
    """Feedback does not tell some grades apart, whose thresholds share a probability.

    Either documents of a grade are never shown, or a higher grade does not satisfy more often.
    """


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
