"""Tell for which users one ranker is better than another
=========================================================

Some users are content with any relevant document, others want only the best. AP at every grade is
the value for users who accept that grade or better, and eGAP(g) is its mean for a mixture g of such
users. So a few numbers answer for all users at once. ``python who_is_better_for_whom.py users.png``
saves the picture.
"""

# %%
# Documents are on topic or not, and good or not. A good document on topic has grade 2.
import sys

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from study_collection import made_up

from skgraded import cross_validate_queries, query_train_test_split, trec
from skgraded.users import threshold_profile

rng = np.random.default_rng(0)
n_queries, n_documents = 300, 40
latent = rng.normal(size=(n_queries * n_documents, 2))
on_topic, good = (latent > np.quantile(latent, 0.8, axis=0)).T
y = on_topic * (1 + good.astype(int))
X = latent + rng.normal(size=latent.shape)
qid = np.repeat(np.arange(n_queries), n_documents)
print(f"documents of grades 0, 1 and 2: {np.bincount(y)}")

# %%
# The broad model learns what is relevant, the precise one what is best.
split = query_train_test_split(X, y, qid=qid, test_size=100, random_state=0)
X_train, X_test, y_train, y_test, _, qid_test = split
scores = {
    "broad": Ridge().fit(X_train, y_train > 0).predict(X_test),
    "precise": Ridge().fit(X_train, y_train > 1).predict(X_test),
}
profile = threshold_profile(y_test, scores, qid=qid_test)
print(profile)

# %%
# What holds for our own users, of whom 20 % accept grade 1? The interval may be read for any g, and
# for several, because all of them hold jointly.
print(profile["broad"].at((0.2, 0.8)))
ax = profile.plot()
if sys.argv[1:]:
    ax.figure.savefig(sys.argv[1], dpi=110)

# %%
# A cross-validation tests all queries; its intervals hold for the models of these splits. Here both
# rankers learn the grades, but one of them does not see how good a document is: does that harm all
# users?
measures = ["AP(rel=1)", "AP(rel=2)"]
topic_alone = make_pipeline(ColumnTransformer([("topic", "passthrough", [0])]), Ridge())
rankers = {"both features": Ridge(), "topic alone": topic_alone}
found = cross_validate_queries(rankers, X, y, qid=qid, measures=measures)
print(threshold_profile(found))

# %%
# The same for runs of TREC; on the command line: skgraded compare qrels a.run b.run --profile
qrels, runs = made_up(n_topics=50, n_systems=2)
print(threshold_profile(trec.evaluate(measures, qrels, runs)))
