r"""Docstrings as text for a terminal: formulas without LaTeX, references without markup.

The converter knows the LaTeX that the docstrings of measures use: fractions, sums, products,
binomial coefficients, subscripts, superscripts and the symbols below. It raises an error for any
other command, so that a test finds it.
"""

from __future__ import annotations

import re
import textwrap
from typing import NamedTuple

from skgraded._text import WIDTH, wrap

__all__ = ["docstring_as_text", "formula_as_text"]

_SYMBOLS = {
    "beta": "beta",
    "cap": "and",
    "cup": "or",
    "cdot": "*",
    "epsilon": "epsilon",
    "exists": "exists",
    "ge": ">=",
    "in": "in",
    "infty": "infinity",
    "le": "<=",
    "log": "log",
    "max": "max",
    "min": "min",
    # Sizes of parentheses, and spaces.
    "left": "",
    "right": "",
    ",": " ",
    "qquad": "\n",
    # Characters that LaTeX reserves.
    "_": "_",
    "{": "{",
    "}": "}",
}
_BIG = {"sum": "sum", "prod": "product"}
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\s+|[{}_^]|[^\\\s{}_^]+")
_MATH = re.compile(r"^\.\. math::(.*\n(?:(?: .*)?\n)*)", re.MULTILINE)
_INDENT = "    "


class _Piece(NamedTuple):
    """A piece of a formula; a fraction needs parentheses beside a factor."""

    text: str
    is_fraction: bool = False


class _Formula:
    """Reads the tokens of a formula from left to right."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex)[::-1]

    def sequence(self) -> str:
        """Read up to the end of the formula or of the group."""
        pieces: list[_Piece] = []
        while self.tokens:
            token = self.tokens.pop()
            if token == "}":
                break
            if token == r"\choose":
                return f"C({_joined(pieces)}, {self.sequence()})"
            pieces.append(self._piece(token))
        return _joined(pieces)

    def _piece(self, token: str) -> _Piece:
        if token == r"\frac":
            return _Piece(_fraction(self._argument(), self._argument()), is_fraction=True)
        if token.startswith("\\"):
            return _Piece(self._command(token.removeprefix("\\")))
        if token in ("_", "^"):
            return _Piece(_script(token, self._argument()))
        return _Piece(self.sequence() if token == "{" else token)

    def _command(self, name: str) -> str:
        if name == "text":
            return self._argument()
        return f"{_BIG[name]}[{self._range()}]" if name in _BIG else _SYMBOLS[name]

    def _argument(self) -> str:
        """Read a group in braces, or one character."""
        token = self.tokens.pop()
        while token.isspace():
            token = self.tokens.pop()
        if token == "{":
            return self.sequence()
        if len(token) > 1 and not token.startswith("\\"):
            self.tokens.append(token[1:])
            token = token[0]
        return self._piece(token).text

    def _range(self) -> str:
        """Read the range of a sum: what is below the sign, and what is above it."""
        limits = {}
        while self.tokens and self.tokens[-1] in ("_", "^"):
            sign = self.tokens.pop()
            limits[sign] = self._argument()
        return f"{limits['_']}..{limits['^']}" if "^" in limits else limits["_"]


def _fraction(above: str, below: str) -> str:
    if _is_one_factor(above) and _is_one_factor(below):
        return f"{above}/{below}"
    return " / ".join(each if _is_one_factor(each) else f"({each})" for each in (above, below))


def _script(sign: str, script: str) -> str:
    if sign == "^" and script == "*":
        return "*"
    return f"{sign}{script}" if re.fullmatch(r"[\w']+", script) else f"{sign}({script})"


def _is_one_factor(text: str) -> bool:
    """Whether a text has no space or sign outside of its brackets."""
    while (inside := re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\|[^|]*\|", "", text)) != text:
        text = inside
    return not re.search(r"[\s+/-]", text)


def _joined(pieces: list[_Piece]) -> str:
    """Join pieces; put a fraction in parentheses unless it is a term of its own."""
    texts = [each.text for each in pieces]
    for place, piece in enumerate(pieces):
        before, after = "".join(texts[:place]).rstrip(" "), "".join(texts[place + 1 :]).lstrip(" ")
        is_term = not before or before[-1] in "=+-,([|\n"
        is_term = is_term and (not after or after[0] in "=+-,)]|\n")
        if piece.is_fraction and not is_term:
            texts[place] = f"({piece.text})"
    text = re.sub(" +", " ", "".join(texts)).strip(" ")
    return text.replace("( ", "(").replace(" )", ")")


def formula_as_text(latex: str) -> str:
    r"""Write a formula without LaTeX, one equation to a line.

    Parameters
    ----------
    latex : str
        The formula, such as ``\frac{a + b}{c}``.

    Returns
    -------
    str
        The text, such as ``(a + b) / c``.

    Raises
    ------
    KeyError
        If the formula has an unknown command.
    """
    lines = _Formula(" ".join(latex.split())).sequence().split("\n")
    return "\n".join(line.strip().removesuffix(",") for line in lines)


def docstring_as_text(docstring: str) -> str:
    """Write a docstring without the markup of formulas, references and code."""
    text = _MATH.sub(_math_block, docstring + "\n").rstrip("\n")
    text = re.sub(r"^\.\. (\[\d+\])", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"(\[\d+\])_", r"\1", text)
    return text.replace("``", "`")


def _math_block(found: re.Match[str]) -> str:
    # A range such as [m < n] stays in one line.
    text = re.sub(
        r"\[.*?\]", lambda range_: range_[0].replace(" ", "\xa0"), formula_as_text(found[1])
    )
    room = WIDTH - len(_INDENT)
    wrapped = "\n".join(wrap(line, room, indent=len(_INDENT)) for line in text.split("\n"))
    return textwrap.indent(wrapped.replace("\xa0", " "), _INDENT) + "\n\n"
