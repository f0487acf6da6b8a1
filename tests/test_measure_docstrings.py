"""The shared fields in the docstrings of measures, which editors read from the source.

Every measure documents its own fields first, then those of k, ties, unjudged, empty and normalize
that differ from `Measure` in type, default or meaning, and then the others in one entry, which
refers to `Measure`. The type of an entry follows from the class. Its text begins with the sentence
in `BEGINNINGS`; `empty` and fields that a class refuses have texts of their own, as have the
entries in `OWN_TEXTS`.
"""

import ast
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from skgraded import Measure, catalogue
from skgraded.measures import CWL, PrefixCWL, PrefixMeasure

# What the fields mean in most measures, which need not say it again.
SHARED = {
    "k": "Cut-off: only the ranks n <= k count. None is the whole list.",
    "ties": "Tied documents: mean over all their orders, order of the rows, worst or best first.",
    "unjudged": "Unjudged documents count as grade 0, or are removed from the list.",
    "empty": "Value of a query without relevant documents; nan leaves it out of the mean.",
    "normalize": "Divide by the value of the ideal ranking at the same cut-off.",
}

# An entry that says more begins with this.
BEGINNINGS = {**SHARED, "k": "Cut-off: only the ranks n <= k count.", "empty": ""}

REFERENCE = "See `Measure`."

WITHOUT_MEAN = (
    "Tied documents: order of the rows, worst or best first. Their mean has no cheap formula."
)

# Entries that mean something else, so that the sentence would be wrong.
OWN_TEXTS = {
    ("AveragedNDCG", "k"),
    ("Compat", "k"),
    ("Compat", "normalize"),
    ("infAP", "unjudged"),
    ("Judged", "normalize"),
    # k is the last rank that a user can read, so that another k is another user.
    *(
        (name, "k")
        for name in (
            "BPM",
            "CWL",
            "PrefixCWL",
            "INSQ",
            "INST",
            "NERR8",
            "NERR9",
            "NERR10",
            "NERR11",
            "SDCG",
        )
    ),
}

_TYPES = {
    "k": "int, optional",
    "empty": "float, default={default!r}",
    "normalize": "bool, default={default!r}",
}
_WORDS = {
    "ties": ("expected", "row_order", "pessimistic", "optimistic"),
    "unjudged": ("nonrelevant", "condense"),
}
_LINE = 100
HEADING = re.compile(r"    (\w+(?:, \w+)*)(?: : (.*))?")


class Entry(NamedTuple):
    """Entry of the section Parameters: the names, the type and the text in one line."""

    names: tuple[str, ...]
    type: str
    text: str


def type_of(kind, field):
    """Type and default of a shared field, as numpydoc writes them."""
    default = kind._fields[field].default
    if field in kind._refuses:
        words = f'"{default}"' if isinstance(default, str) else repr(default)
        return "{None}, optional" if default is None else f"{{{words}}}, default={words}"
    if field in _WORDS:
        words = [each for each in _WORDS[field] if each != "expected" or kind._averages_over_ties]
        listed = ", ".join(f'"{each}"' for each in words)
        return f'{{{listed}}}, default="{default}"'
    return _TYPES[field].format(default=default)


def sentence_of(kind, field):
    """Sentence with which the text of a shared field begins; "" for a text of the class's own."""
    if field in kind._refuses or (kind.__name__, field) in OWN_TEXTS:
        return ""
    return WITHOUT_MEAN if field == "ties" and not kind._averages_over_ties else BEGINNINGS[field]


def text_of(kind, field, entries):
    """Text of a shared field: that of the class if it fits, else the shared one."""
    stated = [each for each in entries if each.text != REFERENCE]
    alone = [each.text for each in stated if each.names == (field,)]
    sentence = sentence_of(kind, field)
    if alone and alone[0].startswith(sentence):
        return alone[0]
    for lost in alone:
        sys.stderr.write(f"{kind.__name__}: {field} loses its text {lost!r}\n")
    return sentence if sentence == WITHOUT_MEAN else SHARED[field]


def entries_of(kind):
    """Entries as they should be: the class's own fields, the shared ones that differ, the rest."""
    entries = read_entries(kind)
    own = [each for each in entries if not SHARED.keys() & set(each.names)]
    shared = [Entry((name,), type_of(kind, name), text_of(kind, name, entries)) for name in SHARED]
    differ = [each for each in shared if each not in MOSTLY]
    rest = tuple(each.names[0] for each in shared if each in MOSTLY)
    return own + differ + ([Entry(rest, "optional", REFERENCE)] if rest else [])


def class_source(kind):
    """File of a class, its lines, and the numbers of the first and last line of its docstring."""
    path = Path(inspect.getsourcefile(kind))
    source = path.read_text(encoding="utf-8")
    (node,) = [
        each
        for each in ast.walk(ast.parse(source))
        if isinstance(each, ast.ClassDef) and each.name == kind.__name__
    ]
    docstring = node.body[0].value
    return path, source.split("\n"), docstring.lineno - 1, docstring.end_lineno


def parameter_lines(kind):
    """Path, lines, and the first and last line number of the section Parameters."""
    path, lines, first, last = class_source(kind)
    start = next(i for i in range(first, last) if lines[i] == "    Parameters") + 2
    end = next(i for i in range(start, last) if lines[i] == "")
    return path, lines, start, end


def read_entries(kind):
    _, lines, start, end = parameter_lines(kind)
    entries = []
    for line in lines[start:end]:
        heading = HEADING.fullmatch(line)
        if heading:
            entries.append(Entry(tuple(heading[1].split(", ")), heading[2] or "", ""))
        else:
            last = entries.pop()
            entries.append(last._replace(text=f"{last.text} {line.strip()}".strip()))
    return entries


def as_lines(entry):
    text = textwrap.wrap(
        entry.text,
        _LINE,
        initial_indent=" " * 8,
        subsequent_indent=" " * 8,
        break_long_words=False,
        break_on_hyphens=False,
    )
    typed = f" : {entry.type}" if entry.type else ""
    return [f"    {', '.join(entry.names)}{typed}", *text]


def written(kind):
    """Lines of a class's section Parameters as they should be; own entries keep theirs."""
    _, lines, start, end = parameter_lines(kind)
    own, is_own = [], False
    for line in lines[start:end]:
        heading = HEADING.fullmatch(line)
        if heading:
            is_own = SHARED.keys().isdisjoint(heading[1].split(", "))
        own += [line] if is_own else []
    shared = [entry for entry in entries_of(kind) if entry.names[0] in SHARED]
    return own + [line for entry in shared for line in as_lines(entry)]


def write(kind):
    """Write the entries into the source of a class."""
    path, lines, start, end = parameter_lines(kind)
    path.write_text("\n".join([*lines[:start], *written(kind), *lines[end:]]), encoding="utf-8")


MOSTLY = [Entry((name,), type_of(Measure, name), text) for name, text in SHARED.items()]
CLASSES = [PrefixMeasure, CWL, PrefixCWL, *catalogue().values()]
MEASURES = [pytest.param(kind, id=kind.__name__) for kind in CLASSES]


@pytest.mark.parametrize("kind", MEASURES)
def test_a_measure_documents_its_own_fields_and_then_the_shared_ones(kind):
    hint = "run: python tests/test_measure_docstrings.py --write"
    assert read_entries(kind) == entries_of(kind), hint
    _, lines, start, end = parameter_lines(kind)
    assert lines[start:end] == written(kind), hint
    fields = set(kind._fields)
    assert {name for each in read_entries(kind) for name in each.names} == fields


@pytest.mark.parametrize("kind", MEASURES)
def test_every_entry_is_a_sentence_and_empty_tells_of_nan(kind):
    texts = {name: each.text for each in read_entries(kind) for name in each.names}
    assert all(texts[field].endswith(".") for field in SHARED)
    of_empty = texts["empty"]
    assert of_empty == REFERENCE or "nan" in of_empty or "out of the mean" in of_empty


def test_measure_documents_all_shared_fields():
    assert [each.names for each in read_entries(Measure)] == [(name,) for name in SHARED]


def test_the_exceptions_exist():
    known = {each.__name__ for each in CLASSES}
    assert all(name in known and field in SHARED for name, field in OWN_TEXTS)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for each in CLASSES:
        write(each)
