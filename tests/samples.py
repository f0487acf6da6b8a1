"""The sample of NTCIREVAL, whose values by several tools and papers are known.

A topic with three documents of grade 3, three of 2, four of 1 and one judged non-relevant, and two
lists with unjudged documents in them. And a file of any judgments.
"""

POOL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0]
LIST_A = [0, 3, None, 2]
LIST_B = [1, 3, None, 2, None, 1]


def write_qrels(nested, path):
    """Write grades by topic and document as TREC's lines."""
    lines = (f"{t} 0 {d} {grade:.17g}\n" for t, row in nested.items() for d, grade in row.items())
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(lines)
