"""Writing of the results of studies: tables, CSV, JSON and pictures."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from skgraded.cli._outputs import save_picture, tell, write

__all__ = ["Part", "write_parts", "write_result"]


class Part(NamedTuple):
    """A result of a study with the labels that tell it from the other results, if there are any.

    Attributes
    ----------
    labels : dict of str to object
        Such as the set of topics and the percentage of judgments.
    heading : str
        The same in words.
    found : object
        The result, with ``to_frame``, and with ``plot`` if the study has a picture.
    """

    labels: dict[str, Any]
    heading: str
    found: Any


def write_result(
    arguments: argparse.Namespace,
    found: Any,
    text: str,
    notes: Sequence[str],
    draw: Sequence[Callable[[Any], Any]] | None = None,
) -> None:
    """Write the only result of a study; ``draw`` has a function for each panel of its picture."""
    panels = [getattr(found, "plot", None)] if draw is None else list(draw)
    _write(arguments, [Part({}, "", found)], text, notes, panels)


def write_parts(
    arguments: argparse.Namespace,
    parts: Sequence[Part],
    text_of: Callable[[Any], str],
    notes: Sequence[str],
) -> None:
    """Write several results of a study, each under its heading."""
    texts = [text_of(part.found) for part in parts]
    if len(parts) > 1:
        pairs = zip(parts, texts, strict=True)
        texts = [f"{part.heading}:\n{text}" for part, text in pairs]
    draw = [_titled(part, alone=len(parts) == 1) for part in parts]
    _write(arguments, parts, "\n\n".join(texts), notes, draw)


def _titled(part: Part, alone: bool) -> Callable[[Any], Any]:
    def draw(ax: Any) -> Any:
        drawn = part.found.plot(ax)
        if not alone:
            drawn.set_title(part.heading, fontsize=10)
        return drawn

    return draw


def _write(
    arguments: argparse.Namespace,
    parts: Sequence[Part],
    text: str,
    notes: Sequence[str],
    draw: Sequence[Any],
) -> None:
    forms = {
        "table": lambda: text + "\n",
        "csv": lambda: _as_csv(parts),
        "json": lambda: _as_json(arguments.study, parts, notes),
    }
    write(arguments, forms[arguments.format]())
    if getattr(arguments, "plot", None) is not None:
        save_picture(arguments.plot, _figure(draw), dpi=120)
    if arguments.format != "json":
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


def _frame(part: Part) -> Any:
    frame = part.found.to_frame()
    for place, (name, value) in enumerate(part.labels.items()):
        frame.insert(place, name, value)
    return frame


def _as_csv(parts: Sequence[Part]) -> str:
    texts: list[str] = [_frame(part).to_csv(index=False) for part in parts]
    header = texts[0].partition("\n")[0] + "\n"
    return texts[0] + "".join(each.removeprefix(header) for each in texts[1:])


def _as_json(study: str, parts: Sequence[Part], notes: Sequence[str]) -> str:
    results = [
        {**part.labels, **_facts(part.found), "rows": part.found.to_frame().to_dict("records")}
        for part in parts
    ]
    content = {"study": study, "results": _plain(results), "notes": list(notes)}
    # ASCII, since ids may hold bytes that are not UTF-8.
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _facts(found: Any) -> dict[str, Any]:
    """Return the fields of a result that are no arrays: names, numbers of topics, options."""
    fields = {each.name: getattr(found, each.name) for each in dataclasses.fields(found)}
    plain = (str, int, float)
    return {
        name: value
        for name, value in fields.items()
        if name != "notes"
        and (
            isinstance(value, plain)
            or (isinstance(value, tuple) and all(isinstance(each, plain) for each in value))
        )
    }


def _plain(value: Any) -> Any:
    """Return what JSON can hold: nan and infinity, which it lacks, become null."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
