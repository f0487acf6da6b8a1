"""Share of judged documents by hand."""

from fractions import Fraction

from reference.judged import judged_share


def test_share_of_judged_documents_by_hand():
    assert judged_share([1, None, 0]) == Fraction(2, 3)
    assert judged_share([1, None, 0], k=2) == Fraction(1, 2)
    assert judged_share([1, None], k=5) == Fraction(1, 2)
    assert judged_share([None], [1]) == 0
    assert judged_share([None], empty=1) == 1
