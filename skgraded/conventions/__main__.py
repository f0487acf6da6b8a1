"""``python -m skgraded.conventions``: write the table of conventions as Markdown."""

import sys

from skgraded.conventions import as_markdown

if __name__ == "__main__":
    sys.stdout.write(as_markdown())
