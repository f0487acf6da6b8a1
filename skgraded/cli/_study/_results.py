"""Writing of the results of studies, with their pictures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from skgraded._writers import Report
from skgraded.cli._outputs import save_picture, tell, write_reports

__all__ = ["Part", "write_parts", "write_result"]

_HOLD_ALL_NOTES = ("json",)


class Part(NamedTuple):
    """A result of a study with the labels that tell it from the other results, if there are any.

    Attributes
    ----------
    labels : dict of str to object
        Such as the set of topics and the percentage of judgments.
    heading : str
        The same in words.
    found : object
        The result, and with ``plot`` if the study has a picture.
    """

    labels: dict[str, Any]
    heading: str
    found: Any


def write_result(
    arguments: argparse.Namespace,
    found: Any,
    notes: Sequence[str],
    draw: Sequence[Callable[[Any], Any]] | None = None,
    tables: Sequence[Any] | None = None,
) -> None:
    """Write the only result of a study.

    ``draw`` has a function for each panel of its picture. ``tables`` are those of a statistic that
    was asked for.
    """
    report = found._report()
    if tables is not None:
        report = report._replace(tables=tables)
    panels = [getattr(found, "plot", None)] if draw is None else list(draw)
    _write(arguments, [report], notes, panels)


def write_parts(arguments: argparse.Namespace, parts: Sequence[Part], notes: Sequence[str]) -> None:
    """Write several results of a study, each under its heading."""
    alone = len(parts) == 1
    reports = [
        part.found._report()._replace(labels=part.labels, heading="" if alone else part.heading)
        for part in parts
    ]
    _write(arguments, reports, notes, [_titled(part, alone) for part in parts])


def _titled(part: Part, alone: bool) -> Callable[[Any], Any]:
    def draw(ax: Any) -> Any:
        drawn = part.found.plot(ax)
        if not alone:
            drawn.set_title(part.heading, fontsize=10)
        return drawn

    return draw


def _write(
    arguments: argparse.Namespace,
    reports: Sequence[Report],
    notes: Sequence[str],
    draw: Sequence[Any],
) -> None:
    """Write reports; notes on the runs go beside them, but for JSON, which holds all."""
    in_json = arguments.format in _HOLD_ALL_NOTES
    kept = notes if in_json else []
    named = [each._replace(facts={"study": arguments.study, **each.facts}) for each in reports]
    write_reports(arguments, [each._replace(notes=kept) for each in named])
    if getattr(arguments, "plot", None) is not None:
        save_picture(arguments.plot, _figure(draw), dpi=120)
    if not in_json:
        tell(notes)


def _figure(draw: Sequence[Callable[[Any], Any]]) -> Any:
    """Draw panels below each other; a single one in a figure of the size that it chooses."""
    if len(draw) == 1:
        return draw[0](None).figure
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.6 * len(draw)), layout="constrained")
    for ax, panel in zip(figure.subplots(len(draw), 1), draw, strict=True):
        panel(ax)
    return figure
