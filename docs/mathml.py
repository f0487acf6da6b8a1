"""Formulas as MathML, which browsers draw without scripts from other sites."""

import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

_CHOOSE = re.compile(r"\{(\w+)\s*\\choose\s*(\w+)\}")
# In prose: symbols with an index or a power, such as r_n, w_ij, s_q^2 and 2^r.
_SYMBOL = re.compile(
    r"(?<![\w`*^.])((?:[A-Za-z]|cg)_(?:ij|xx|[A-Za-z0-9])(?:\^\d)?|[0-9a-z]\^[a-z0-9])(?![\w^*`])"
)
_CODE = re.compile(r"(:?`+[^`]*`+)")


def _mathml(node, **options):
    formula = _CHOOSE.sub(r"\\binom{\1}{\2}", node.astext())
    return tex2mathml(formula.replace(r"\dots", r"\ldots"), **options)


def _visit_math(writer, node):
    writer.body.append(_mathml(node))
    raise nodes.SkipNode


def _visit_block(writer, node):
    writer.body.append(f'<div class="formula">{_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def typeset(lines):
    """Return the lines of a docstring that has a formula, with the symbols in its prose typeset."""
    if not any(line.lstrip().startswith(".. math::") for line in lines):
        return list(lines)
    found, deeper, is_example = [], None, False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if deeper is not None and line.strip() and indent <= deeper:
            deeper = None
        if line.lstrip().startswith(".. math::"):
            deeper = indent
        is_example = is_example or line.strip() == "Examples"
        found.append(line if is_example or deeper is not None else _typeset_line(line))
    return found


def _typeset_line(line):
    parts = _CODE.split(line)  # every other part is code
    parts[::2] = [_SYMBOL.sub(_as_role, part) for part in parts[::2]]
    return "".join(parts)


def _as_role(match):
    symbol = re.sub(r"_(\w+)", r"_{\1}", match[1])
    return rf"\ :math:`{symbol}`\ "


def _typeset_docstring(*arguments):
    lines = arguments[-1]
    lines[:] = typeset(lines)


def setup(app):
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_block, None))
    # before numpydoc reads the docstring
    app.connect("autodoc-process-docstring", _typeset_docstring, priority=400)
    return {"parallel_read_safe": True}
