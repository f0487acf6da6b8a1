"""What a reader of the package meets: how much stands on a line, and what names say.

``python tests/reading.py [FOLDER]`` prints it by room, for the package or any
other folder of Python files. All figures but heavy lines are over the bodies of
functions, without docstrings.

=================  ==================================================================
tokens a line      tokens per code line, which is a line with a token of code
full lines         the same over lines of three tokens or more, which trailing commas
                   do not lower
heavy lines        share of code lines of whole files that have 20 tokens or more
blank lines        blank lines per 100 code lines
solid functions    share of functions of 12 code lines or more without a blank line
packed             assignments ``a, b = x, y`` per 1,000 code lines, swaps left out
inline conditions  conditional expressions per 1,000 code lines
empty names        share of local names that say nothing of what they hold
=================  ==================================================================
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

EMPTY_WORDS = """
    each found given told made kept others other chosen known named judged read parts
    part how what said asked taken some one two both left wanted shown listed these
    those there then now able beside rest own
"""
EMPTY_NAMES = set(EMPTY_WORDS.split())
HEAVY_TOKENS = 20
FULL_TOKENS = 3
LONG_LINES = 12

NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
NO_CODE |= {tokenize.INDENT, tokenize.DEDENT}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
DOCUMENTED = ast.Module | ast.ClassDef | FUNCTIONS


def docstring(node):
    """The docstring of a module, class or function as a node, or None."""
    if (
        isinstance(node, DOCUMENTED)
        and ast.get_docstring(node, clean=False) is not None
    ):
        return node.body[0]
    return None


def code_tokens(source):
    """Tokens outside docstrings and comments; an f-string is one token on every Python."""
    docstrings = set()
    for node in ast.walk(ast.parse(source)):
        text = docstring(node)
        if text is not None:
            docstrings.add((text.lineno, text.col_offset))

    # From Python 3.12 on, the parts of an f-string are tokens between two marks.
    string_start = getattr(tokenize, "FSTRING_START", None)
    string_end = getattr(tokenize, "FSTRING_END", None)
    depth = 0
    tokens = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_inside = depth > 0
        if token.type == string_start:
            depth += 1
        elif token.type == string_end:
            depth -= 1
        if is_inside or token.type in NO_CODE or token.start in docstrings:
            continue
        tokens.append(token)
    return tokens


def tokens_by_line(source):
    """Number of tokens that begin on each code line."""
    return Counter(token.start[0] for token in code_tokens(source))


def code_lines(source):
    """Numbers of the lines that hold a part of a token of code."""
    lines = set()
    for token in code_tokens(source):
        lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def outermost_functions(tree):
    """Functions that stand in no other function, whose lines so count once."""
    functions = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, FUNCTIONS):
            functions.append(node)
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return functions


def is_packed(node):
    """Whether a statement assigns several values to several names, and is no swap."""
    if not isinstance(node, ast.Assign):
        return False
    target = node.targets[0]
    if not (isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)):
        return False
    targets = {ast.unparse(name) for name in target.elts}
    values = {ast.unparse(value) for value in node.value.elts}
    return targets != values


def local_names(function):
    """Names that a function assigns or takes as arguments."""
    names = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.arguments):
            names.update(
                argument.arg
                for argument in ast.walk(node)
                if isinstance(argument, ast.arg)
            )
    return names - {"self", "cls"}


def counts_of_function(function, tokens, source_lines):
    """What is counted of one function."""
    body = function.body[1:] if docstring(function) else function.body
    if not body:
        return Counter()

    span = range(body[0].lineno, function.end_lineno + 1)
    tokens_of_lines = [tokens[line] for line in span if tokens[line]]
    tokens_of_full_lines = [n for n in tokens_of_lines if n >= FULL_TOKENS]
    n_blank = sum(not source_lines[line - 1].strip() for line in span)
    is_long = len(tokens_of_lines) >= LONG_LINES
    names = local_names(function)
    nodes = list(ast.walk(function))
    return Counter(
        lines=len(tokens_of_lines),
        tokens=sum(tokens_of_lines),
        full_lines=len(tokens_of_full_lines),
        full_tokens=sum(tokens_of_full_lines),
        blank=n_blank,
        long=is_long,
        solid=is_long and n_blank == 0,
        packed=sum(map(is_packed, nodes)),
        conditions=sum(isinstance(node, ast.IfExp) for node in nodes),
        names=len(names),
        empty=len(names & EMPTY_NAMES),
    )


def counts_of_source(source):
    """What is counted of one file, as sums that add up over files."""
    tokens = tokens_by_line(source)
    source_lines = source.splitlines()
    counts = Counter(
        file_tokens=sum(tokens.values()),
        file_lines=len(tokens),
        heavy=sum(n >= HEAVY_TOKENS for n in tokens.values()),
        files=1,
    )
    for function in outermost_functions(ast.parse(source)):
        counts += counts_of_function(function, tokens, source_lines)
    return counts


def figures(counts):
    """Figures of the table above, from sums over files."""

    def ratio(numerator, denominator, unit=1):
        return unit * counts[numerator] / max(counts[denominator], 1)

    return {
        "tokens a line": ratio("tokens", "lines"),
        "full lines": ratio("full_tokens", "full_lines"),
        "heavy lines": ratio("heavy", "file_lines", 100),
        "blank lines": ratio("blank", "lines", 100),
        "solid functions": ratio("solid", "long", 100),
        "packed": ratio("packed", "lines", 1000),
        "inline conditions": ratio("conditions", "lines", 1000),
        "empty names": ratio("empty", "names", 100),
    }


def counts_by_room(package):
    """Sums over the files of each folder of a package, and of the files beside them."""
    rooms = {}
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package).parts
        room = inside[0] if len(inside) > 1 else "(top)"
        counts = counts_of_source(path.read_text(encoding="utf-8"))
        rooms.setdefault(room, Counter()).update(counts)
    return rooms


def report(package):
    """One line a room, and one for all of them."""
    rooms = counts_by_room(package)
    rooms["all"] = sum(rooms.values(), Counter())
    width = max(map(len, rooms))
    names = list(figures(Counter()))
    header = f"{'room':<{width}}  files  code lines   tokens  " + "  ".join(names)
    lines = [header]
    for room, counts in rooms.items():
        cells = [f"{counts['files']:5}", f"{counts['file_lines']:10,}"]
        cells.append(f"{counts['file_tokens']:7,}")
        for name, value in figures(counts).items():
            cells.append(f"{value:{len(name)}.2f}")
        lines.append(f"{room:<{width}}  " + "  ".join(cells))
    return "\n".join(lines)


if __name__ == "__main__":
    default = Path(__file__).resolve().parents[1] / "skgraded"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    sys.stdout.write(report(folder) + "\n")
