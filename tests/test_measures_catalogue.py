"""Every measure of the catalogue has what a measure needs."""

import dataclasses
import inspect
import re
from pathlib import Path
from typing import ClassVar

import pytest
from facts import FACTS
from reference import REFERENCE

from skgraded import ERR, Measure, catalogue, measures
from skgraded.measures import R


def has_fields_of_its_own(kind):
    """Whether its fields, those of all parents and its defaults count: they need the decorator."""
    fields = {field.name: field.default for field in dataclasses.fields(kind)}
    parents = [each for each in kind.__mro__ if dataclasses.is_dataclass(each)]
    inherited = {field.name for parent in parents for field in dataclasses.fields(parent)}
    annotations = inspect.get_annotations(kind)
    own = {name for name, hint in annotations.items() if "ClassVar" not in str(hint)}
    defaults_count = all(repr(getattr(kind, name)) == repr(fields[name]) for name in fields)
    return inherited | own == set(fields) and defaults_count


def what_is_missing(name, kind):
    """List what a measure still needs; CONTRIBUTING.md says how to add one."""
    places = {
        "an oracle in tests/reference": name in REFERENCE,
        "a line in FACTS of tests/facts.py": name in FACTS,
        "a place in the catalogue": catalogue().get(name) is kind,
        "an export": getattr(measures, name, None) is kind and name in measures.__all__,
        "the dataclass decorator": has_fields_of_its_own(kind),
    }
    sections = (".. math::", "Parameters\n", "See Also\n", "References\n", "Examples\n")
    places |= {f"the section {each.strip()}": each in kind.__doc__ for each in sections}
    return [place for place, found in places.items() if not found]


@pytest.mark.parametrize("name", catalogue())
def test_a_measure_has_all_that_it_needs(name):
    missing = what_is_missing(name, catalogue()[name])
    assert not missing, f"{name} lacks {', '.join(missing)}"


def test_facts_and_oracles_are_of_measures():
    assert set(FACTS) - set(catalogue()) == set()
    assert set(REFERENCE) - set(catalogue()) == set()


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


def test_a_measure_that_is_a_class_alone_is_told_what_it_lacks():
    class _Bare(Measure):
        """A measure without anything."""

        k = 3

    assert what_is_missing("Bare", _Bare) == [
        "an oracle in tests/reference",
        "a line in FACTS of tests/facts.py",
        "a place in the catalogue",
        "an export",
        "the dataclass decorator",
        "the section .. math::",
        "the section Parameters",
        "the section See Also",
        "the section References",
        "the section Examples",
    ]


def test_fields_without_the_decorator_are_missed():
    class _OwnField(R):
        depth: int = 3

    class _FieldsOfTheSecondParent(R, ERR):
        pass

    class _AsItsParent(R):
        greater_is_better: ClassVar[bool] = False

    assert not has_fields_of_its_own(_OwnField)
    assert not has_fields_of_its_own(_FieldsOfTheSecondParent)
    assert has_fields_of_its_own(_AsItsParent)


def test_the_readme_lists_every_measure():
    readme = Path(__file__).resolve().parents[1] / "README.md"
    if not readme.exists():
        pytest.skip("no README beside the tests")
    section = readme.read_text(encoding="utf-8").split("## Measures")[1].split("GAP is biased")[0]
    listed = set(re.findall(r"`(\w+)`", section))
    assert listed >= set(catalogue()), "README.md must list it under Measures"
    assert listed <= set(catalogue()), "README.md lists under Measures what is none"
