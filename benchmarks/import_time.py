"""Compare the first import and the first score in a new process with importing scikit-learn.

python benchmarks/import_time.py [--repeats N]
"""

import argparse
import subprocess
import sys

from _timing import alternate, print_table

PROGRAMS = {
    "python": "pass",
    "import numpy": "import numpy",
    "import sklearn": "import sklearn",
    "import skgraded": "import skgraded",
    "first score": "import skgraded; skgraded.xGAP()([2, 0, 1], [3, 2, 1])",
    "import sklearn.model_selection": "import sklearn.model_selection",
    "QueryRanker": "from skgraded import QueryRanker",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    contestants = {
        name: lambda program=program: subprocess.run([sys.executable, "-c", program], check=True)
        for name, program in PROGRAMS.items()
    }
    alternate(contestants, 1)
    print_table(alternate(contestants, options.repeats), against="import sklearn")


if __name__ == "__main__":
    main()
