"""Models in the file formats of their libraries, read back by the libraries and by a converter."""

import warnings

import lightgbm
import numpy as np
import pytest
from boosters import N_TREES, cat, lgbm, xgb
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import QueryRanker
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective

X, Y, QID = make_ranking(n_queries=40, docs_per_query=20, random_state=0)
X = X.astype(np.float32)


def ranker(estimator, **params):
    return QueryRanker(estimator, measure="nDCG@10", **params)


def stopped(estimator):
    params = {"validation_fraction": 0.3, "early_stopping_rounds": 3, "random_state": 0}
    fitted = ranker(estimator, **params).fit(X, Y, QID)
    assert fitted.best_iteration_ < N_TREES
    return fitted


class Margins:
    """An objective of a user's own, in the form that LightGBM asks for."""

    def __call__(self, y_true, y_pred):
        return y_pred - y_true, np.ones_like(y_pred)


LIGHTGBM = {
    "ours": (lgbm(objective=objective("nDCG")), "lambdarank"),
    "a user's": (lgbm(LGBMRegressor, objective=Margins()), "regression"),
    "lambdarank": (lgbm(), "lambdarank"),
    "rank_xendcg": (lgbm(objective="rank_xendcg"), "rank_xendcg"),
    "poisson": (lgbm(LGBMRegressor, objective="poisson"), "poisson"),
}


@pytest.mark.parametrize("name", LIGHTGBM)
@pytest.mark.parametrize("stops", [False, True])
def test_lightgbm_reads_its_file(tmp_path, name, stops):
    estimator, written = LIGHTGBM[name]
    fitted = stopped(estimator) if stops else ranker(estimator).fit(X, Y, QID)
    fitted.export(tmp_path / "model.txt")
    again = lightgbm.Booster(model_file=tmp_path / "model.txt")
    assert again.dump_model()["objective"].split()[0] == written
    assert again.params["objective"] == written
    assert again.num_trees() == (fitted.best_iteration_ if stops else N_TREES)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def test_only_the_measure_and_an_objective_without_name_are_added(tmp_path):
    for given, added in [
        ("lambdarank", set()),
        (objective("nDCG"), {"objective=lambdarank", "[objective: lambdarank]"}),
    ]:
        fitted = ranker(lgbm(objective=given)).fit(X, Y, QID)
        fitted.export(tmp_path / "ours.txt")
        fitted.estimator_.booster_.save_model(tmp_path / "its_own.txt")
        ours = (tmp_path / "ours.txt").read_text().splitlines()
        its_own = (tmp_path / "its_own.txt").read_text().splitlines()
        assert set(ours) - set(its_own) == {"measure: nDCG@10"} | added


def test_files_that_cannot_be_are_refused(tmp_path):
    fitted = ranker(lgbm()).fit(X, Y, QID)
    with pytest.raises(ValueError, match=r"^path must not end in \.json for LightGBM"):
        fitted.export(tmp_path / "model.json")
    with pytest.raises(
        FileNotFoundError, match=r"^path must lie in a folder that exists, got .*no"
    ):
        fitted.export(tmp_path / "no" / "model.txt")
    assert list(tmp_path.iterdir()) == []


def test_names_and_categories_of_a_frame_are_kept(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X).add_prefix("Größe ").assign(kind=pd.Categorical(QID % 4))
    frame.columns = [each.replace(" ", "_") for each in frame]
    fitted = ranker(lgbm(objective=objective("nDCG"))).fit(frame, Y, QID)
    fitted.export(tmp_path / "model.txt")
    again = lightgbm.Booster(model_file=tmp_path / "model.txt")
    assert again.feature_name() == list(frame)
    np.testing.assert_array_equal(again.predict(frame), fitted.predict(frame))


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize(
    ("make", "suffix"), [(xgb, "json"), (xgb, "ubj"), (cat, "cbm"), (cat, "json")]
)
def test_xgboost_and_catboost_read_their_files_with_the_measure(
    tmp_path, make, suffix, stops
):
    fitted = stopped(make()) if stops else ranker(make()).fit(X, Y, QID)
    path, scores, model = (
        tmp_path / f"model.{suffix}",
        fitted.predict(X),
        type(make())(),
    )
    fitted.export(path)
    model.load_model(path, *(["json"] if make is cat and suffix == "json" else []))
    np.testing.assert_allclose(model.predict(X), scores, rtol=1e-12)
    if make is cat:
        assert model.get_metadata()["measure"] == "nDCG@10"
        assert "measure" not in fitted.estimator_.get_metadata()
        return
    # A booster predicts with all the iterations it has.
    np.testing.assert_array_equal(model.get_booster().inplace_predict(X), scores)
    assert model.get_booster().attr("measure") == "nDCG@10"
    assert fitted.booster_.attr("measure") is None


def test_a_pipeline_of_nothing_is_exported_and_one_of_transformers_is_not(tmp_path):
    fitted = ranker(make_pipeline("passthrough", lgbm())).fit(X, Y, QID)
    fitted.export(tmp_path / "model.txt")
    again = lightgbm.Booster(model_file=tmp_path / "model.txt")
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    fitted = ranker(make_pipeline(StandardScaler(), lgbm())).fit(X, Y, QID)
    with pytest.raises(
        ValueError, match=r"^export writes the model alone, got a Pipeline"
    ):
        fitted.export(tmp_path / "other.txt")
    assert not (tmp_path / "other.txt").exists()


@pytest.mark.parametrize("estimator", [Ridge(), lgbm(LGBMClassifier)])
def test_what_has_no_file_format_that_predicts_the_same(tmp_path, estimator):
    fitted = ranker(estimator).fit(X, Y, QID)
    name = type(estimator).__name__
    with pytest.raises(
        TypeError, match=rf"^export is supported for LGBMRanker, .* got {name}: sa"
    ):
        fitted.export(tmp_path / "model.txt")


def test_a_ranker_is_fitted_before_it_is_exported(tmp_path):
    with pytest.raises(NotFittedError):
        ranker(lgbm()).export(tmp_path / "model.txt")


# --- onnxmltools ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def converted():
    """Converts a file of LightGBM, and predicts by what comes out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of protobuf and others, at their import
        onnxmltools = pytest.importorskip("onnxmltools")
        onnxruntime = pytest.importorskip("onnxruntime")
        from onnxmltools.convert.common.data_types import FloatTensorType

    def predict(path, rows):
        types = [("rows", FloatTensorType([None, rows.shape[1]]))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            booster = lightgbm.Booster(model_file=path)
            model = onnxmltools.convert_lightgbm(
                booster, initial_types=types, target_opset=15
            )
        session = onnxruntime.InferenceSession(model.SerializeToString())
        return session.run(None, {"rows": rows})[0].ravel()

    return predict


@pytest.mark.parametrize("name", ["ours", "a user's", "lambdarank"])
@pytest.mark.parametrize("stops", [False, True])
def test_a_converter_reads_the_file_and_predicts_the_same(
    tmp_path, converted, name, stops
):
    estimator, _ = LIGHTGBM[name]
    fitted = stopped(estimator) if stops else ranker(estimator).fit(X, Y, QID)
    fitted.export(tmp_path / "model.txt")
    scores = fitted.predict(X)
    assert np.abs(converted(tmp_path / "model.txt", X) - scores).max() <= 5e-7 * np.ptp(
        scores
    )
