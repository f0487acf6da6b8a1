"""Choose g, the share of users that each grade is the lowest to satisfy, from feedback
=======================================================================================

The users are made up, so that the true g is known. Each of them sees ten documents, examines the
one at rank n with probability 1/n, and is satisfied by an examined document whose grade is high
enough, which differs between users.
"""

# %%
import numpy as np
from sklearn.linear_model import LogisticRegression

from skgraded import AP, evaluate, xGAP
from skgraded.users import personas, thresholds_from_feedback

rng = np.random.default_rng(1)
true_g = np.array([0.1, 0.2, 0.3, 0.4])
n_sessions, n_shown = 3000, 10

# %%
# The log of a search engine that places better documents higher, though not always.
grade = rng.choice(5, size=(n_sessions, n_shown), p=[0.5, 0.2, 0.15, 0.1, 0.05])
order = np.argsort(-(grade + 2 * rng.standard_normal(grade.shape)), axis=1)
grade = np.take_along_axis(grade, order, axis=1)
propensity = np.broadcast_to(1 / np.arange(1, n_shown + 1), grade.shape)
threshold = rng.choice([1, 2, 3, 4], size=(n_sessions, 1), p=true_g)
satisfied = (rng.random(grade.shape) < propensity) & (grade >= threshold)
session = np.repeat(np.arange(n_sessions), n_shown)

# %%
# With the probability that a user examined the rank, the estimate is near the truth.
log = {"grade": grade.ravel(), "satisfied": satisfied.ravel(), "cluster": session}
found = thresholds_from_feedback(**log, propensity=propensity.ravel())
print(f"Position corrected; the truth is {true_g}\n{found}\n")

# %%
# Without it, documents of low grades seem to satisfy too seldom, because they stand where few
# users look. The intervals do not show this error: they cover chance alone.
ignored = thresholds_from_feedback(**log)
print(f"Position ignored\n{ignored}\n")

# %%
# The shares of the grades in the data are no substitute: they say which documents there are,
# not which of them users want.
shares = np.bincount(grade.ravel())[1:]
print(f"g              {found.g.round(3)}")
print(f"grades 1 to 4  {(shares / shares.sum()).round(3)}\n")

# %%
# Preferences between two rankings of a query are another source. Here users prefer the ranking
# with the higher eGAP, the more often the larger the difference. This is a logistic regression
# without intercept, on the differences of AP at each threshold, with weights in proportion to g.
y_true = rng.choice(5, size=2000 * 15, p=[0.5, 0.2, 0.15, 0.1, 0.05])
qid = np.repeat(np.arange(2000), 15)
shown = {name: y_true + rng.normal(0, 2, len(y_true)) for name in ("a", "b")}
ap_a, ap_b = evaluate([AP(rel=t) for t in (1, 2, 3, 4)], y_true, shown, qid=qid).values
prefers_a = rng.random(2000) < 1 / (1 + np.exp(-10 * (ap_a - ap_b) @ true_g))
regression = LogisticRegression(C=1e6, fit_intercept=False).fit(ap_a - ap_b, prefers_a)
weights = np.maximum(regression.coef_[0], 0)
print(
    f"From preferences  {(weights / weights.sum()).round(3)}; the truth is {true_g}\n"
)

# %%
# Without any such data, a persona is an assumption with a name.
print(*(f"{name:14} {np.round(g, 3)}" for name, g in personas(4).items()), "", sep="\n")

# %%
# Use the measure, and see whether the decision depends on the choice. Ranking "strict" finds the
# top grade well, "lenient" tells relevant documents from the others.
rankings = {
    "strict": 3 * (y_true == y_true.max()) + rng.normal(0, 1, len(y_true)),
    "lenient": 2 * (y_true > 0) + rng.normal(0, 1, len(y_true)),
}
measures = {
    "feedback": found.measure(xGAP, k=10, digits=3),
    "position ignored": ignored.measure(xGAP, k=10, digits=3),
    **{name: xGAP(g=name, max_grade=4, k=10) for name in personas(4)},
}
for name, measure in measures.items():
    values = {
        each: evaluate(measure, y_true, rankings[each], qid=qid) for each in rankings
    }
    told = "  ".join(
        f"{each} {value.mean()[str(measure)]:.3f}" for each, value in values.items()
    )
    print(f"{name:16}  {told}  {measure}")
