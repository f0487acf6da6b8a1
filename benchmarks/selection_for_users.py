"""When does choosing a model by your users' measure pay? A study on real pools and made ones.

The protocol below was written before the first run.

**Question.** A model is chosen among candidates by its mean on validation queries. Users have
thresholds that are distributed by g. How many more of them are satisfied on test queries when the
selector is xGAP(g) or eGAP(g), instead of nDCG@10? Does the half-split rule, which sees the
validation queries alone, tell beforehand?

**Users.** Four g: browsers (g_1 = 1), demanding (g_k proportional to k), ESCI-like (the two highest
grades .09 and .90, the one below .01, others 0; .1 and .9 for two grades) and perfectionists (only
the top grade). A user with threshold t reads from the top, goes on after each document with
probability .85, looks at 10 at most, and is satisfied by the first document of grade t or above.
The outcome of a query is the exact probability of that for a user who is drawn by g: the sum over t
of g_t .85^(rank - 1), where rank is that of the first acceptable document, and 0 if none is among
the first 10. No measure that chooses is this outcome.

**Selectors.** nDCG@10 (exponential gains; the reference), AP, xGAP(g)@10, eGAP(g)@10, half
eGAP(g)@10 and half nDCG@10, and two rules by halves: the validation queries are halved 50 times,
both measures choose on one half, and eGAP(g)@10 scores on the other half, both ways. The rule "gain
above 0" chooses by eGAP(g)@10 where the mean gain is above 0, and else by nDCG@10. The rule "use g"
does so only where the 95 % interval of the gain, by the delete-half jackknife, lies above 0. Ties
between candidates go to the first one. The shares of the verdicts are reported: "use g" where the
interval lies above 0, "no room" where it lies below .01, and "undecided".

**Real pools.** LightGBM's example, MQ2008 and OHSUMED: 12 times the queries are drawn into 40 %
training, 30 % validation and 30 % test. In each of them six pools are trained:

- hyperparameters: 12 lambdarank models: 4, 15 or 31 leaves, at least 5 or 50 documents in a leaf,
  30 or 100 rounds;
- objectives: lambdarank with exponential, linear and top-grade gains, rank_xendcg, regression,
  xGAP(uniform), eGAP(linear), Q-measure, nDCG with linear gains;
- kinds: lambdarank, a boosted regression, ridge regression on the grade, on relevance and on the
  top grade, extremely randomized trees on the grade and on the top grade;
- blends: w lambdarank + (1 - w) ridge regression on the top grade, both standardized, for 11 w;
- early stopping: lambdarank with 31 leaves after 5, 10, ..., 150 rounds;
- all: the first four together.

TREC-COVID, round 1: 30 times the topics are halved into validation and test. One pool holds all 143
runs, one 20 runs that are drawn in each split.

**Frontiers.** A document has topicality and quality, independent and normal. It is relevant by
topicality with noise, and by quality with noise its grade is 1 to 4; .60 of the documents have
grade 0, .20, .12, .05 and .03 the others. Each of 40 candidates scores by cos(a) topicality +
sin(a) quality + .7 noise. Wide: a from 0 to 80 degrees. Narrow: 30 to 50. None: all at 40 degrees.
There are 24 sets of each, with 50 or 200 validation queries, 500 test queries and 20 documents a
query.

**Intervals** have 95 %, and are not corrected for the number of gains. On a real set they are those
of `skgraded.compare` over repeats: the gain of a query in a split, mean over the pools, has effects
of the query, which comes back in other splits, and of the choice that its split made. Over the four
real sets: the mean of their gains, with the root of the sum of squared errors over 4 as its error.
On frontiers: Student's t over the sets, which are independent.

**Expected.** An earlier trial, on other draws, saw nothing on such real pools (-.000, -.002 to
.002) and +.004 to +.023 on wide frontiers. "Pays" is said where an interval lies above 0.

    python benchmarks/selection_for_users.py [--splits N] [--sets N] [--output docs/selection.md]
"""
