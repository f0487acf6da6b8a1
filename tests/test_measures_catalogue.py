"""Every measure of the catalogue has what a measure needs."""

import dataclasses
import re
from pathlib import Path

import pytest
from facts import FIELDS
from reference import REFERENCE

import skgraded
from skgraded import Measure, catalogue


def what_is_missing(name, kind):
    """List what a measure still needs: adding one costs its class and no more than this."""
    places = {
        "an oracle": name in REFERENCE,
        "fields to draw": name in FIELDS,
        "a place in the catalogue": catalogue().get(name) is kind,
        "an export": getattr(skgraded, name, None) is kind and name in skgraded.__all__,
        # A default that a class changes counts only where the class is made a dataclass.
        "the dataclass decorator": all(
            repr(getattr(kind, field.name)) == repr(field.default)
            for field in dataclasses.fields(kind)
        ),
    }
    sections = (".. math::", "Parameters\n", "See Also\n", "References\n", "Examples\n")
    places |= {f"the section {each.strip()}": each in kind.__doc__ for each in sections}
    return [place for place, found in places.items() if not found]


def test_every_measure_has_an_oracle_fields_and_a_documented_formula():
    assert {name: what_is_missing(name, kind) for name, kind in catalogue().items()} == {
        name: [] for name in catalogue()
    }
    assert set(FIELDS) == set(REFERENCE) == set(catalogue())


def test_a_measure_that_is_a_class_alone_is_told_what_it_lacks():
    class _Bare(Measure):
        """A measure without anything."""

        k = 3

    assert what_is_missing("Bare", _Bare) == [
        "an oracle",
        "fields to draw",
        "a place in the catalogue",
        "an export",
        "the dataclass decorator",
        "the section .. math::",
        "the section Parameters",
        "the section See Also",
        "the section References",
        "the section Examples",
    ]


def test_the_readme_lists_every_measure():
    readme = Path(__file__).resolve().parents[1] / "README.md"
    if not readme.exists():
        pytest.skip("no README beside the tests")
    section = readme.read_text(encoding="utf-8").split("## Measures")[1].split("GAP is biased")[0]
    assert set(re.findall(r"`(\w+)`", section)) == set(catalogue())
