"""Optimize ranking models with Optuna: pruning by xGAP, a study of QueryRanker, OptunaSearchCV
===============================================================================================

This example needs optuna and optuna-integration.
"""

# %%
import inspect
import warnings

import lightgbm as lgb
import numpy as np
import optuna
from optuna.distributions import IntDistribution
from optuna_integration import LightGBMPruningCallback, OptunaSearchCV
from sklearn.model_selection import cross_val_score

from skgraded import QueryKFold, QueryRanker, query_target, xGAP
from skgraded.datasets import make_ranking
from skgraded.lightgbm import eval_metric, objective

warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
warnings.filterwarnings(
    "ignore", "`optuna.terminator` module", FutureWarning
)  # its own use of it
optuna.logging.set_verbosity(optuna.logging.WARNING)

X, y, qid = make_ranking(n_queries=120, random_state=0)
target = xGAP(g=(0.1, 0.2, 0.3, 0.4))
sampler = optuna.samplers.TPESampler(seed=0)

# %%
# Prune trials whose xGAP on validation queries is low. The callback takes the name of the metric,
# which is the string form of the measure.
train, valid = next(QueryKFold(5).split(X, groups=qid))
sizes = {
    name: np.unique(qid[rows], return_counts=True)[1]
    for name, rows in {"train": train, "valid": valid}.items()
}


def xgap_of_trial(trial):
    ranker = lgb.LGBMRanker(
        objective=objective(
            target, truncation_level=trial.suggest_int("truncation", 5, 60)
        ),
        metric="None",
        n_estimators=60,
        num_leaves=trial.suggest_int("num_leaves", 3, 31),
        n_jobs=1,
        verbose=-1,
    )
    # LightGBM 4.7 replaced eval_set by eval_X and eval_y.
    renamed = "eval_X" in inspect.signature(ranker.fit).parameters
    watched = (
        {"eval_X": X[valid], "eval_y": y[valid]}
        if renamed
        else {"eval_set": [(X[valid], y[valid])]}
    )
    ranker.fit(
        X[train],
        y[train],
        group=sizes["train"],
        **watched,
        eval_group=[sizes["valid"]],
        eval_metric=eval_metric(target),
        callbacks=[LightGBMPruningCallback(trial, str(target), "valid_0")],
    )
    return max(ranker.evals_result_["valid_0"][str(target)])


study = optuna.create_study(
    direction="maximize",
    sampler=sampler,
    pruner=optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=10),
)
study.optimize(xgap_of_trial, n_trials=10)
states = [trial.state.name for trial in study.trials]
print(f"pruning        {study.best_value:.4f} with {study.best_params}")
print(f"               {states.count('PRUNED')} of {len(states)} trials pruned")

# %%
# A study of QueryRanker: trials are cross-validated on whole queries, and every fit stops early on
# validation queries. The training objective is a parameter of the search.
TRAIN_FOR = {
    "xGAP": objective(target),
    "GAP": objective("GAP(g=[0.1,0.2,0.3,0.4])", truncation_level=None),
    "nDCG": objective("nDCG(gain=exp2)"),
}


def cross_validated_xgap(trial):
    ranker = QueryRanker(
        lgb.LGBMRanker(
            objective=TRAIN_FOR[
                trial.suggest_categorical("objective", list(TRAIN_FOR))
            ],
            n_estimators=60,
            num_leaves=trial.suggest_int("num_leaves", 3, 31),
            n_jobs=1,
            verbose=-1,
        ),
        measure=target,
        validation_fraction=0.2,
        early_stopping_rounds=10,
        random_state=0,
    )
    return cross_val_score(ranker, X, query_target(y, qid), cv=QueryKFold(3)).mean()


study = optuna.create_study(direction="maximize", sampler=sampler)
study.optimize(cross_validated_xgap, n_trials=6)
print(f"QueryRanker    {study.best_value:.4f} with {study.best_params}")

# %%
# OptunaSearchCV replaces RandomizedSearchCV. query_target is used here because with n_jobs=2 the
# threads of OptunaSearchCV do not inherit scikit-learn's routing configuration, and trials fail.
search = OptunaSearchCV(
    QueryRanker(
        lgb.LGBMRanker(
            objective=objective(target), n_estimators=30, n_jobs=1, verbose=-1
        ),
        measure=target,
    ),
    {"estimator__num_leaves": IntDistribution(3, 31)},
    cv=QueryKFold(3),
    n_trials=5,
    random_state=0,
).fit(X, query_target(y, qid))
print(f"OptunaSearchCV {search.best_score_:.4f} with {search.best_params_}")
