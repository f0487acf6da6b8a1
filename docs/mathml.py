"""Formulas as MathML, which browsers draw without scripts from other sites."""

import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

_CHOOSE = re.compile(r"\{(\w+)\s*\\choose\s*(\w+)\}")


def _mathml(node, **options):
    formula = _CHOOSE.sub(r"\\binom{\1}{\2}", node.astext())
    return tex2mathml(formula.replace(r"\dots", r"\ldots"), **options)


def _visit_math(writer, node):
    writer.body.append(_mathml(node))
    raise nodes.SkipNode


def _visit_block(writer, node):
    writer.body.append(f'<div class="formula">{_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_block, None))
    return {"parallel_read_safe": True}
