"""Every measure of the catalogue has what a measure needs."""

import re
from pathlib import Path

import pytest
from facts import FACTS
from reference import REFERENCE
from test_measure_bits import NOT_RECORDED, recorded

from skgraded import catalogue, measures


def what_is_missing(name, kind):
    """List what a measure still needs; CONTRIBUTING.md says how to add one."""
    places = {
        "an oracle in tests/reference": name in REFERENCE,
        "a line in FACTS of tests/facts.py": name in FACTS,
        "a place in the catalogue": catalogue().get(name) is kind,
        "an export": getattr(measures, name, None) is kind and name in measures.__all__,
        "a line in tests/measure_bits.txt": name in {*recorded(), *NOT_RECORDED},
    }
    sections = (".. math::", "See Also\n", "References\n", "Examples\n")
    places |= {f"the section {each.strip()}": each in kind.__doc__ for each in sections}
    return [place for place, found in places.items() if not found]


@pytest.mark.parametrize("name", catalogue())
def test_a_measure_has_all_that_it_needs(name):
    missing = what_is_missing(name, catalogue()[name])
    assert not missing, f"{name} lacks {', '.join(missing)}"


def test_facts_and_oracles_are_of_measures():
    strangers = {*FACTS, *REFERENCE} - set(catalogue())
    assert not strangers, (
        f"{strangers} must be exported, and in __all__ of skgraded.measures"
    )


@pytest.mark.parametrize("name", sorted(FACTS))
def test_a_measure_refuses_the_shared_fields_that_its_facts_name(name):
    kind = catalogue()[name]
    others = {
        "k": 3,
        "ties": "optimistic",
        "empty": 0.5,
        "unjudged": "nonrelevant" if kind().unjudged == "condense" else "condense",
        "normalize": not kind().normalize,
    }
    for field, value in others.items():
        if field in FACTS[name].refuses:
            with pytest.raises(ValueError, match=rf"^{field} must be .* for {name}, "):
                kind(**{field: value})
        else:
            assert getattr(kind(**{field: value}), field) == value


def test_the_guide_lists_every_measure():
    page = Path(__file__).resolve().parents[2] / "docs/guide/measures.md"
    if not page.exists():
        pytest.skip("no guide beside the tests")
    section = (
        page.read_text(encoding="utf-8").split("## All measures")[1].split("\n\n")[1]
    )
    listed = set(re.findall(r"`(\w+)`", section))
    assert listed >= set(catalogue()), (
        "docs/guide/measures.md must list it under All measures"
    )
    assert listed <= set(catalogue()), (
        "docs/guide/measures.md lists what is not a measure"
    )
