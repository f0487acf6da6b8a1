"""One word for one thing inside: names of classes and functions against CONTRIBUTING's tables."""

import ast
import re
from pathlib import Path

import pytest
import reading
from test_docstrings import OBJECTS
from test_names import CONTRIBUTING

PACKAGE = Path(__file__).resolve().parents[2] / "skgraded"
PREPOSITIONS = {
    "above", "as", "at", "beside", "by", "for", "from", "here", "in", "of", "on", "or",
    "that", "to", "with",
}  # fmt: skip
PUBLIC = {name.rpartition(".")[2] for name in OBJECTS}


pytestmark = pytest.mark.skipif(
    not PACKAGE.is_dir(), reason="a package is tested without its sources"
)


def words_of(name):
    """Words of a name in lower case, in the singular."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return [singular(word.lower()) for word in words]


def singular(word):
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "ches")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "as")):
        return word[:-1]
    return word


def section(title):
    text = CONTRIBUTING.read_text(encoding="utf-8")
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


def words_in(text):
    return {
        singular(word.lower())
        for name in re.findall(r"`([\w, ]+)`", text)
        for word in re.findall(r"\w+", name)
    }


def head(name):
    """The word that says what a function returns: the last one, or that before "of" and "by"."""
    words = words_of(name)
    ends = [place for place, word in enumerate(words[1:], 1) if word in PREPOSITIONS]
    return words[min(ends, default=len(words)) - 1]


def nouns():
    """First cells of the tables "Words" and "Words inside"."""
    rows = (section("Words") + section("Words inside")).splitlines()
    return words_in("".join(row.split("|")[1] for row in rows if row.startswith("|")))


def verbs():
    """What a function may begin with."""
    return words_in(section("Words inside").partition("\nA function that")[2])


def names_inside(package, kind):
    """Names of classes or functions of modules that users do not see, with their file."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            is_public = isinstance(node, kind) and node.name in PUBLIC
            if isinstance(node, kind) and not is_public:
                yield node.name, path.relative_to(package)


def test_classes_end_with_a_word_of_the_tables():
    known = nouns()
    strangers = {
        f"{path}: {name}"
        for name, path in names_inside(PACKAGE, ast.ClassDef)
        if words_of(name)[-1] not in known
    }
    assert sorted(strangers) == []


def test_functions_begin_with_a_verb_or_end_with_a_word_of_the_tables():
    known = nouns()
    beginnings = verbs()
    strangers = {
        f"{path}: {name}"
        for name, path in names_inside(PACKAGE, reading.FUNCTIONS)
        if not name.startswith("_")
        and words_of(name)[0] not in beginnings
        and head(name) not in known
    }
    assert sorted(strangers) == []


def test_every_word_is_used():
    used = {
        word
        for kind in (ast.ClassDef, reading.FUNCTIONS)
        for name, _ in names_inside(PACKAGE, kind)
        for word in words_of(name)
    }
    inside = words_in(
        "".join(
            row.split("|")[1]
            for row in section("Words inside").splitlines()
            if row.startswith("|")
        )
    )
    assert sorted(inside - used) == []


def test_words_of_names():
    assert words_of("_SortedTables") == ["sorted", "table"]
    assert words_of("read_queries") == ["read", "query"]
    assert words_of("LambdaMART") == ["lambda", "mart"]
    assert head("words_of_grades") == head("replaced_words") == "word"
    assert head("by_name") == "name"
