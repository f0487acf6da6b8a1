"""Users who go on from a rank: rules that a user writes."""

import numpy as np
import pytest

from skgraded.measures import BPM, CWL, INST, NERR10, PrefixCWL


def literal(rule, gains):
    """The sums of C/W/L over the ranks of one list, and the expected number of ranks."""
    total, viewed, reach, found = 0.0, 0.0, 1.0, 0.0
    for n, x in enumerate(gains, 1):
        found += x
        total, viewed = total + reach * x, viewed + reach
        reach *= rule(n, x, found)
    return total, viewed, reach


class TestBase:
    """Measures that a user writes."""

    def test_a_total_and_a_rate_of_a_rule_with_all_its_arguments(self):
        class Total(CWL):
            rate = False

            def gain_by_level(self, judgments):
                return judgments.grades / 4

            def continuation(self, n, x, G):
                return (1 - x) * n / (n + 1 + G)

        class Rate(Total):
            rate = True
            ends = True

            def ranks_from(self, n, G, last):
                # Ranks below the list in one query alone, whose k lies beyond it.
                return np.array(
                    [sum(self._below(*each)) for each in np.broadcast(n, G, last)]
                )

            def _below(self, n, found, last):
                reach = 1.0
                for m in range(int(n), int(last) + 1):
                    yield reach
                    reach *= m / (m + 1 + found)

        rng = np.random.default_rng(3)
        sizes = [1, 5, 30, 2]
        qid = np.repeat(np.arange(4), sizes)
        y, score = rng.integers(0, 4, len(qid)), rng.random(len(qid))
        for k in (None, 3, 10):
            totals = Total(k=k).per_query(y, score, qid=qid).values
            rates = Rate(k=k).per_query(y, score, qid=qid).values
            for q, size in enumerate(sizes):
                gains = y[qid == q][np.argsort(-score[qid == q])] / 4
                gains = np.append(gains, np.zeros(20))[: size if k is None else k]
                found, viewed, _ = literal(
                    lambda n, x, G: (1 - x) * n / (n + 1 + G), gains
                )
                assert totals[q] == pytest.approx(found, rel=1e-13)
                assert rates[q] == pytest.approx(found / viewed, rel=1e-13)

    def test_many_documents_are_read_as_few_are(self):
        rng = np.random.default_rng(5)
        sizes = np.concatenate(
            (rng.integers(1, 400, 150), [40_000, 1, 20_000], np.ones(9, int))
        )
        qid = np.repeat(np.arange(len(sizes)), sizes)
        y, score = rng.choice(3, len(qid), p=[0.9, 0.08, 0.02]), rng.random(len(qid))
        for chosen in (
            INST(max_grade=4, T=5),
            NERR10(max_grade=9),
            BPM(T=3, max_grade=2),
        ):
            values = chosen.per_query(y, score, qid=qid).values
            for q in (0, 75, 149, 150, 151, 152, 160):
                rows = qid == q
                assert values[q] == chosen(y[rows], score[rows], qid=qid[rows])

    @pytest.mark.parametrize("wrong", [1.5, -0.1, float("nan")])
    def test_a_rule_that_returns_no_probability_is_refused(self, wrong):
        class Wrong(CWL):
            rate = False

            def gain_by_level(self, judgments):
                return judgments.grades

            def continuation(self, n, x, G):
                return np.where(n == 2, wrong, 0.5)

        class WrongByRank(Wrong, PrefixCWL):
            pass

        for kind in (Wrong, WrongByRank):
            with pytest.raises(
                ValueError, match=f"continuation of {kind.__name__} must return pr"
            ):
                kind()([1, 0, 1], [3, 2, 1])
