"""Share of judged documents, as ir_measures defines it."""

from fractions import Fraction

from reference.frame import judged


def judged_share(ranked, pool=None, *, k=None, normalize=False, condense=False, empty=0):
    """Judged documents among the first k, over k or the length of a shorter list."""
    assert not condense
    if not judged(ranked if pool is None else pool):
        return empty
    first = ranked if k is None else ranked[:k]
    return Fraction(len(judged(first)), len(first)) if first else Fraction(0)


ORACLES = {"Judged": judged_share}
