"""The guide's lines for MLflow run with MLflow, where it is installed."""

from pathlib import Path

import numpy as np
import pytest

from skgraded import QueryRanker
from skgraded.datasets import make_ranking

PAGE = Path(__file__).parents[2] / "docs/guide/native_training.md"


@pytest.mark.filterwarnings("ignore")  # of what MLflow itself calls
def test_the_guide_s_lines_log_the_history(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    text = PAGE.read_text(encoding="utf-8").partition("## MLflow")[2]
    lines = text.partition("```python\n")[2].partition("```")[0]
    X, y, qid = make_ranking(n_queries=40, docs_per_query=10, random_state=0)
    names = {"X": X, "y": y, "qid": qid, "QueryRanker": QueryRanker}
    exec(lines, names)

    run = mlflow.last_active_run().info.run_id
    recorded = names["ranker"].evals_result_["valid_0"]
    client = mlflow.MlflowClient()
    assert set(recorded) == {"ndcg_10", "ap"}
    for name, values in recorded.items():
        logged = client.get_metric_history(run, name)
        in_order = sorted(logged, key=lambda entry: entry.step)
        assert np.array_equal([entry.value for entry in in_order], values)
