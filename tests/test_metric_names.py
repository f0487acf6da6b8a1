"""Names under which boosters report measures: as strings of measures, or as users choose them."""

import inspect
import warnings
from functools import partial

import lightgbm
import numpy as np
import pytest
import xgboost
from catboost import CatBoostRanker, Pool
from lightgbm import LGBMRanker
from xgboost import XGBRanker

import skgraded.catboost
import skgraded.lightgbm
import skgraded.xgboost
from skgraded import AP, QueryKFold, QueryRanker, nDCG, xGAP
from skgraded.datasets import make_ranking
from skgraded.exceptions import GradeScaleWarning
from skgraded.model_selection._estimators import clone_estimator

NAMED = {"xgap": xGAP(max_grade=4), "ndcg_10": "nDCG@10"}
SPECS = ["xGAP(max_grade=4)", "nDCG@10"]
QUIET = {"n_jobs": 1, "n_estimators": 8, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return make_ranking(n_queries=60, docs_per_query=10, random_state=0)


@pytest.fixture(scope="module")
def sets(data):
    X, y, _ = data
    train = lightgbm.Dataset(X[:400], y[:400], group=[10] * 40, free_raw_data=False)
    valid = lightgbm.Dataset(X[400:], y[400:], group=[10] * 20, reference=train)
    return train, valid


def train_lightgbm(sets, feval, callbacks=(), n_rounds=8):
    params = {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1}
    history = {}
    booster = lightgbm.train(
        params,
        sets[0],
        n_rounds,
        valid_sets=[sets[1]],
        feval=feval,
        callbacks=[*callbacks, lightgbm.record_evaluation(history)],
    )
    return booster, history.get("valid_0")


class TestWhatANameMayBe:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([{"a b": "AP"}], "without white space and colons, got 'a b' in eval_metric"),
            ([{"a:b": "AP"}], "without white space and colons, got 'a:b'"),
            ([{"": "AP"}], "without white space and colons, got ''"),
            ([{3: "AP"}], "without white space and colons, got 3"),
            ([{"a": "AP"}, {"a": "P@3"}], "must differ in eval_metric, got 'a' for AP and for P@3"),
            ([{"P@3": "AP"}, "P@3"], "must differ in eval_metric, got 'P@3' for AP and for P@3"),
            ([{"ndcg@5": "nDCG@5"}], "give metrics of their own, got 'ndcg@5' .* Take 'ndcg_5'"),
            ([{}], "eval_metric needs at least one measure, got none"),
            ([{"a": "APP"}], "Unknown measure 'APP'"),
        ],
    )
    def test_what_is_refused(self, given, message):
        with pytest.raises(ValueError, match=message):
            skgraded.lightgbm.eval_metric(*given)

    def test_a_mapping_warns_of_inferred_grades_as_strings_do(self):
        with pytest.warns(GradeScaleWarning, match="eval_metric got xGAP without max_grade"):
            skgraded.lightgbm.eval_metric({"a": "xGAP"})

    def test_a_metric_shows_the_names(self):
        metric = skgraded.lightgbm.eval_metric({"a": "AP"}, "P@3")
        assert repr(metric) == "eval_metric({'a': 'AP'}, 'P@3')"


class TestLightGBM:
    def test_values_are_those_of_the_strings(self, sets):
        _, by_string = train_lightgbm(sets, skgraded.lightgbm.eval_metric(*SPECS))
        _, by_name = train_lightgbm(sets, skgraded.lightgbm.eval_metric(NAMED))
        assert list(by_name) == list(NAMED)
        assert list(by_string) == SPECS
        assert list(by_name.values()) == list(by_string.values())

    def test_losses_have_the_name_too(self, sets):
        metric = skgraded.lightgbm.eval_metric({"a": "AP"}, as_loss=True)
        assert list(train_lightgbm(sets, metric)[1]) == ["neg_a"]

    def test_early_stopping_watches_the_named_measure(self, sets):
        stop = skgraded.lightgbm.early_stopping({"b": "AP@1"}, 2)
        metric = skgraded.lightgbm.eval_metric({"a": "DCG", "b": "AP@1"})
        booster, history = train_lightgbm(sets, metric, [stop], n_rounds=60)
        plain, _ = train_lightgbm(
            sets, None, [skgraded.lightgbm.early_stopping("AP@1", 2)], n_rounds=60
        )
        assert booster.best_iteration == plain.best_iteration == 1 + np.argmax(history["b"]) < 60
        assert len(history["b"]) == booster.best_iteration + 2

    def test_early_stopping_in_cross_validation(self, data):
        X, y, _ = data
        found = lightgbm.cv(
            {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1},
            lightgbm.Dataset(X, y, group=[10] * 60),
            60,
            folds=QueryKFold(3),
            feval=skgraded.lightgbm.eval_metric({"a": "AP"}),
            callbacks=[skgraded.lightgbm.early_stopping({"a": "AP"}, 2)],
        )
        assert list(found) == ["valid a-mean", "valid a-stdv"]
        assert len(found["valid a-mean"]) < 60

    def test_early_stopping_asks_for_one_measure_by_its_name(self, data):
        with pytest.raises(ValueError, match="early_stopping must be given one measure, got a, b"):
            skgraded.lightgbm.early_stopping({"a": "AP", "b": "RR"}, 3)
        X, y, _ = data
        with pytest.raises(ValueError, match=r"feval=eval_metric\(\{'a': 'AP'\}\)"):
            lightgbm.cv(
                {"objective": "lambdarank", "metric": "None", "verbose": -1},
                lightgbm.Dataset(X, y, group=[10] * 60),
                3,
                folds=QueryKFold(3),
                callbacks=[skgraded.lightgbm.early_stopping({"a": "AP"}, 2)],
            )


class TestXGBoost:
    def train(self, data, **given):
        X, y, _ = data
        train = xgboost.DMatrix(X[:400], y[:400], group=[10] * 40)
        valid = xgboost.DMatrix(X[400:], y[400:], group=[10] * 20)
        params = {"objective": "rank:ndcg", "nthread": 1, "disable_default_eval_metric": True}
        history = {}
        xgboost.train(
            params,
            train,
            6,
            evals=[(valid, "v")],
            evals_result=history,
            verbose_eval=False,
            **given,
        )
        return history

    def test_eval_metric(self, data):
        found = self.train(data, custom_metric=skgraded.xgboost.eval_metric(NAMED))["v"]
        plain = self.train(data, custom_metric=skgraded.xgboost.eval_metric(*SPECS))["v"]
        assert list(found) == list(NAMED)
        assert list(found.values()) == list(plain.values())

    def test_eval_metric_that_would_be_minimised(self, data):
        with pytest.raises(ValueError, match="Early stopping must maximise gain"):
            self.train(
                data,
                custom_metric=skgraded.xgboost.eval_metric({"gain": "nDCG"}),
                early_stopping_rounds=2,
            )

    def test_evaluation_stops_by_the_first_name(self, data):
        X, y, qid = data
        histories = []
        for measures in ([NAMED], SPECS):
            watch = skgraded.xgboost.evaluation(
                *measures, X=X[400:], y=y[400:], qid=qid[400:], rounds=2
            )
            ranker = XGBRanker(**QUIET | {"n_estimators": 60}, callbacks=[watch])
            ranker.fit(X[:400], y[:400], qid=qid[:400], verbose=False)
            histories.append((ranker.best_iteration, ranker.evals_result()["validation"]))
        (best, by_name), (best_by_string, by_string) = histories
        assert best == best_by_string < 57
        assert list(by_name) == list(NAMED)
        assert list(by_name.values()) == list(by_string.values())


class TestCatBoost:
    def test_eval_metric(self, data):
        X, y, qid = data
        sets = (y[:400], qid[:400]), (y[400:], qid[400:])
        metric = skgraded.catboost.eval_metric({"ndcg_10": "nDCG@10"}, *sets)
        ranker = CatBoostRanker(
            iterations=4, eval_metric=metric, thread_count=1, allow_writing_files=False, verbose=0
        )
        valid = Pool(X[400:], y[400:], group_id=qid[400:])
        ranker.fit(X[:400], y[:400], group_id=qid[:400], eval_set=valid)
        assert "ndcg_10" in ranker.get_evals_result()["validation"]

    def test_two_measures(self):
        with pytest.raises(ValueError, match="one measure for CatBoost, got xgap, ndcg_10"):
            skgraded.catboost.eval_metric(NAMED, ([0, 1], [0, 0]))


def evaluated_by_lightgbm(X, y):
    if "eval_X" in inspect.signature(LGBMRanker.fit).parameters:  # LightGBM >= 4.7
        return {"eval_X": X, "eval_y": y}
    return {"eval_set": [(X, y)]}


RANKERS = {
    "lightgbm": LGBMRanker(**QUIET, verbose=-1),
    "xgboost": XGBRanker(**QUIET),
    "catboost": CatBoostRanker(
        iterations=8, thread_count=1, allow_writing_files=False, verbose=0, random_seed=0
    ),
}


class TestQueryRanker:
    @pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
    def test_the_names_are_those_of_the_results(self, data, library):
        X, y, qid = data
        ranker = QueryRanker(
            RANKERS[library], measure="xGAP", validation_fraction=0.3, random_state=0
        )
        plain = ranker.fit(X, y, qid).evals_result_["valid_0"]
        assert ranker.evaluated_measures_ == {"xGAP(max_grade=4)": xGAP(max_grade=4)}
        # An open measure is the ranker's own, once the top grade is known.
        ranker.fit(X, y, qid, eval_metric={"ndcg": "nDCG@10", "xgap": "xGAP"})
        found = ranker.evals_result_["valid_0"]
        assert list(found) == ["xgap", "ndcg"]
        assert found["xgap"] == plain["xGAP(max_grade=4)"]
        assert ranker.evaluated_measures_ == {"xgap": xGAP(max_grade=4), "ndcg": nDCG(k=10)}

    @pytest.mark.parametrize("library", list(RANKERS))
    def test_its_own_measure_under_a_name(self, data, library):
        X, y, qid = data
        ranker = QueryRanker(
            RANKERS[library], measure=AP(), validation_fraction=0.3, early_stopping_rounds=2
        )
        ranker.fit(X, y, qid, eval_metric={"map": "map"})
        assert ranker.best_iteration_ >= 1
        assert "map" in ranker.evals_result_["valid_0"]
        assert "AP" not in ranker.evals_result_["valid_0"]

    def test_a_validation_set_with_a_higher_grade(self, data):
        X, y, qid = data
        low = np.minimum(y, 2)
        ranker = QueryRanker(RANKERS["lightgbm"], measure="xGAP").fit(
            X[:400],
            low[:400],
            qid[:400],
            eval_X=X[400:],
            eval_y=y[400:],
            eval_qid=qid[400:],
            eval_metric={"own": "xGAP", "gap": "GAP"},
        )
        assert [str(each) for each in ranker.evaluated_measures_.values()] == [
            "xGAP(max_grade=4)",
            "GAP(max_grade=4)",
        ]

    def test_a_metric_object_chooses_names_too(self, data):
        X, y, qid = data
        metric = skgraded.lightgbm.eval_metric({"a": "AP", "n": "nDCG@5"})
        ranker = QueryRanker(RANKERS["lightgbm"], measure="AP", validation_fraction=0.3)
        ranker.fit(X, y, qid, eval_metric=metric)
        assert list(ranker.evals_result_["valid_0"]) == ["a", "n"]

    def test_what_is_refused(self, data):
        X, y, qid = data
        ranker = QueryRanker(RANKERS["lightgbm"], measure="AP")
        with pytest.raises(ValueError, match="eval_metric needs validation queries"):
            ranker.fit(X, y, qid, eval_metric={"a": "AP"})
        ranker.set_params(validation_fraction=0.3)
        with pytest.raises(ValueError, match="must differ, got 'AP' for AP and for nDCG"):
            ranker.fit(X, y, qid, eval_metric={"AP": "nDCG"})
        ranker.set_params(estimator=RANKERS["catboost"])
        with pytest.raises(
            ValueError, match="CatBoostRanker, which evaluates one measure, got a, b"
        ):
            ranker.fit(X, y, qid, eval_metric={"a": "AP", "b": "nDCG"})

    def test_a_later_fit_forgets_the_names(self, data):
        X, y, qid = data
        ranker = QueryRanker(RANKERS["lightgbm"], measure="AP", validation_fraction=0.3)
        ranker.fit(X, y, qid, eval_metric={"a": "AP"})
        assert not hasattr(
            ranker.set_params(validation_fraction=None).fit(X, y, qid), "evals_result_"
        )
        assert not hasattr(ranker, "evaluated_measures_")

    def test_a_display_finds_the_measures(self, data):
        pytest.importorskip("matplotlib").use("Agg")
        from skgraded.displays import TrainingDisplay

        X, y, qid = data
        ranker = QueryRanker(
            RANKERS["lightgbm"], measure="AP", validation_fraction=0.3, early_stopping_rounds=3
        )
        ranker.fit(X, y, qid, eval_metric={"a": "AP", "n": "nDCG@5"})
        found = ranker.evals_result_["valid_0"]
        for measure, name in [(None, "a"), ("n", "n"), (nDCG(k=5), "n"), ("AP", "a")]:
            display = TrainingDisplay.from_estimator(ranker, measure=measure)
            assert display.measure == name
            assert display.values.tolist() == found[name]
            assert display.best_iteration == 1 + np.argmax(found["a"])


class TestNamesThatTheLibraryReports:
    """The values of a measure and of the library's own metric would be recorded as one."""

    def test_early_stopping_of_lightgbm(self, data):
        X, y, _ = data
        train = lightgbm.Dataset(X[:400], y[:400], group=[10] * 40)
        valid = lightgbm.Dataset(X[400:], y[400:], group=[10] * 20, reference=train)
        taken = {"auc": "nDCG@5"}
        for own, message in (("auc", "itself reports a metric"), ("None", None)):
            params = {"objective": "lambdarank", "metric": own, "verbose": -1, "num_threads": 1}
            run = partial(
                lightgbm.train,
                params,
                train,
                3,
                valid_sets=[valid],
                feval=skgraded.lightgbm.eval_metric(taken),
                callbacks=[skgraded.lightgbm.early_stopping(taken, 5)],
            )
            if message is None:
                assert run().best_iteration > 0
            else:
                with pytest.raises(ValueError, match=message):
                    run()

    def test_the_callback_of_xgboost(self, data):
        X, y, qid = data
        rows = {"X": X[400:], "y": y[400:], "qid": qid[400:]}
        train = xgboost.DMatrix(X[:400], y[:400], qid=qid[:400])
        valid = xgboost.DMatrix(rows["X"], rows["y"], qid=rows["qid"])
        watch = skgraded.xgboost.evaluation({"rmse": "nDCG@5"}, name="v", **rows)
        params = {"objective": "rank:ndcg", "eval_metric": "rmse", "nthread": 1}
        given = {"verbose_eval": False, "callbacks": [watch]}
        with pytest.raises(ValueError, match="XGBoost itself reports a metric"):
            xgboost.train(params, train, 3, evals=[(valid, "v")], **given)
        xgboost.train(params, train, 3, evals=[(valid, "other")], **given)
        xgboost.train(params, train, 3, **given)  # XGBoost reports nothing without rows

    @pytest.mark.parametrize(
        ("library", "own", "taken"),
        [
            ("lightgbm", {"metric": "l2"}, "l2"),
            ("lightgbm", {"metric": ["ndcg", "l2"]}, "l2"),
            ("xgboost", {"eval_metric": "rmse"}, "rmse"),
            ("xgboost", {"eval_metric": ["ndcg@3", "rmse"]}, "rmse"),
            ("catboost", {"loss_function": "QueryRMSE"}, "QueryRMSE"),
            ("catboost", {"loss_function": "PairLogitPairwise"}, "PairLogit"),
            ("catboost", {"custom_metric": ["MRR"]}, "MRR"),
            ("catboost", {"custom_metric": "MRR"}, "MRR"),
        ],
    )
    def test_query_ranker(self, data, library, own, taken):
        X, y, qid = data
        estimator = clone_estimator(RANKERS[library]).set_params(**own)
        ranker = QueryRanker(estimator, measure="nDCG@5", validation_fraction=0.3)
        with pytest.raises(ValueError, match=rf"^The name {taken!r} of nDCG@5 must be another one"):
            ranker.fit(X, y, qid, eval_metric={taken: "nDCG@5"})
        ranker.fit(X, y, qid, eval_metric={"other": "nDCG@5"})
        assert "other" in ranker.evals_result_["valid_0"]


class TestMLflow:
    """MLflow refuses a batch of metrics if one name has a character that it does not know."""

    @pytest.fixture
    def log(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MLFLOW_ENABLE_ASYNC_LOGGING", "false")
        monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Pydantic and others, at their import
            pytest.importorskip("mlflow", reason="mlflow-skinny is not installed")
            import mlflow
            import mlflow.lightgbm
        # It makes the default experiment in a folder that does not exist yet.
        mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
        mlflow.lightgbm.autolog(log_models=False, log_datasets=False, silent=True)
        yield mlflow
        mlflow.lightgbm.autolog(disable=True)

    def logged(self, mlflow, train):
        with warnings.catch_warnings(), mlflow.start_run() as run:
            warnings.simplefilter("ignore")
            history = train()
        client = mlflow.MlflowClient()
        names = client.get_run(run.info.run_id).data.metrics
        values = {
            name: [each.value for each in client.get_metric_history(run.info.run_id, name)]
            for name in names
        }
        return values, history

    def test_it_logs_chosen_names(self, log, sets):
        metric = skgraded.lightgbm.eval_metric(NAMED)
        values, history = self.logged(log, lambda: train_lightgbm(sets, metric)[1])
        assert values == {f"valid_0-{name}": each for name, each in history.items()}

    def test_it_logs_the_names_that_a_query_ranker_is_given(self, log, data):
        X, y, qid = data
        ranker = QueryRanker(RANKERS["lightgbm"], measure="xGAP", validation_fraction=0.3)

        def train():
            ranker.fit(X, y, qid, eval_metric={"xgap": "xGAP", "ndcg_10": "nDCG@10"})
            return ranker.evals_result_["valid_0"]

        values, history = self.logged(log, train)
        assert values == {f"valid_0-{name}": each for name, each in history.items()}

    def test_it_drops_strings_of_measures(self, log, sets):
        metric = skgraded.lightgbm.eval_metric(*SPECS)
        values, history = self.logged(log, lambda: train_lightgbm(sets, metric)[1])
        assert len(history) == 2
        assert values == {}
