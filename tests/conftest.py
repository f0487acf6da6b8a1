"""What every test file shares: real data, hypothesis profiles, a screenless matplotlib."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")
collect_ignore = ["typed_calls"]  # for type checkers, not to be run

# A first call that compiles, imports or allocates is not a flaw of the property under test.
settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, print_blob=True, max_examples=300
)
# For one more interpreter or set of versions of the same code: --hypothesis-profile=quick
settings.register_profile("quick", settings.get_profile("ci"), max_examples=25)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def data_dir():
    """Folder of real data sets: $SKGRADED_DATA, else ../shared/data beside the repository."""
    named = os.environ.get("SKGRADED_DATA")
    if named:
        folder = Path(named)
        if not folder.is_dir():
            pytest.fail(f"SKGRADED_DATA must name a folder, got {named!r}.")
        return folder
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("real data not found: set SKGRADED_DATA to its folder")
    return folder


@pytest.fixture(autouse=True)
def close_figures():
    """Close what a test has drawn; matplotlib warns where many figures stay open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skip tests for which ir_measures has to read a name where it cannot.

    Its version 0.4.3 does so by classes of `ast` that Python 3.14 no longer has.
    """
    try:
        return (yield)
    except AttributeError as error:
        if sys.version_info >= (3, 14) and "module 'ast' has no attribute" in str(
            error
        ):
            pytest.skip("ir_measures cannot read names on this Python")
        raise
