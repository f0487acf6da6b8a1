"""eval_metric: one object for LGBMRanker.fit, lightgbm.train and lightgbm.cv."""

import copy
import inspect
import pickle
import re

import lightgbm
import numpy as np
import pytest
from lightgbm import LGBMRanker

from skgraded import AP, QueryKFold, evaluate, nDCG, xGAP
from skgraded.datasets import make_ranking
from skgraded.exceptions import GradeScaleWarning
from skgraded.lightgbm import early_stopping, eval_metric
from skgraded.rankings import Judgments

X, Y, QID = make_ranking(n_queries=40, docs_per_query=(3, 20), random_state=0)
TRAIN = QID < 25
SIZES, VALID_SIZES = np.bincount(QID[TRAIN]), np.bincount(QID[~TRAIN])[25:]
MEASURES = (xGAP(max_grade=4, k=10), nDCG(k=5), AP())
NAMES = [str(each) for each in MEASURES]
PARAMS = {
    "objective": "lambdarank",
    "metric": "None",
    "num_leaves": 7,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}
# LightGBM 4.7 renamed its evaluation arguments.
HAS_EVAL_X = "eval_X" in inspect.signature(LGBMRanker.fit).parameters


def ranker(**params):
    settings = {"n_estimators": 8, "num_leaves": 7, "n_jobs": 1, "verbose": -1, "metric": "None"}
    return LGBMRanker(**{**settings, "deterministic": True, **params})


def fit(metric, model=None, weight=None, **params):
    rows = X[~TRAIN], Y[~TRAIN]
    evaluated = {"eval_X": rows[0], "eval_y": rows[1]} if HAS_EVAL_X else {"eval_set": [rows]}
    if weight is not None:
        params["eval_sample_weight"] = [weight[~TRAIN]]
    return (model or ranker()).fit(
        X[TRAIN],
        Y[TRAIN],
        group=SIZES,
        eval_group=[VALID_SIZES],
        eval_metric=metric,
        **evaluated,
        **params,
    )


def data_sets(**params):
    train = lightgbm.Dataset(X[TRAIN], Y[TRAIN], group=SIZES, **params)
    return train, train.create_valid(X[~TRAIN], Y[~TRAIN], group=VALID_SIZES)


def train(metric, n_iterations=8, params=PARAMS, **settings):
    history = {}
    training, validation = data_sets()
    callbacks = [lightgbm.record_evaluation(history), *settings.pop("callbacks", [])]
    booster = lightgbm.train(
        params,
        training,
        n_iterations,
        valid_sets=[training, validation],
        valid_names=["train", "valid"],
        feval=metric,
        callbacks=callbacks,
        **settings,
    )
    return booster, history


def counting_layouts(monkeypatch):
    calls = []
    lay_out = Judgments.from_groups.__func__

    def counted(cls, *args):
        calls.append(len(args[0]))
        return lay_out(cls, *args)

    monkeypatch.setattr(Judgments, "from_groups", classmethod(counted))
    return calls


def test_the_sklearn_api_reports_what_the_measures_give():
    fitted = fit(eval_metric(*MEASURES))
    seen = fitted.evals_result_["valid_0"]
    assert list(seen) == NAMES
    for i in range(8):
        scores = fitted.predict(X[~TRAIN], num_iteration=i + 1)
        means = evaluate(MEASURES, Y[~TRAIN], scores, qid=QID[~TRAIN]).mean()
        assert {name: seen[name][i] for name in NAMES} == means


def test_both_apis_report_the_same_numbers():
    in_fit = fit(eval_metric(*MEASURES)).evals_result_["valid_0"]
    _, history = train(eval_metric(*MEASURES))
    assert dict(history["valid"]) == dict(in_fit)
    assert list(history["train"]) == NAMES


def test_cross_validation_reports_the_same_numbers():
    metric = eval_metric(*MEASURES)
    rows = np.arange(TRAIN.sum())
    folds = list(QueryKFold(3).split(rows, groups=QID[TRAIN]))
    data = lightgbm.Dataset(X[TRAIN], Y[TRAIN], group=SIZES, free_raw_data=False)
    found = lightgbm.cv(PARAMS, data, 5, folds=folds, feval=metric, return_cvbooster=True)
    by_splitter = lightgbm.cv(PARAMS, data, 5, folds=QueryKFold(3), feval=metric)
    assert by_splitter == {name: each for name, each in found.items() if name != "cvbooster"}

    boosters = found.pop("cvbooster").boosters
    prefix = next(key for key in found if key.endswith("AP-mean")).removesuffix("AP-mean")
    for i in range(5):
        means = [
            evaluate(
                MEASURES, Y[test], booster.predict(X[test], num_iteration=i + 1), qid=QID[test]
            ).mean()
            for booster, (_, test) in zip(boosters, folds, strict=True)
        ]
        for name in NAMES:
            mean = np.mean([each[name] for each in means])
            assert found[f"{prefix}{name}-mean"][i] == pytest.approx(mean, rel=1e-12)


def test_lightgbms_own_ndcg_is_reproduced():
    measures = [nDCG(gain="exp2", ties="row_order", empty=1.0, k=k) for k in (1, 3)]
    _, history = train(
        eval_metric(*measures), params={**PARAMS, "metric": "ndcg", "eval_at": [1, 3]}
    )
    for name in ("train", "valid"):
        seen = history[name]
        for k, each in zip((1, 3), measures, strict=True):
            np.testing.assert_allclose(seen[str(each)], seen[f"ndcg@{k}"], rtol=1e-6)


def test_weights_weigh_queries():
    weight = np.where(QID % 2, 4.0, 1.0)
    fitted = fit(eval_metric(MEASURES[0]), weight=weight)
    expected = MEASURES[0](
        Y[~TRAIN], fitted.predict(X[~TRAIN]), qid=QID[~TRAIN], sample_weight=weight[~TRAIN]
    )
    assert fitted.evals_result_["valid_0"][NAMES[0]][-1] == expected


def test_first_measure_can_stop_the_training():
    metric = eval_metric(*MEASURES)
    stop = lightgbm.early_stopping(5, first_metric_only=True, verbose=False)
    fitted = fit(metric, ranker(n_estimators=80), callbacks=[stop])
    seen = fitted.evals_result_["valid_0"][NAMES[0]]
    assert fitted.best_iteration_ == 1 + np.argmax(seen)
    assert len(seen) == fitted.best_iteration_ + 5


def test_lightgbm_counts_four_parameters():
    assert len(inspect.signature(eval_metric("AP")).parameters) == 4


def test_values_are_plain_and_say_which_way_is_better():
    ((name, value, greater_is_better),) = eval_metric("AP")(Y, -Y, None, np.bincount(QID))
    assert name == "AP"
    assert type(value) is float
    assert greater_is_better is True


# What the labels determine


def test_labels_are_laid_out_once_for_each_data_set(monkeypatch):
    calls = counting_layouts(monkeypatch)
    fit(eval_metric(*MEASURES))
    assert calls == [(~TRAIN).sum()]
    calls.clear()
    train(eval_metric(*MEASURES))
    assert sorted(calls) == sorted([TRAIN.sum(), (~TRAIN).sum()])
    calls.clear()
    data = lightgbm.Dataset(X[TRAIN], Y[TRAIN], group=SIZES)
    lightgbm.cv(
        PARAMS, data, 4, folds=QueryKFold(5), feval=eval_metric("AP"), eval_train_metric=True
    )
    assert len(calls) == 10


def test_labels_that_change_in_place_are_noticed():
    metric = eval_metric("AP")
    group = np.array([3, 2])
    labels, scores = np.array([1.0, 0, 0, 1, 0]), np.array([3.0, 2, 1, 2, 1])
    weight = np.ones(5)
    assert metric(labels, scores, weight, group)[0][1] == 1.0
    labels[:] = [0, 1, 0, 0, 1]
    assert metric(labels, scores, weight, group)[0][1] == 0.5
    labels[:] = [0, 1, 0, 1, 0]
    assert metric(labels, scores, weight, group)[0][1] == 0.75
    weight[:3] = 3
    assert metric(labels, scores, weight, group)[0][1] == 0.625
    group[:] = [4, 1]
    assert metric(labels, scores, weight, group)[0][1] == pytest.approx(
        (1 / 2 + 2 / 3) / 2 * 2.5 / 3.5
    )


def test_a_data_set_is_forgotten_when_it_is_gone():
    metric = eval_metric("AP")
    for n_queries in range(2, 30):
        labels = np.tile([1.0, 0.0], n_queries)
        metric(labels, labels, None, np.full(n_queries, 2))
    assert len(metric._judged._sets) <= 2


def test_one_buffer_holds_one_data_set():
    metric = eval_metric("AP")
    labels = np.zeros(4)
    for i in range(4):
        labels[i] = 1
        metric(labels, labels, None, np.array([2, 2]))
    assert len(metric._judged._sets) == 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_give_the_same_values_and_leave_the_data_behind(copied):
    metric = eval_metric(*MEASURES, n_threads=2)
    arguments = Y.astype(np.float32), X[:, 0], None, np.bincount(QID)
    expected = metric(*arguments)
    again = copied(metric)
    assert len(metric._judged._sets) == 1
    assert len(again._judged._sets) == 0
    assert again.named == tuple((str(each), each) for each in MEASURES)
    assert again._evaluator.n_threads == 2
    assert again(*arguments) == expected


def test_a_metric_counts_the_processors_where_it_evaluates():
    metric = pickle.loads(pickle.dumps(eval_metric("nDCG@5", n_threads=-1)))
    assert metric._evaluator.n_threads == -1


def test_the_repr_names_the_measures():
    assert repr(eval_metric(*MEASURES)) == "eval_metric('xGAP(max_grade=4)@10', 'nDCG@5', 'AP')"


# Bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([1, 0], [1, 0], None, [3]),
            r"group must hold .* sizes add up to 3, but there are 2 rows",
        ),
        (([1, 0], [1, 0], None, [3, -1]), "group must hold query sizes, integers >= 0, got -1"),
        (([1, 0], [np.nan, 0], None, [2]), "y_score must be finite, got nan in row 0"),
        (([1, 0], [0, np.inf], None, [2]), "y_score must be finite, got inf in row 1"),
        (([1, 0], [[1, 0]], None, [2]), "y_score must be one-dimensional"),
        (([-1, 0], [1, 0], None, [2]), "y_true must hold grades >= 0, got -1"),
        (([1, 0], [1, 0]), r"query sizes are missing \(group=None\)"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        eval_metric("AP")(*arguments)


def test_missing_groups_say_why():
    def two_parameters(y_true, y_pred):
        return eval_metric("AP")(y_true, y_pred)

    with pytest.raises(ValueError, match="exactly four parameters: pass eval_metric"):
        fit(two_parameters)
    plain = lightgbm.Dataset(X, Y)
    with pytest.raises(ValueError, match=r"lightgbm\.Dataset\(\.\.\., group=\.\.\.\)"):
        lightgbm.train(
            {**PARAMS, "objective": "l2"}, plain, 2, valid_sets=[plain], feval=eval_metric("AP")
        )


def test_an_undefined_mean_is_an_error_and_no_nan():
    metric = eval_metric("nDCG@5", nDCG(k=5, empty=float("nan")))
    with pytest.raises(
        ValueError, match=r"nDCG\(empty=nan\)@5 has no value.*none of its 2 queries"
    ):
        metric([0, 0, 0], [1, 2, 3], None, [2, 1])
    with pytest.raises(ValueError, match="nDCG@5 has no value"):
        metric([1, 0, 0], [1, 2, 3], [0, 0, 0], [2, 1])
    assert metric([1, 0, 0], [2, 1, 0], None, [2, 1])[1][1] == 1.0


def test_bad_measures_and_threads_are_refused():
    with pytest.raises(ValueError, match="eval_metric needs at least one measure"):
        eval_metric()
    with pytest.raises(ValueError, match="Did you mean 'nDCG'"):
        eval_metric("NDGC")
    with pytest.raises(ValueError, match=r"n_threads must be an integer from 1 .* got 0"):
        eval_metric("AP", n_threads=0)


def test_an_open_top_grade_warns():
    with pytest.warns(
        GradeScaleWarning, match="eval_metric got xGAP@10 without max_grade"
    ) as caught:
        metric = eval_metric("xGAP@10", "AP")
    assert caught[0].filename == __file__
    named = xGAP(k=10, max_grade=int(Y.max()))
    assert metric(Y, Y, None, np.bincount(QID))[0][1] == named(Y, Y, qid=QID)


class TestEarlyStopping:
    """early_stopping(measure, rounds) watches its measure and nothing else."""

    ROUNDS = 3

    def history(self):
        """Return the measure after every iteration of a training that does not stop."""
        return train(eval_metric(MEASURES[0]), 60)[1]["valid"][NAMES[0]]

    def best_by_hand(self, values, min_delta=0.0):
        best = 0
        for iteration, value in enumerate(values):
            if value > values[best] + min_delta:
                best = iteration
            if iteration - best >= self.ROUNDS:
                return best + 1
        raise AssertionError("the training does not stop")

    @pytest.mark.parametrize(
        "feval", [None, eval_metric(*MEASURES[::-1]), eval_metric(MEASURES[1])]
    )
    @pytest.mark.parametrize("metric", ["None", "ndcg", "map"])
    def test_other_metrics_have_no_influence(self, feval, metric):
        iterations = []
        booster, _ = train(
            feval,
            60,
            params={**PARAMS, "metric": metric},
            callbacks=[
                lambda env: iterations.append(env.iteration),
                early_stopping(MEASURES[0], self.ROUNDS),
            ],
        )
        history = self.history()
        expected = self.best_by_hand(history)
        assert booster.best_iteration == expected
        assert len(iterations) == expected + self.ROUNDS
        assert booster.best_score["valid"] == {NAMES[0]: history[expected - 1]}

    def test_an_improvement_exceeds_min_delta(self):
        stop = early_stopping(NAMES[0], self.ROUNDS, min_delta=0.05)
        booster, _ = train(None, 60, callbacks=[stop])
        expected = self.best_by_hand(self.history(), 0.05)
        assert booster.best_iteration == expected != self.best_by_hand(self.history())

    def test_serves_the_sklearn_api_and_several_fits(self):
        stop = early_stopping(NAMES[0], self.ROUNDS)
        expected = self.best_by_hand(self.history())
        for _ in range(2):
            model = fit(None, ranker(n_estimators=60, metric="ndcg"), callbacks=[stop])
            assert model.best_iteration_ == expected

    def test_cross_validation_needs_the_metric(self):
        rows = data_sets(free_raw_data=False)[0]
        settings = {"folds": QueryKFold(3), "num_boost_round": 60, "callbacks": []}
        settings["callbacks"] = [early_stopping(NAMES[0], self.ROUNDS)]
        found = lightgbm.cv(PARAMS, rows, feval=eval_metric(MEASURES[0]), **settings)
        (values,) = (each for name, each in found.items() if name.endswith("-mean"))
        assert len(values) < 60
        with pytest.raises(ValueError, match=re.escape(f"pass feval=eval_metric('{NAMES[0]}') to")):
            lightgbm.cv(PARAMS, rows, **settings)

    def test_a_validation_set_is_needed(self):
        with pytest.raises(ValueError, match="needs a validation set: pass eval_set"):
            lightgbm.train(PARAMS, data_sets()[0], 3, callbacks=[early_stopping("AP", 2)])

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("AP", 0), "rounds must be an integer >= 1, got 0."),
            (("AP", True), "rounds must be an integer >= 1, got True."),
            (("APP", 3), "APP"),
        ],
    )
    def test_bad_arguments_are_refused(self, arguments, message):
        with pytest.raises(ValueError, match=re.escape(message)):
            early_stopping(*arguments)
        with pytest.raises(ValueError, match="min_delta must be a finite number >= 0, got -1"):
            early_stopping("AP", 3, min_delta=-1)

    def test_prints_as_it_is_written(self):
        assert repr(early_stopping("AP", 3)) == "early_stopping('AP', 3)"
