"""One word for one thing: parameters of public functions against the glossary of CONTRIBUTING."""

import inspect
import re
from pathlib import Path

from test_docstrings import OBJECTS

CONTRIBUTING = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"


def glossary():
    """The words of the table, each with those that it stands in place of."""
    text = (
        CONTRIBUTING.read_text(encoding="utf-8")
        .partition("## Words\n")[2]
        .partition("\n## ")[0]
    )
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()
    ]
    return {
        word: set(re.findall(r"`(\w+)`", row[2]))
        for row in rows
        if len(row) == 3
        for word in re.findall(r"`(\w+)`", row[0])
    }


def public_parameters():
    """Where a public function or method takes each parameter."""
    found = {}
    for place, (each, _) in OBJECTS.items():
        for parameter in parameters(each):
            found.setdefault(parameter, set()).add(place)
    return found


def parameters(function):
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ()


def test_public_signatures_use_the_words_of_the_glossary():
    words, found = glossary(), public_parameters()
    assert {"skgraded.evaluate", "skgraded.QueryRanker.fit"} <= found["qid"]
    assert 20 <= len(words) <= 40
    others = {other: word for word, instead_of in words.items() for other in instead_of}
    assert {
        name: (others[name], found[name]) for name in others.keys() & found.keys()
    } == {}
    assert sorted(words.keys() - found.keys()) == []  # rows that say nothing
