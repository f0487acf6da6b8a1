"""``python -m skgraded``: the command line."""

import sys

from skgraded.cli import main

if __name__ == "__main__":
    sys.exit(main())
