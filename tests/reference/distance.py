"""Average distance of scores from grades.

Sources of the equations:

Kishida
    Kishida (2005), "Property of average precision and its generalization", NII-2005-014E.
"""

from reference.frame import gain_of, judged, ratio


def adm(grades, scores, *, max_grade, gain="linear", condense=False, empty=0):
    # Kishida Eq. 38: 1 - 1/N sum_i |s_i - x_i|, score s_i and relevance x_i both in [0, 1].
    gain = gain_of(gain)
    pairs = list(zip(grades, scores, strict=True))
    if condense:
        pairs = [(grade, score) for grade, score in pairs if grade is not None]
    if not any(gain(grade) > 0 for grade in judged(grades)):
        return empty
    relevance = [ratio(gain(0 if grade is None else grade), gain(max_grade)) for grade, _ in pairs]
    distances = [abs(score - x) for (_, score), x in zip(pairs, relevance, strict=True)]
    return 1 - sum(distances) / len(pairs)


ORACLES = {
    "ADM": adm,
}
