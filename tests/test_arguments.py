"""Arguments are checked in one way: the message names argument, rule and value."""

import os

import numpy as np
import pytest

from skgraded._support import arguments


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_integers_of_any_type(value):
    found = arguments.integer("k", value, 1)
    assert (found, type(found)) == (3, int)


@pytest.mark.parametrize("value", [0, -1, 1.0, "1", None, True, np.True_, np.nan])
def test_no_integers(value):
    with pytest.raises(ValueError, match=r"^k must be an integer >= 1, or x, got ") as error:
        arguments.integer("k", value, 1, alternative=", or x")
    assert repr(value) in str(error.value)


def test_none_where_it_means_something():
    assert arguments.integer_or_none("k", None, 1, "the whole list") is None
    with pytest.raises(ValueError, match="k must be an integer >= 1, or None for the whole list"):
        arguments.integer_or_none("k", False, 1, "the whole list")


@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), np.int64(2)])
def test_numbers(value):
    found = arguments.number("noise", value, above=0)
    assert (found, type(found)) == (float(value), float)


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, True, "1", None, 1j])
def test_no_numbers_above_a_bound(value):
    with pytest.raises(ValueError, match=r"^noise must be a finite number > 0, got "):
        arguments.number("noise", value, above=0)


def test_bounds_of_numbers():
    assert arguments.number("beta", 0, at_least=0) == 0.0
    with pytest.raises(ValueError, match=r"beta must be a finite number >= 0, got -0\.1"):
        arguments.number("beta", -0.1, at_least=0)


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, -0.5, True, "0.5", np.nan])
def test_no_fractions(value):
    with pytest.raises(ValueError, match="p must lie strictly between 0 and 1, got "):
        arguments.fraction("p", value)


def test_flags_are_no_numbers():
    assert arguments.flag("norm", np.True_) is True
    for value in (1, 0, "yes", None):
        with pytest.raises(ValueError, match="norm must be True or False, got "):
            arguments.flag("norm", value)


def test_words():
    assert arguments.choice("ties", "expected", ("expected", "row_order")) == "expected"
    with pytest.raises(ValueError, match=r"got 'expect'\. Did you mean 'expected'\?"):
        arguments.choice("ties", "expect", ("expected", "row_order"))
    for value in (None, 1, ["expected"], np.array(["expected"])):
        with pytest.raises(ValueError, match="ties must be one of 'expected', got "):
            arguments.choice("ties", value, ("expected",))


def test_threads():
    assert arguments.threads(None) == 1
    assert arguments.threads(np.int64(2)) == 2
    assert arguments.threads(-1) == os.cpu_count()
    for value in (0, -2, 1.0, True, 2**40):
        with pytest.raises(ValueError, match="n_threads must be an integer from 1 to 4096, -1 "):
            arguments.threads(value)
