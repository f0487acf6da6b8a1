"""A file of any judgments."""


def write_qrels(nested, path):
    """Write grades by topic and document as TREC's lines."""
    lines = (f"{t} 0 {d} {grade:.17g}\n" for t, row in nested.items() for d, grade in row.items())
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(lines)
